"""The learner `byte-bpe`: byte pair encoding of UTF-8, over words or over the text as it stands."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator
from tokbench_bpe.learner import KERNELS, Bpe
from tokbench_bpe.textbook import Ties

from tokbench.api import EndMark, Learner, Size, SizeError, Step, Vocabulary
from tokbench.api.text import BYTE_LETTERS, to_bytes_text
from tokbench_bytes.patterns import PieceSplit, pieces_of

Order = Literal["value", "gpt2"]

BYTES = 256


def alphabet(order: Order) -> Sequence[str]:
    """Return every byte as one character, by value or as in GPT-2's `encoder.json`."""
    return list(map(chr, range(BYTES) if order == "value" else BYTE_LETTERS))


class ByteBpe(Learner):
    """Byte-level BPE: all 256 bytes, then the most frequent pair of neighbours, again and again.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners, section
    2.2. No character is unknown. Merges are learned as by `bpe`, without marks.
    """

    kernels: ClassVar[str | None] = KERNELS

    read: Literal["words", "lines"] = Field(
        "words",
        description="learn from scoring `words`, each alone; or from whole `lines`, whose"
        " pre-tokens keep the space before a word, as GPT-2 does",
    )
    split: PieceSplit = Field(
        "gpt2",
        description="the pattern that cuts lines into pre-tokens: `gpt2`, `cl100k`, `o200k`,"
        " `{regex: ...}`, or `none`, so that tokens may span words",
    )
    ties: Ties = Field(
        "greatest",
        description="of equally frequent pairs, merge the `greatest` or `smallest` by their bytes,"
        " or the one that stands `first` in the text",
    )
    byte_order: Order = Field(
        "value", description="ids of the single bytes: by `value`, or as in the files of `gpt2`"
    )
    min_pair_count: int = Field(1, ge=1, description="stop when no pair is as frequent as this")

    @model_validator(mode="after")
    def _split_needs_lines(self) -> "ByteBpe":
        if self.read == "words" and "split" in self.model_fields_set:
            raise ValueError("`split` is for lines: add `read: lines`, or leave it out")
        return self

    @property
    def reads(self) -> Literal["words", "lines"]:
        """The text that it learns from, as the option `read` says."""
        return self.read

    # Merges come one after the other, so a smaller vocabulary is a prefix of a larger.
    prefix_closed: ClassVar[bool] = True

    @property
    def order_free(self) -> bool:
        """Where a word stands in a line matters, and to the tie rule `first` the order of words."""
        return self.read == "words" and self.ties != "first"

    def check_size(self, words: Mapping[str, int], size: Size) -> None:
        """Raise SizeError where a total size is below the alphabet."""
        _merges(size)

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn merges of the bytes of words; raises SizeError where a total is below 256."""
        return self._learn(words, size, {"use": "bpe"})

    def learn_lines(self, lines: Iterable[str], size: Size) -> Vocabulary:
        """Learn merges of the bytes of pre-tokens; raises SizeError where a total is below 256."""
        pieces = pieces_of(self.split)
        counts = Counter(piece for line in lines for piece in pieces(line))
        segmenter = {"use": "byte-bpe", "split": self.model_dump(mode="json")["split"]}
        return self._learn(counts, size, segmenter)

    def trace(self, words: Mapping[str, int], size: Size) -> Iterator[Step]:
        """Replay the merges of words; each byte is one character of the symbols."""
        if self.read == "lines":
            return iter(())
        return self._bpe.trace(_in_bytes(words), _merges(size))

    @property
    def _bpe(self) -> Bpe:
        return Bpe(eow=EndMark(kind="absent"), ties=self.ties, min_pair_count=self.min_pair_count)

    def _learn(
        self, words: Mapping[str, int], size: Size, segmenter: Mapping[str, Any]
    ) -> Vocabulary:
        learned = self._bpe.learn(_in_bytes(words), _merges(size)).learned
        return Vocabulary.build(
            alphabet(self.byte_order), learned, units="bytes", segmenter=segmenter
        )


def _in_bytes(words: Mapping[str, int]) -> Mapping[str, int]:
    return {to_bytes_text(word): count for word, count in words.items()}


def _merges(size: Size) -> Size:
    """Return the number of merges that a size asks for."""
    if size.total is None:
        return size
    if size.total < BYTES:
        raise SizeError(f"size {size} is below the {BYTES} bytes", BYTES)
    return Size(learned=size.total - BYTES)
