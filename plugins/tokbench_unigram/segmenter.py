"""The segmenter `unigram`: the segmentation with the highest sum of scores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pydantic import Field
from tokbench_bpe.apart import words_apart
from tokbench_bpe.explaining import Edge, explain_lattice
from tokbench_bpe.matching import TOKEN, Trie

from tokbench.api import Explanation, InputError, Marks, Segmenter, Vocabulary
from tokbench.api.text import CONTINUATION
from tokbench_unigram.paths import NOWHERE, BestPaths

UNKNOWN_PENALTY = 10.0
"""How far the score of an unknown symbol lies below the lowest of all tokens; SentencePiece's."""

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

    def steps(self, symbols: Sequence[str], start: int) -> Iterator[tuple[int, float]]:
        """Yield the stop and the score of each token at a start, and of an unknown symbol."""
        node, letter_is_token = self.root, False
        for stop in range(start + 1, len(symbols) + 1):
            symbol = symbols[stop - 1]
            # Inside a token there is no continuation mark.
            for char in symbol if stop == start + 1 else symbol.removeprefix(CONTINUATION):
                node = node.get(char, NOWHERE)
            if TOKEN in node:
                letter_is_token |= stop == start + 1
                yield stop, self.scores[node[TOKEN]]
            if not node:
                break
        if not letter_is_token:
            yield start + 1, self.unknown


class UnigramBest(Segmenter):
    """Cut a word so that the product of its tokens' probabilities is highest (Viterbi).

    Needs the score of each token, in the vocabulary's `extra` under `scores`. A symbol that is no
    token stands alone as an unknown one, with a score 10 below the lowest of all, as in
    SentencePiece. Of segmentations with equal sums, the one whose last token is longest is taken,
    and so on backwards. Special and byte tokens are not looked for. Source: Kudo (2018), section
    3.2; Viterbi (1967).
    """

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
        """Cut one word."""
        return self._paths(prepared, prepared.scores).cut([word])[0]

    def segment_many(self, words: Iterable[str], prepared: Scored) -> Iterator[Sequence[str]]:
        """Cut many words."""
        yield from self._paths(prepared, prepared.scores).cut([*words])

    def _paths(self, prepared: Scored, scores: Mapping[int, float]) -> BestPaths:
        single = self.precision == "single"
        return BestPaths(prepared, scores, prepared.unknown, single=single)

    def proofs(self, ids: Sequence[int], prepared: Scored) -> Sequence[str | None] | None:
        """Return words in which the tokens stand apart; None for those of nearly equal sums.

        A better path over a token's letters is better in any word. But sums are rounded, so that
        nothing is said where a little more would make the token come.
        """
        vocabulary, scores = prepared.vocabulary, dict(prepared.scores)
        if self.precision == "single" or vocabulary.units == "bytes":
            return None
        paths = self._paths(prepared, scores)
        words = [*words_apart(vocabulary, ids)]
        cuts = paths.cut([word or "" for word in words])
        for place, (i, word, cut) in enumerate(zip(ids, words, cuts, strict=True)):
            token = vocabulary.tokens[i]
            if word is None or i not in scores or token in cut:
                continue
            text, score = Marks.strip(token), scores[i]
            better = (vocabulary.ids.get(t, -1) for t in cut if Marks.strip(t) in text)
            # Where the token is far worse than the best path over its letters, all is said.
            if score + 2 * CLOSE > sum((scores.get(t, prepared.unknown) for t in better), 0.0):
                scores[i] += CLOSE
                if token in paths.cut([word])[0]:
                    words[place] = None
                scores[i] = score
        return words

    def explain(self, word: str, prepared: Scored) -> Explanation:
        """Show the lattice of a word with all scores, its best path and the next best."""
        symbols = prepared.vocabulary.marks.spell(word)
        edges = (
            Edge(start, stop, Marks.join(symbols[start:stop]), -score)
            for start in range(len(symbols))
            for stop, score in prepared.steps(symbols, start)
        )
        tokens = self.segment(word, prepared)
        return Explanation(*explain_lattice(edges, len(symbols), tokens, "score", sign=-1))
