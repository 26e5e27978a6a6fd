"""The segmenter `unigram`: the segmentation with the highest sum of scores."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from struct import Struct
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field
from tokbench_bpe.apart import words_apart
from tokbench_bpe.explaining import Edge, explain_lattice
from tokbench_bpe.matching import MarkedText, Trie, match_all, tokens_at
from tokbench_bpe.segmenters import KERNELS

from tokbench.api import Explanation, InputError, Marks, Segmenter, Vocabulary, kernels

if TYPE_CHECKING:
    from tokbench.api.arrays import Timeline

UNKNOWN_PENALTY = 10.0
"""How far the score of an unknown symbol lies below the lowest of all tokens; SentencePiece's."""

SINGLE = Struct("f")
"""Single precision, 32 bits."""

CLOSE = 1e-6
"""Sums of scores that differ by less may change places by rounding in long words."""


@dataclass(frozen=True)
class Scored(Trie):
    """The tokens that are looked for, with their scores by id."""

    scores: Mapping[int, float]

    @cached_property
    def unknown(self) -> float:
        """The score of a symbol that is no token."""
        return min(self.scores.values(), default=0.0) - UNKNOWN_PENALTY

    @cached_property
    def column(self) -> "array[float]":
        """The scores of all tokens by id, 0 for those that are not looked for."""
        return array("d", (self.scores.get(i, 0.0) for i in range(len(self.vocabulary.tokens))))

    def steps(self, text: MarkedText, start: int) -> Iterator[tuple[int, float]]:
        """Yield the stop and the score of each token at a start, and of an unknown letter."""
        after_letter, covered = text.after(start), False
        for stop, token in tokens_at(text, start, self):
            covered |= stop == after_letter
            yield stop, self.scores[token]
        if not covered:
            yield after_letter, self.unknown


class UnigramBest(Segmenter):
    """Cut a word so that the product of its tokens' probabilities is highest (Viterbi).

    Needs the score of each token, in the vocabulary's `extra` under `scores`. A symbol that is no
    token stands alone as an unknown one, with a score 10 below the lowest of all, as in
    SentencePiece. Of segmentations with equal sums, the one whose last token is longest is taken,
    and so on backwards. Special and byte tokens are not looked for. Source: Kudo (2018), section
    3.2; Viterbi (1967).
    """

    kernels: ClassVar[str | None] = KERNELS

    precision: Literal["double", "single"] = Field(
        "double",
        description="how sums of scores are kept: `single` rounds each as SentencePiece does,"
        " which decides between equals as it does",
    )

    def prepare(self, vocabulary: Vocabulary) -> Scored:
        """Build a trie of the tokens; raises InputError where one has no score."""
        scores = vocabulary.extra.get("scores")
        if not isinstance(scores, Mapping):
            shown = "nothing" if scores is None else f"{scores!r:.60}"
            raise InputError(
                "the segmenter unigram needs the scores of tokens in the vocabulary's `extra`,"
                f" under `scores`: found {shown}, expected those that the learner unigram gives"
            )
        trie = Trie(vocabulary)
        for _, token in trie.tokens:
            if not isinstance(scores.get(token), (int, float)):
                raise InputError(
                    f"the segmenter unigram needs a score for each token: that of {token!r} is"
                    f" {scores.get(token)!r:.60}, not a number"
                )
        return Scored(vocabulary, {number: scores[token] for number, token in trie.tokens})

    def segment(self, word: str, prepared: Scored) -> Sequence[str]:
        """Cut one word: each place is reached by its best way before it is left."""
        marks = prepared.vocabulary.marks
        text = MarkedText.of(word, marks)
        end = len(text.text)
        best: dict[int, tuple[float, int]] = {0: (0.0, 0)}
        for start in range(end):
            if start in text.fused:
                continue
            for stop, score in prepared.steps(text, start):
                total = best[start][0] + score
                if self.precision == "single":
                    (total,) = SINGLE.unpack(SINGLE.pack(total))
                # Of equal sums the first stays: its last token is the longest.
                if stop not in best or total > best[stop][0]:
                    best[stop] = total, start
        tokens = list[str]()
        while end:
            start = best[end][1]
            tokens.append(text.token(start, end, marks))
            end = start
        return tokens[::-1]

    def timeline(self, words: Sequence[str], prepared: Scored, since: int = 0) -> "Timeline | None":
        """Cut many words with all tokens; scores say nothing of smaller vocabularies."""
        vocabulary, kernel = prepared.vocabulary, kernels(KERNELS)
        if kernel is None or since != len(vocabulary.learned) or vocabulary.units == "bytes":
            return None
        sums = prepared.column, prepared.unknown, self.precision == "single"
        return match_all(words, prepared, since, kernel, sums)

    def proofs(self, ids: Sequence[int], prepared: Scored) -> Sequence[str | None] | None:
        """Return words in which the tokens stand apart; None for those of nearly equal sums.

        A better path over a token's letters is better in any word. But sums are rounded, so that
        nothing is said where a little more would make the token come.
        """
        vocabulary, scores = prepared.vocabulary, dict(prepared.scores)
        raised = replace(prepared, scores=scores)
        if self.precision == "single" or vocabulary.units == "bytes":
            return None
        words = [*words_apart(vocabulary, ids)]
        for place, (i, word) in enumerate(zip(ids, words, strict=True)):
            token = vocabulary.tokens[i]
            if word is None or i not in scores:
                continue
            if token in (cut := self.segment(word, prepared)):
                continue
            text, score = Marks.strip(token), scores[i]
            better = (vocabulary.ids.get(t, -1) for t in cut if Marks.strip(t) in text)
            # Where the token is far worse than the best path over its letters, all is said.
            if score + 2 * CLOSE > sum((scores.get(t, prepared.unknown) for t in better), 0.0):
                scores[i] += CLOSE
                if token in self.segment(word, raised):
                    words[place] = None
                scores[i] = score
        return words

    def explain(self, word: str, prepared: Scored) -> Explanation:
        """Show the lattice of a word with all scores, its best path and the next best."""
        marks = prepared.vocabulary.marks
        text = MarkedText.of(word, marks)
        borders = [at for at in range(len(text.text) + 1) if at not in text.fused]
        place = {at: number for number, at in enumerate(borders)}
        edges = (
            Edge(place[start], place[stop], text.token(start, stop, marks), -score)
            for start in borders[:-1]
            for stop, score in prepared.steps(text, start)
        )
        tokens = self.segment(word, prepared)
        return Explanation(*explain_lattice(edges, len(borders) - 1, tokens, "score", sign=-1))
