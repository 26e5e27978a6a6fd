"""The controls: byte pair encoding with other cuts, with copies of tokens, or without some merges.

Draws depend on a seed and on what they are for, not on the order of drawing.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from tokbench_bpe.learner import Bpe
from tokbench_bpe.merging import Merges
from tokbench_bpe.segmenters import BpeRank

from tokbench.api import (
    BeginMark,
    Decision,
    EndMark,
    Explanation,
    Learned,
    Learner,
    Marks,
    Segmenter,
    Size,
    SizeError,
    TextSegmenter,
    Vocabulary,
)
from tokbench.api.text import CONTINUATION, byte_length

if TYPE_CHECKING:
    from tokbench.api.arrays import LineTokens

BASE = "base"
"""The key under which a vocabulary keeps that of byte pair encoding, whose lengths are shuffled."""


def _drawn(seed: int, *what: object) -> int:
    """Return a number from 0 to 2^64 - 1: the same for the same seed and parts of `what`."""
    parts = "\0".join(map(str, (seed, *what)))
    digest = blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


class RandomCuts(Learner):
    """Cut each word into tokens as long as those of byte pair encoding, in another order.

    Each distinct word always has the same order, drawn by hash. The most frequent pieces are the
    vocabulary; other pieces fall to characters, so there are more tokens than of byte pair
    encoding. A metric that does not mind where words are cut does not tell the two apart.
    """

    seed: int = Field(0, description="the seed that draws the order of lengths")

    order_free: ClassVar[bool] = True  # counts and hashes alone decide

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
            order = sorted(range(len(lengths)), key=lambda i: _drawn(self.seed, word, i))
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
        candidates = [{"piece": (piece,), "known": piece in vocabulary.ids} for piece in pieces]
        known = [i for i, piece in enumerate(pieces) if piece in vocabulary.ids]
        why = "as long as the tokens of bpe, in another order; others fall to characters"
        return Explanation([Decision("cuts", candidates, known, why)], self.segment(word, prepared))


class Duplicated(Learner):
    """Byte pair encoding in context of whose tokens there are several copies, used at random.

    Which copy stands at a place is a hash of the seed, the line and the place, so it says nothing.
    The text takes as many tokens as with one copy of each. All copies count in |V|. Source:
    Cognetta and others (2024), Two Counterexamples to Tokenization and the Noiseless Channel, who
    raise Rényi efficiency in this way while models get worse.
    """

    copies: int = Field(2, ge=1, description="how many tokens there are of each")
    seed: int = Field(0, description="the seed that draws which copy stands where")

    order_free: ClassVar[bool] = True  # counts alone decide

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn as many tokens as there is room for with all their copies.

        Raises SizeError where a total size is below the copies of the alphabet.
        """
        part = size
        if size.total is not None:
            part = Size(total=size.total // self.copies)
        try:
            base = Bpe(eow=EndMark(kind="absent"), bow=BeginMark(kind="fused")).learn(words, part)
        except SizeError as error:
            least = error.minimum * self.copies
            raise SizeError(f"{least} tokens are {self.copies} of each letter", least) from None
        copied = (token + CONTINUATION * k for k in range(self.copies) for token in base.tokens)
        return replace(
            base,
            tokens=tuple(copied),
            segmenter={"use": "duplicated", "copies": self.copies, "seed": self.seed},
        )


@dataclass(frozen=True, eq=False)
class Copies:
    """A vocabulary of copies, and the tokens of each word as byte pair encoding cuts it.

    A token of a word is an id of the first copy, -1 if it is unknown, and its UTF-8 bytes.
    """

    base: int
    merges: Merges
    words: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def cut(self, word: str) -> list[tuple[int, int]]:
        """Cut a word, once."""
        if word not in self.words:
            ids = self.merges.vocabulary.ids
            tokens = map(str, BpeRank().segment(word, self.merges))
            self.words[word] = [
                (ids.get(token, -1), byte_length(Marks.strip(token))) for token in tokens
            ]
        return self.words[word]


class DuplicatedSegmenter(TextSegmenter):
    """Cut lines at their spaces, each word by byte pair encoding, and draw the copy of each token.

    The first token of a word writes the space before it too.
    """

    copies: int = Field(2, ge=1, description="how many tokens there are of each")
    seed: int = Field(0, description="the seed that draws which copy stands where")

    def prepare(self, vocabulary: Vocabulary) -> Copies:
        """Take the first copy of each token; raises InputError where there are no merges."""
        many = len(vocabulary.tokens) // self.copies
        base = replace(vocabulary, tokens=vocabulary.tokens[:many])
        return Copies(many, BpeRank().prepare(base))

    def segment_lines(self, lines: Sequence[str], prepared: Copies) -> "LineTokens":
        """Cut lines; spaces beyond the one before a word are in no token."""
        import numpy as np

        from tokbench.api.arrays import LineTokens

        row, ids, starts, ends = [0], list[int](), list[int](), list[int]()
        for line in lines:
            at = 0
            for number, word in enumerate(line.split(" ")):
                begin = at - 1 if number else at
                for token, size in prepared.cut(word) if word else ():
                    copy = _drawn(self.seed, line, len(ids) - row[-1]) % self.copies
                    ids.append(token if token < 0 else token + copy * prepared.base)
                    at += size
                    starts.append(begin)
                    ends.append(at)
                    begin = at
                at += 1
            row.append(len(ids))
        arrays = (np.array(values, dtype=np.int64) for values in (row, ids, starts, ends))
        return LineTokens(*arrays)

    def explain(self, word: str, prepared: Copies) -> Explanation:
        """Show which copy of each token was drawn, the first one as number 1."""
        tokens, names = self.segment(word, prepared), prepared.merges.vocabulary.tokens
        copies: list[dict[str, object]] = []
        for token in tokens:
            number = token[0] if isinstance(token, tuple) else token
            if isinstance(number, int) and number >= 0:
                copy, of = divmod(number, prepared.base)
                copies.append({"token": (names[of],), "copy": copy + 1})
            else:  # an unknown one has no copies
                copies.append({"token": None, "copy": None})
        why = "a hash of the seed, the line and the place draws the copy"
        return Explanation([Decision("copies", copies, range(len(copies)), why)], tokens)


class Dropped(Bpe):
    """Byte pair encoding of which merges are left out at random; later ones fill the vocabulary.

    A merge whose parts were left out is left out too. The vocabulary has the size asked for, but
    less of what is frequent: a metric that still prefers it measures something else than the choice
    of merges.
    """

    rate: float = Field(0.2, ge=0, lt=1, description="the share of merges that are left out")
    seed: int = Field(0, description="the seed that draws them")

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn more merges than asked for, until enough are left.

        Raises SizeError where a total size is below the alphabet.
        """
        many = 1 / (1 - self.rate)
        while True:
            asked = math.ceil(size.number * many) + 1
            more = Size(total=asked) if size.learned is None else Size(learned=asked)
            bpe = super().learn(words, more if self.rate else size)
            vocabulary = Vocabulary.build(
                bpe.alphabet, self._kept(bpe), marks=bpe.marks, segmenter=bpe.segmenter
            )
            reached = size.reached(vocabulary.size, len(vocabulary.learned))
            if reached or not more.reached(bpe.size, len(bpe.learned)):
                return vocabulary.cut(size)
            many *= 2

    def _kept(self, bpe: Vocabulary) -> Iterator[Learned]:
        """Yield the merges that are not drawn, and whose parts are there."""
        writable = {*bpe.alphabet}
        for item in bpe.learned:
            left_out = _drawn(self.seed, *item.parts) < self.rate * 2**64
            if not left_out and writable.issuperset(item.parts):
                writable.add(Marks.join(item.parts))
                yield item
