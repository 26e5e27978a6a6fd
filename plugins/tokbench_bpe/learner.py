"""The learner `bpe`: its options, and the code that serves them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import ClassVar, Literal

from pydantic import Field

from tokbench.api import (
    BeginMark,
    ContinuationMark,
    CountedWords,
    EndMark,
    Learned,
    Learner,
    Marks,
    Size,
    Step,
    Vocabulary,
    kernels,
)
from tokbench_bpe import compiled, indexed, textbook
from tokbench_bpe.alphabet import Alphabet, EdgeNumbers, SymbolNumbers, letter_counts
from tokbench_bpe.textbook import Ties

KERNELS = "tokbench_bpe._learn"

LearnWords = Callable[
    [Mapping[str, int], SymbolNumbers, Marks, Ties, int, Size], tuple[Learned, ...]
]
"""Learns merges from words, their spelling, marks, tie rule and lowest pair count, to a size."""


class Bpe(Learner):
    """Byte pair encoding: merge the most frequent pair of neighbouring symbols, again and again.

    Source: Sennrich, Haddow and Birch (2016), Neural Machine Translation of Rare Words with
    Subword Units. The defaults give the merges of subword-nmt with a minimum frequency of 1.

    Where a large vocabulary is learned from little text, many pairs are equally frequent, and the
    rule for `ties` decides much: with 8,000 tokens from 300 KB it moved the tokens of a word by up
    to 5 % (1.890, 1.914 and 1.989, words cut alone). Compare systems under the same rule.
    """

    kernels: ClassVar = KERNELS

    merge: Literal["indexed", "list", "regex", "replace"] = Field(
        "indexed",
        description="how pairs are merged: `indexed` is fast; `list` and `regex` are textbook"
        " code with the same merges; `replace` is plain string replacement, wrong across symbol"
        " borders",
    )
    eow: EndMark = Field(EndMark(kind="fused"), description="the mark at the end of a word")
    bow: BeginMark = Field(BeginMark(), description="the mark at the beginning of a word")
    continuation: ContinuationMark = Field(
        ContinuationMark(), description="the mark of what does not begin a word"
    )
    ties: Ties = Field(
        "greatest",
        description="of equally frequent pairs, merge the `greatest` or `smallest` by code points"
        " as spelled, or the one that stands `first` in the text",
    )
    alphabet: Alphabet = Field(Alphabet(), description="the symbols known before any merge")
    min_pair_count: int = Field(1, ge=1, description="stop when no pair is as frequent as this")

    @property
    def marks(self) -> Marks:
        """The marks that the options ask for."""
        return Marks(bow=self.bow, eow=self.eow, continuation=self.continuation)

    @property
    def prefix_closed(self) -> bool:
        """Merges come one after the other, so a smaller vocabulary is a prefix of a larger."""
        return True

    @property
    def order_free(self) -> bool:
        """Only the tie rule `first` looks at the order of the words."""
        return self.ties != "first"

    def check_size(self, words: Mapping[str, int], size: Size) -> None:
        """Raise SizeError where a total size is below the alphabet."""
        self.alphabet.within(size, _letters(words), self.marks)

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn merges until the size is reached or no pair is frequent enough.

        Raises SizeError where a total size is below the alphabet.
        """
        if self.merge != "indexed":
            return self._learn(words, size, partial(textbook.learn, kind=self.merge))
        if (module := kernels(KERNELS)) is not None:
            # Python's integers hold the counts that 64 bits do not.
            with suppress(OverflowError):
                columns = CountedWords.of(words)
                return self._learn(columns, size, partial(compiled.learn, module))
        return self._learn(words, size, indexed.learn)

    def trace(self, words: Mapping[str, int], size: Size) -> Iterator[Step]:
        """Replay the merges with all pairs counted before and all words after each of them.

        Symbols hold their marks as noncharacters; `Marks.show` spells them.
        """
        kind = "list" if self.merge == "indexed" else self.merge
        return textbook.trace(words, self.learn(words, size), kind)

    def _learn(self, words: Mapping[str, int], size: Size, learn: LearnWords) -> Vocabulary:
        marks, letters = self.marks, _letters(words)
        alphabet = self.alphabet.within(size, letters, marks)
        spelling = SymbolNumbers.of(alphabet, letters, marks)
        learned = learn(words, spelling, marks, self.ties, self.min_pair_count, size)
        return Vocabulary.build(alphabet, learned, marks=marks, segmenter={"use": "bpe"})


def _letters(words: Mapping[str, int]) -> Mapping[str, EdgeNumbers]:
    """Count the letters of words by their place."""
    if (module := kernels(KERNELS)) is not None:
        with suppress(OverflowError):
            return compiled.letter_counts(module, CountedWords.of(words))
    return letter_counts(words)
