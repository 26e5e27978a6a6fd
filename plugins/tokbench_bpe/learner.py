"""The learner `bpe`: its options, and the code that serves them."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import ClassVar, Literal

from pydantic import Field

from tokbench.api import (
    BeginMark,
    ContinuationMark,
    EndMark,
    Learned,
    Learner,
    Marks,
    Size,
    Step,
    Vocabulary,
    kernels,
)
from tokbench.api.arrays import CountedWords
from tokbench.api.text import CONTINUATION
from tokbench_bpe import indexed, textbook
from tokbench_bpe.alphabet import Alphabet, EdgeNumbers, SymbolNumbers, beside, letter_counts
from tokbench_bpe.textbook import Ties

KERNELS = "tokbench_bpe._learn"

LARGEST = 2**63 - 1
"""The kernels count with 64 bits."""


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

    # Merges come one after the other, so a smaller vocabulary is a prefix of a larger.
    prefix_closed: ClassVar[bool] = True

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
        module, marks = kernels(KERNELS), self.marks
        if module is not None:
            words = CountedWords.of(words)
        letters = _letters(words)
        alphabet = self.alphabet.within(size, letters, marks)
        spelling = SymbolNumbers.of(alphabet, letters, marks)
        how = spelling, marks, self.ties, self.min_pair_count, size
        if self.merge != "indexed":
            learned = textbook.learn(words, *how, kind=self.merge)
        elif module is not None:
            learned = compiled_merges(module, words, *how)
        else:
            learned = indexed.learn(words, *how)
        return Vocabulary.build(alphabet, learned, marks=marks, segmenter={"use": "bpe"})

    def trace(self, words: Mapping[str, int], size: Size) -> Iterator[Step]:
        """Replay the merges with all pairs counted before and all words after each of them.

        Symbols hold their marks as noncharacters; `Marks.show` spells them.
        """
        kind = "list" if self.merge == "indexed" else self.merge
        return textbook.trace(words, self.learn(words, size), kind)


def _letters(words: Mapping[str, int]) -> Mapping[str, EdgeNumbers]:
    """Count the letters of words by their place."""
    module = kernels(KERNELS)
    return letter_counts(words) if module is None else compiled_letters(module, words)


def compiled_letters(module: ModuleType, words: Mapping[str, int]) -> Mapping[str, EdgeNumbers]:
    """Count the letters of words by their place; OverflowError where these counts sum to 2^63."""
    columns = CountedWords.of(words)
    numbers = array("q", module.letter_counts(columns.utf8, columns.ends, columns.counts))
    rows = zip(*(numbers[i::5] for i in range(5)), strict=True)
    return {chr(letter): (inside, *edges) for letter, inside, *edges in rows}


def compiled_merges(
    module: ModuleType,
    words: Mapping[str, int],
    spelling: SymbolNumbers,
    marks: Marks,
    ties: Ties,
    minimum: int,
    size: Size,
) -> tuple[Learned, ...]:
    """Learn merges by the kernel; OverflowError where the counts of all letters sum to 2^63."""
    columns, letters = CountedWords.of(words), array("i")
    for letter, places in spelling.letters.items():
        letters.extend((ord(letter), *places))
    merges = array(
        "q",
        module.learn(
            columns.utf8,
            columns.ends,
            columns.counts,
            letters,
            spelling.begin,
            spelling.end,
            _encoded(spelling.alphabet),
            _encoded(map(marks.show, spelling.alphabet)),
            *_encoded([marks.continuation.text]),
            ties,
            min(minimum, LARGEST),
            max(0, min(beside(spelling.alphabet, size), LARGEST)),
        ),
    )
    names = ["", *spelling.alphabet]
    learned = []
    for left, right, count in zip(merges[::3], merges[1::3], merges[2::3], strict=True):
        parts = names[left], names[right]
        names.append(parts[0] + parts[1].removeprefix(CONTINUATION))
        learned.append(Learned(parts, count))
    return tuple(learned)


def _encoded(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(text.encode("utf-8", "surrogatepass") for text in texts)
