"""What is written for others: views of a run, and files of vocabularies."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from tokbench.api.component import Component
from tokbench.api.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tokbench.run_folder import Run


class View(Component):
    """Shows a run to people. Define `text`.

    It is a function of the run alone, the same at the end of the run and from its folder, and
    computes no metric. `tokbench show RUN NAME` prints it.
    """

    formats: ClassVar[tuple[str, ...]] = ("md",)
    """What `text` can write: `md`, `html`, `table` (aligned columns), `csv`, `json`."""

    file_name: ClassVar[str] = ""
    """The file in each run folder that holds it, in the format in which its name ends: `report.md`.

    A view without has none. It may be md, html or json.
    """

    @abstractmethod
    def text(self, run: "Run", form: str) -> str:
        """Return the run as one of the `formats` shows it."""


Splits = Sequence[tuple[Sequence[str], int]]


@dataclass(frozen=True)
class ExportInput:
    """The input of an export besides the vocabulary.

    `splits` are the words of a text as the vocabulary's segmenter cuts them, with their counts;
    None without a text. `patterns` are the regular expressions of splitters, by name. With `force`
    a format writes what loses text when it is decoded, and notes it; else it refuses that.
    """

    splits: Splits | None = None
    patterns: Mapping[str, str] = field(default_factory=dict)
    force: bool = False


@dataclass(frozen=True)
class Exported:
    """The text of each file by its name, and notes for the people who use them."""

    files: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceFile:
    """A file to import: its name in messages, and its content."""

    where: str
    data: bytes


@dataclass(frozen=True)
class Imported:
    """A vocabulary, and notes on the parts of its file that it does not hold."""

    vocabulary: Vocabulary
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recognised:
    """The kind of a file in words, and what to do with it.

    `formats` are the formats that may read the file, the best one first. `hint` says what to do
    if that is not to import the file as the first of them. `readers` are the learners that read
    the file as it is, as a config names them: `{use: hf, kind: gpt2, vocab: ...}`.
    """

    what: str
    formats: tuple[str, ...] = ()
    hint: str = ""
    readers: tuple[str, ...] = ()

    @property
    def advice(self) -> str:
        """The hint, or else how the file is imported; empty where nothing imports it."""
        if self.hint or not self.formats:
            return self.hint
        return f"import it --from {self.formats[0]}"


class VocabularyFormat(Component):
    """Writes vocabularies as another program reads them, and reads its files."""

    folder_names: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """The names of the files in a folder, for a format of several: a tuple for each convention."""

    uses_text: ClassVar[bool] = False
    """Whether `write` uses the words of a text, if people name one."""

    @abstractmethod
    def write(self, vocabulary: Vocabulary, given: ExportInput) -> Exported:
        """Write a vocabulary; raise InputError for what the format cannot express."""

    @abstractmethod
    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read the files of one vocabulary; raise InputError, naming file and line, if damaged."""

    def recognise(self, data: bytes) -> Recognised | None:
        """Return the kind of a file of this format, and None for any other file.

        A file that only another format recognises is refused before it is read.
        """
        return None

    @property
    def file_count(self) -> int:
        """The number of files that one vocabulary is written to."""
        return len(self.folder_names[0]) if self.folder_names else 1
