"""The input and output of exports and imports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tokbench.api import Vocabulary

HfSplit = Literal["words", "whitespace", "gpt2", "none"]
Splits = Sequence[tuple[Sequence[str], int]]


@dataclass(frozen=True)
class ExportInput:
    """What an export needs besides the vocabulary.

    `splits` are the words of a text as the vocabulary's segmenter cuts them, with their counts;
    None without a text. `split` says how an exported tokenizer finds words (None: as suits the
    vocabulary), `patterns` by which regular expression, for those that have one.
    """

    splits: Splits | None = None
    split: HfSplit | None = None
    patterns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SourceFile:
    """A file to import: its name in messages, and its content."""

    where: str
    data: bytes


@dataclass(frozen=True)
class Exported:
    """The text of each file by its name, and notes for the people who use them."""

    files: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imported:
    """A vocabulary, and notes on the parts of its file that it does not hold."""

    vocabulary: Vocabulary
    notes: tuple[str, ...] = ()
