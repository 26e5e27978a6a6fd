"""Timelines as slow as can be: every cut segmented anew, one word at a time."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, ClassVar

import numpy as np

from tokbench.api import Marks, Segmenter, Size, Token, Vocabulary
from tokbench.api.arrays import Segmentation, Timeline

ARRAYS = ("word", "row", "ids", "starts", "ends", "round_trip")


class NoTimeline(Segmenter):
    """Segments as another does, without its timeline; each state is decoded."""

    wrapped: ClassVar[Segmenter]

    def prepare(self, vocabulary: Vocabulary) -> Any:
        return self.wrapped.prepare(vocabulary)

    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        tokens: Sequence[Token] = self.wrapped.segment(word, prepared)
        return tokens

    def decode(self, ids: Sequence[int], vocabulary: Vocabulary) -> str:
        text: str = self.wrapped.decode(ids, vocabulary)
        return text


class Cutting(NoTimeline):
    """Returns the timeline of another segmenter by cutting the vocabulary at every number."""

    def prepare(self, vocabulary: Vocabulary) -> Any:
        return vocabulary

    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        return super().segment(word, self.wrapped.prepare(prepared))

    def timeline(self, words: Sequence[str], prepared: Any, since: int = 0) -> Timeline:
        return by_cutting(self.wrapped, words, prepared, since)


def by_cutting(
    segmenter: Segmenter, words: Sequence[str], vocabulary: Vocabulary, since: int = 0
) -> Timeline:
    """Return the states of words by segmenting them with every cut of a vocabulary."""
    last = len(vocabulary.learned)
    cuts = {m: vocabulary.cut(Size(learned=m)) for m in range(since, last + 1)}
    ready = {m: segmenter.prepare(cut) for m, cut in cuts.items()}
    columns: dict[str, list[int]] = {name: [] for name in ("word", "ids", "ends", "since", "until")}
    row = [0]
    for number, word in enumerate(words):
        tokens = {m: laid_out(segmenter.segment(word, ready[m]), cuts[m]) for m in cuts}
        for (ids, ends), group in groupby(tokens, key=tokens.__getitem__):
            lived = [*group]
            columns["word"].append(number)
            columns["since"].append(lived[0])
            columns["until"].append(lived[-1] + 1)
            columns["ids"] += ids
            columns["ends"] += ends
            row.append(len(columns["ids"]))
    arrays = {name: np.array(values, dtype=np.int64) for name, values in columns.items()}
    return Timeline(row=np.array(row, dtype=np.int64), **arrays)


def laid_out(
    tokens: Sequence[Token], vocabulary: Vocabulary
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ids of a word's tokens, and the byte at which each ends."""
    ids, ends, position = [], [], 0
    for token in tokens:
        name = token if isinstance(token, str) else token[0]
        if isinstance(token, str):
            position += len(Marks.strip(token).encode("utf-8", "surrogatepass"))
        else:
            position += token[1]
        if name is not None:
            ids.append(name if isinstance(name, int) else vocabulary.ids.get(name, -1))
            ends.append(position)
    return tuple(ids), tuple(ends)


def same(left: Segmentation, right: Segmentation) -> bool:
    """Return whether two segmentations have the same arrays."""
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in ARRAYS)
