"""The learner `wordpiece`: its options, and the vocabulary that its merges build."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import ClassVar

from pydantic import Field
from tokbench_bpe import textbook
from tokbench_bpe.alphabet import Alphabet, SymbolNumbers, beside, letter_counts
from tokbench_bpe.textbook import Ties

from tokbench.api import (
    BeginMark,
    ContinuationMark,
    EndMark,
    Learner,
    Marks,
    Size,
    Step,
    Vocabulary,
)
from tokbench_wordpiece.merges import merges, scores


class WordPiece(Learner):
    """WordPiece: merge the pair with the highest count in relation to the counts of its two parts.

    The score of a pair is count(pair) / (count(left) * count(right)). Source: Schuster and
    Nakajima (2012), Japanese and Korean Voice Search, section 3.1, who add the unit that raises
    the likelihood of the training text most. Google's program was never published, so the score is
    the one in the Hugging Face course (chapter 6.6). WordPieceTrainer of the library `tokenizers`
    does not use this score: it merges the most frequent pair, so it is BPE with `##`.
    """

    eow: EndMark = Field(EndMark(), description="the mark at the end of a word")
    bow: BeginMark = Field(BeginMark(), description="the mark at the beginning of a word")
    continuation: ContinuationMark = Field(
        ContinuationMark(kind="fused"), description="the mark of what does not begin a word"
    )
    ties: Ties = Field(
        "greatest",
        description="of pairs with equal scores, merge the `greatest` or `smallest` by code points"
        " as spelled, or the one that stands `first` in the text",
    )
    alphabet: Alphabet = Field(Alphabet(), description="the symbols known before any merge")
    min_pair_count: int = Field(1, ge=1, description="never merge a pair less frequent than this")
    unknown: str | None = Field(
        None,
        min_length=2,
        description="a token, as `[UNK]`, that stands for what is unknown; no merge may spell it",
    )

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
        self.alphabet.within(size, letter_counts(words), self.marks)

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn merges until the size is reached or no pair is frequent enough.

        Raises SizeError where a total size is below the alphabet.
        """
        marks, letters = self.marks, letter_counts(words)
        alphabet = self.alphabet.within(size, letters, marks)
        spelling = SymbolNumbers.of(alphabet, letters, marks)
        merged = merges(words, spelling, marks, self.ties, self.min_pair_count, self.unknown)
        learned = islice(merged, beside(alphabet, size))
        vocabulary = Vocabulary.build(
            alphabet, learned, marks=marks, segmenter={"use": "wordpiece"}
        )
        if self.unknown is None:
            return vocabulary
        return replace(vocabulary, tokens=(self.unknown, *vocabulary.tokens), unknown=0)

    def trace(self, words: Mapping[str, int], size: Size) -> Iterator[Step]:
        """Replay the merges with the scores of all pairs before and all words after each of them.

        Symbols hold their marks as noncharacters; `Marks.show` spells them.
        """
        return textbook.trace(words, self.learn(words, size), candidates=scores)
