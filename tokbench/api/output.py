"""Views of a run, what plugins add to them, and the file formats of vocabularies."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from tokbench.api.component import Component
from tokbench.api.vocabulary import Vocabulary


class View(Component):
    """Shows a run to people. Define `text`. `tokbench show RUN NAME` prints it.

    It depends on the run alone, whether that has just ended or was read from its folder, and it
    computes no metric.
    """

    formats: ClassVar[tuple[str, ...]] = ("md",)
    """The formats of `text`: some of `md`, `html`, `table` (aligned columns), `csv` and `json`."""

    file_name: ClassVar[str] = ""
    """The file for it in each run folder, such as `cost.md`; no file if this is empty.

    It is in `data/`, but `report.html`, `report.md` and `answer.json` are on top. The name ends in
    the format: md, html or json.
    """

    @abstractmethod
    def text(self, run: Any, form: str) -> str:
        """Return the run in one of the `formats`. `run` is a `tokbench.Run`."""


@dataclass(frozen=True)
class Fact:
    """One sentence or two of the answer; `file` has its numbers, `section` of the report more.

    `topic` names it in `answer.json`. `part` is where it stands: in the recommendation, or among
    the facts below it. Of facts that do not fit the terminal, those of the highest `rank` are left
    out; those of rank 0 never. `values` holds the numbers with all their digits. Shares are of 1.
    """

    topic: str
    text: str
    corpus: str = ""
    file: str = ""
    section: str = ""
    values: Mapping[str, str | float | None] = field(default_factory=dict)
    part: Literal["recommendation", "facts"] = "facts"
    rank: int = 0


@dataclass(frozen=True)
class Additions:
    """All that plugins add to the views of a run: facts, and sections by their titles.

    Sections of the report are Markdown, those of the page HTML.
    """

    facts: tuple[Fact, ...] = ()
    report: Mapping[str, str] = field(default_factory=dict)
    page: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ExportInput:
    """The input of an export besides the vocabulary.

    `splits` are the words of a text as the vocabulary's segmenter cuts them, with their counts;
    None without a text. `patterns` are the regular expressions of splitters, by name. A format
    refuses to write a vocabulary that would lose text when it is decoded. With `force`, it writes
    the vocabulary and adds a note.
    """

    splits: Sequence[tuple[Sequence[str], int]] | None = None
    patterns: Mapping[str, str] = field(default_factory=dict)
    force: bool = False


@dataclass(frozen=True)
class Exported:
    """The text of each file by its name, and notes for those who use the files."""

    files: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceFile:
    """A file to import: its name in messages, and its content."""

    where: str
    data: bytes


@dataclass(frozen=True)
class Imported:
    """A vocabulary, and notes on the parts of its file that were left out."""

    vocabulary: Vocabulary
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recognised:
    """The kind of a file in words (`what`), and what to do with it.

    `formats` are those that may read the file, the best one first. `hint` says what to do instead
    of importing the file in the first of them. `readers` are the learners that read the file as it
    is, as a config names them: `{use: hf, kind: gpt2, vocab: ...}`.
    """

    what: str
    formats: tuple[str, ...] = ()
    hint: str = ""
    readers: tuple[str, ...] = ()

    @property
    def advice(self) -> str:
        """The hint, or else how to import the file; empty if no format reads it."""
        if self.hint or not self.formats:
            return self.hint
        return f"import it --from {self.formats[0]}"


class VocabularyFormat(Component):
    """Writes vocabularies as files of another program, and reads these files."""

    folder_names: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """The file names of a format of several files: one tuple for each convention of naming."""

    uses_text: ClassVar[bool] = False
    """Whether `write` uses the words of a text, if a user names one."""

    @abstractmethod
    def write(self, vocabulary: Vocabulary, inputs: ExportInput) -> Exported:
        """Write a vocabulary; raise InputError for anything that the format cannot express."""

    @abstractmethod
    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read the files of one vocabulary; raise InputError with file and line if damaged."""

    def recognise(self, data: bytes) -> Recognised | None:
        """Return the kind of a file of this format, or None for any other file.

        A file that only another format recognises is refused before it is read.
        """
        return None

    @property
    def file_count(self) -> int:
        """The number of files that one vocabulary is written to."""
        return len(self.folder_names[0]) if self.folder_names else 1
