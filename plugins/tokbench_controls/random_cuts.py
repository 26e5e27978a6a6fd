"""The control `random-cuts`: tokens as long as those of byte pair encoding, at random places."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from pydantic import Field
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeRank

from tokbench.api import (
    Decision,
    Explanation,
    Learned,
    Learner,
    Marks,
    Segmenter,
    Size,
    Vocabulary,
)
from tokbench_controls.drawing import drawn

BASE = "base"
"""The key under which a vocabulary keeps that of byte pair encoding, whose lengths are shuffled."""


class RandomCuts(Learner):
    """Cut each word into tokens as long as those of byte pair encoding, in another order.

    Each distinct word always has the same order, drawn by hash. The most frequent pieces are the
    vocabulary; other pieces fall to characters, so there are more tokens than of byte pair
    encoding. A metric that does not mind where words are cut does not tell the two apart.
    """

    seed: int = Field(0, description="the seed that draws the order of lengths")

    @property
    def order_free(self) -> bool:
        """Counts and hashes alone decide."""
        return True

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn byte pair encoding of the size, and keep as many of the most frequent pieces.

        Raises SizeError where a total size is below the alphabet.
        """
        base = Bpe().learn(words, size)
        counts: Counter[str] = Counter()
        cuts = Shuffled(base, self.seed).pieces(words)
        for count, pieces in zip(words.values(), cuts, strict=True):
            for piece in pieces:
                if len(piece) > 1:
                    counts["".join(piece)] += count
        frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        room = len(base.tokens) - len(base.alphabet)
        return Vocabulary.build(
            base.alphabet,
            [Learned((piece,), count) for piece, count in frequent[:room]],
            marks=base.marks,
            segmenter={"use": "random-cuts", "seed": self.seed},
            extra={BASE: json.loads(base.to_json())},
        )


@dataclass(frozen=True)
class Shuffled:
    """Byte pair encoding whose token lengths are shuffled in each word."""

    base: Vocabulary
    seed: int

    def pieces(self, words: Iterable[str]) -> Iterator[list[Sequence[str]]]:
        """Cut each word into pieces, each of them letters with their marks."""
        listed, segmenter = list(words), BpeRank()
        cuts = segmenter.segment_many(listed, segmenter.prepare(self.base))
        for word, tokens in zip(listed, cuts, strict=True):
            lengths = [len(Marks.strip(str(token))) for token in tokens]
            order = sorted(range(len(lengths)), key=lambda i: drawn(self.seed, word, i))
            letters = self.base.marks.spell(word)
            ends = accumulate((lengths[i] for i in order), initial=0)
            yield [letters[a:b] for a, b in pairwise(ends)]


class RandomCutsSegmenter(Segmenter):
    """Cut words as the learner `random-cuts` did; what it does not know falls to characters."""

    seed: int = Field(0, description="the seed that draws the order of lengths")

    def prepare(self, vocabulary: Vocabulary) -> tuple[Vocabulary, Shuffled]:
        """Read the vocabulary of byte pair encoding; raises InputError where there is none."""
        base = Vocabulary.from_json(json.dumps(vocabulary.extra.get(BASE)), "random-cuts")
        return vocabulary, Shuffled(base, self.seed)

    def segment(self, word: str, prepared: tuple[Vocabulary, Shuffled]) -> list[str]:
        """Cut one word into tokens."""
        return next(self.segment_many([word], prepared))

    def segment_many(
        self, words: Iterable[str], prepared: tuple[Vocabulary, Shuffled]
    ) -> Iterator[list[str]]:
        """Cut many words into tokens."""
        vocabulary, shuffled = prepared
        for pieces in shuffled.pieces(words):
            tokens: list[str] = []
            for piece in pieces:
                joined = "".join(piece)
                tokens += [joined] if joined in vocabulary.ids else piece
            yield tokens

    def explain(self, word: str, prepared: tuple[Vocabulary, Shuffled]) -> Explanation:
        """Show the pieces, and whether the vocabulary has them."""
        vocabulary, shuffled = prepared
        pieces = ["".join(piece) for piece in next(shuffled.pieces([word]))]
        found = [{"piece": (piece,), "known": piece in vocabulary.ids} for piece in pieces]
        known = [i for i, piece in enumerate(pieces) if piece in vocabulary.ids]
        why = "as long as the tokens of bpe, in another order; others fall to characters"
        return Explanation([Decision("cuts", found, known, why)], self.segment(word, prepared))
