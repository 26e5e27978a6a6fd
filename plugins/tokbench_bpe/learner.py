"""The learner `bpe`: its options, and which engine serves them."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from tokbench.api import (
    BeginMark,
    ContinuationMark,
    EndMark,
    Learned,
    Learner,
    Marks,
    Size,
    SizeError,
    Step,
    Vocabulary,
)
from tokbench_bpe import indexed, textbook
from tokbench_bpe.alphabet import Alphabet
from tokbench_bpe.corpus import Corpus
from tokbench_bpe.listmerge import SymbolLists
from tokbench_bpe.regexmerge import RegexTexts
from tokbench_bpe.replacemerge import ReplacedTexts
from tokbench_bpe.ties import Ties


class Bpe(Learner):
    """Byte pair encoding: merge the most frequent pair of neighbouring symbols, again and again.

    Source: Sennrich, Haddow and Birch (2016), Neural Machine Translation of Rare Words with
    Subword Units. The defaults give the merges of subword-nmt with a minimum frequency of 1.
    """

    merge: Literal["indexed", "list", "regex", "replace"] = Field(
        "indexed",
        description="how pairs are merged: `indexed` is fast; `list` and `regex` are textbook"
        " code with the same merges; `replace` is plain string replacement, wrong across symbol"
        " borders",
    )
    eow: EndMark = Field(EndMark(kind="fused"), description="the mark at the end of a word")
    bow: BeginMark = Field(BeginMark(), description="the mark at the begin of a word")
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

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn merges until the size is reached or no pair is frequent enough.

        Raises SizeError where a total size is below the alphabet.
        """
        alphabet = self.alphabet.symbols(words, self.marks)
        if size.total is not None and size.total < len(alphabet):
            raise SizeError(
                f"size {size} is below the alphabet of {len(alphabet)} symbols", len(alphabet)
            )
        merges = self._merges(Corpus.spell(words, self.marks, alphabet))
        tokens = set(alphabet)
        learned: list[Learned] = []
        while not size.reached(len(tokens), len(learned)):
            item = next(merges, None)
            if item is None:
                break
            learned.append(item)
            tokens.add(Marks.join(item.parts))
        return Vocabulary.build(alphabet, learned, marks=self.marks, segmenter={"use": "bpe"})

    def trace(self, words: Mapping[str, int], size: Size) -> Iterator[Step]:
        """Replay the merges with all pairs counted before and all words after each of them.

        Symbols hold their marks as noncharacters; `Marks.show` spells them.
        """
        vocabulary = self.learn(words, size)
        corpus = Corpus.spell(words, self.marks, vocabulary.alphabet)
        return textbook.replay(self._textbook(corpus), corpus, vocabulary.learned)

    def _merges(self, corpus: Corpus) -> Iterator[Learned]:
        if self.merge == "indexed":
            return indexed.merges(corpus, self.ties, self.marks, self.min_pair_count)
        words = self._textbook(corpus)
        return textbook.merges(words, corpus, self.ties, self.marks, self.min_pair_count)

    def _textbook(self, corpus: Corpus) -> textbook.Words:
        """Give the words as the merge variant keeps them; `indexed` merges as `list` does."""
        if self.merge == "regex":
            return RegexTexts(corpus.words)
        if self.merge == "replace":
            return ReplacedTexts(corpus.words)
        return SymbolLists(corpus.words)
