"""Predicted boundaries against gold ones; loads NumPy, so metrics import it when they count."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokbench.api.arrays import Segmentation, begins_character, spans

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Alternatives:
    """Each state compared with each gold alternative of its word, one row a comparison.

    `state` rises; `hits` are the boundaries that both have, of `predicted` and of `gold` ones. A
    row is `lost` if the system cannot write the word: nothing is predicted there.
    """

    states: int
    state: Ints
    hits: Ints
    predicted: Ints
    gold: Ints
    lost: Flags

    @property
    def precision(self) -> Floats:
        """The share of predicted boundaries that are gold; 1 where none is predicted."""
        return np.where(self.predicted == 0, 1, self.hits / np.maximum(self.predicted, 1))

    @property
    def recall(self) -> Floats:
        """The share of gold boundaries that are predicted; 1 where there are none, 0 if lost."""
        return np.where(self.gold == 0, ~self.lost, self.hits / np.maximum(self.gold, 1))

    @property
    def f1(self) -> Floats:
        """2 TP / (2 TP + FP + FN); 1 where neither side has a boundary, 0 if lost."""
        both = self.predicted + self.gold
        return np.where(both == 0, ~self.lost, 2 * self.hits / np.maximum(both, 1))

    @property
    def equal(self) -> NDArray[np.bool_]:
        """Whether the boundaries are the same, and the word is not lost."""
        return np.equal(self.hits, self.predicted) & np.equal(self.hits, self.gold) & ~self.lost

    def best_row(self) -> Ints:
        """Return for each state that has gold the row of highest F1, the first on ties."""
        ranked = np.lexsort((-self.f1, self.state))
        _, first = np.unique(self.state[ranked], return_index=True)
        return ranked[first]

    def best(self, values: NDArray[np.generic]) -> Floats:
        """Return for each state the highest of one number a row; 0 where a state has no row."""
        best = np.zeros(self.states)
        np.maximum.at(best, self.state, values)
        return best

    def at(self, rows: Ints, values: Ints) -> Ints:
        """Return for each state the number at its chosen row; 0 where a state has none."""
        chosen = np.zeros(self.states, dtype=np.int64)
        chosen[self.state[rows]] = values[rows]
        return chosen

    @property
    def judged(self) -> Ints:
        """Count one for each state whose word has gold."""
        return self.best(np.ones(len(self.state))).astype(np.int64)


def compare(segmentation: Segmentation) -> Alternatives:
    """Compare every state with every gold alternative of its word."""
    gold, size = segmentation.words.gold_table, segmentation.bytes
    count = np.diff(gold.first)[segmentation.word]
    alternative = spans(gold.first[segmentation.word], count)
    state = np.repeat(np.arange(len(segmentation)), count)
    length = np.diff(gold.row)[alternative]
    positions = gold.position[spans(gold.row[alternative], length)]
    row = np.repeat(np.arange(len(alternative)), length)
    begin = np.cumsum(size) - size
    cut = _predicted(segmentation, begin)
    cuts = np.concatenate(([0], np.cumsum(cut)))
    is_lost = lost(segmentation)[state]
    hit = cut[begin[state][row] + positions] & ~is_lost[row]
    return Alternatives(
        states=len(segmentation),
        state=state,
        hits=np.bincount(row[hit], minlength=len(alternative)),
        predicted=np.where(is_lost, 0, (cuts[begin + size] - cuts[begin])[state]),
        gold=length,
        lost=is_lost,
    )


def _predicted(segmentation: Segmentation, begin: Ints) -> Flags:
    """Return for each byte of the states' words whether a boundary is before it.

    The words follow one another; `begin` is where each state's word begins. A cut inside a
    character is no boundary.
    """
    words, text = segmentation.words, segmentation.with_text
    state = segmentation.state_of[text]
    cut = np.zeros(int(segmentation.bytes.sum()), dtype=bool)
    for edge in (segmentation.starts[text], segmentation.ends[text]):
        inner = (edge > 0) & (edge < segmentation.bytes[state])
        cut[begin[state][inner] + edge[inner]] = True
    utf8 = words.utf8[spans(words.offset[segmentation.word], segmentation.bytes)]
    return cut & begins_character(utf8)


def lost(segmentation: Segmentation) -> Flags:
    """Return for each state whether the system cannot write its word.

    A token is not known, or a part of the word is dropped. Its boundaries and pieces are those of
    no tokenizer. Canonical morphemes write a word without covering it.
    """
    return segmentation.oov & ~without_place(segmentation)


def without_place(segmentation: Segmentation) -> Flags:
    """Return which words have tokens with text, none of which covers any of the word."""
    uncovered = segmentation.sum_tokens(segmentation.with_text) == 0
    rows = np.flatnonzero(uncovered[segmentation.state_of] & segmentation.known)
    used = np.unique(segmentation.ids[rows])
    with_text = [int(i) for i in used if segmentation.vocabulary.raw(int(i))]
    holding = np.zeros(len(segmentation), dtype=bool)
    holding[segmentation.state_of[rows[np.isin(segmentation.ids[rows], with_text)]]] = True
    return holding
