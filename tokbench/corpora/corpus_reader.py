"""Read one corpus of a config: its files, its treatment, and the issues met in it."""

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokbench.corpora.catalogue import catalogue_entry, find_corpus, other_edition
from tokbench.corpora.entries import read_word
from tokbench.corpora.lines import Chunk, Line, LineBatch
from tokbench.corpora.normalise import joint_normaliser, normaliser
from tokbench.corpora.scan import LONGEST
from tokbench.corpora.source import DescribedCorpus, Source
from tokbench.corpora.splitters import built_in
from tokbench.corpora.text_reader import TextReader
from tokbench.corpora.words import LineJoiner, WordFinder, cut_overlong
from tokbench.errors import InputError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


KEPT = 1 << 25
"""Up to this many bytes of memory `documents` keeps all lines, so that their text is read once."""
_LINE = 100
"""Bytes that a kept line needs besides its text, about: a bytes object, an int, list cells."""


class CorpusReader:
    """Reads the files of a corpus as its config says; `where` is its key in the config.

    If `chosen` is given, only those lines are read for which it is true. `first` has read the
    documents of the same files before: what it found and what it `kept` is not read again. `files`
    reads lines, `finder` finds words, and `joiner`, where there is one, prepares many lines at
    once.
    """

    def __init__(
        self,
        where: str,
        corpus: DescribedCorpus,
        chosen: "NDArray[np.bool_] | None" = None,
        first: "CorpusReader | None" = None,
    ) -> None:
        if not isinstance(corpus.source, Source):
            raise UsageError(f"{where}: only a test text can be split from another corpus")
        self._arguments = where, corpus, chosen, first
        self.where = where
        self.chosen = chosen
        self.source = corpus.source
        self.words_by = corpus.splitter_name
        self.gold = corpus.gold
        catalog = corpus.source.catalog
        self.kept: list[LineBatch] = first.kept if first else []
        self.paths: tuple[Path, ...] = corpus.source.path
        if first:
            self.paths = first.paths
        elif catalog:  # reading it gives the digest, which `warnings` compares
            self.paths = (find_corpus(catalog, verified=False),)
        read = self.source
        treatment = read.errors, read.documents, read.max_compression, read.format == "counts"
        self.files = TextReader(self.paths, *treatment)
        if first and first.kept:
            self.files = first.files
        self.normalise = normaliser(self.source.normalise)
        joint = joint_normaliser(self.source.normalise)
        joinable = joint and built_in(corpus.splitter) and self.source.format == "text"
        self.joiner = LineJoiner(joint if self.source.normalise else None) if joinable else None
        self.finder = WordFinder(self.normalise, corpus.splitter, corpus.splitter_name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made of: another process reads the files itself."""
        return CorpusReader, self._arguments

    @property
    def name(self) -> str:
        """The catalogue's name, or the first file's up to its first dot, with `+n` for n more."""
        if self.source.catalog:
            return self.source.catalog
        file, *more = (path.name for path in self.paths)
        return (file.split(".")[0] or file) + (f"+{len(more)}" if more else "")

    @property
    def joins_lines(self) -> bool:
        """Whether tokenizers cut whole documents."""
        return self.source.lines == "joined"

    def lines(self) -> Iterator[LineBatch]:
        """Read all lines, or the chosen ones, chunk by chunk."""
        end = 0
        for lines in self.kept or chain.from_iterable(map(self.files.lines_of, self.chunks())):
            end += len(lines) if lines.begins else 0
            if self.chosen is None:
                yield lines
            elif end > len(self.chosen):
                raise self._changed()
            elif kept := lines.where(self.chosen[end - len(lines) : end].tolist()):
                yield kept
        if self.chosen is not None and end != len(self.chosen):
            raise self._changed()

    def chunks(self) -> Iterator[Chunk]:
        """Read all chunks."""
        return self.files.chunks(self.joiner.breaks if self.joiner else b"")

    def words_of(self, lines: LineBatch) -> Iterable[list[str]]:
        """Find the words of each line."""
        if self.source.format == "words":
            return map(self._entry, lines)
        return self.finder.of_lines(lines, self.joiner)

    def text_of(self, line: Line) -> str:
        """Return a line's text as `normalise` leaves it; of a file of words, the word."""
        if self.source.format == "words":
            return read_word(line, self.normalise)
        return self.normalise(line.text)

    def check_is_file(self, what: str) -> None:
        """Raise InputError for a pipe, which can be read only once; `what` names it."""
        for path in self.paths:
            # The pipe of a shell is not there for another process.
            if (path.exists() or path.is_relative_to("/dev/fd")) and not path.is_file():
                reason = f"{what} may be read again, so it must be a file, not a pipe"
                raise InputError(f"{path}: {reason}")

    def check_unchanged(self, digest: str) -> None:
        """Raise InputError if the files, which have been read, had another digest before."""
        if self.files.digest != digest:
            raise self._changed()

    def _changed(self) -> InputError:
        return InputError(f"{self.paths[0]}: changed while it was being read; run again")

    def _entry(self, line: Line) -> list[str]:
        word = read_word(line, self.normalise)
        return cut_overlong([word] if word else [], line, self.finder.overlong)

    def documents(self) -> "NDArray[np.int32]":
        """Read the number of the document of each line; keep the lines if `KEPT` bytes hold all."""
        import numpy as np

        found, kept, size = array("i"), list[LineBatch](), 0
        for lines in self.lines():
            if lines.begins:
                found.extend(lines.documents)
            size += sum(map(len, lines.texts)) + _LINE * len(lines)
            kept.append(lines)
            if size > KEPT:
                kept.clear()
        self.kept = kept
        return np.array(found, dtype=np.int32)

    @property
    def cut_warnings(self) -> list[str]:
        """Return the warning that words were cut in the last reading, if any were."""
        what = f"words over {LONGEST:,} characters"
        return self._with_name(self.finder.overlong.warnings(what, "cut into pieces"))

    @property
    def warnings(self) -> list[str]:
        """Return the warnings of the last reading."""
        found = self.files.warnings
        catalog = self.source.catalog
        if catalog and self.files.digest != catalogue_entry(catalog).sha256:
            found.append(other_edition(catalog, self.paths[0]))
        return self._with_name(found) + self.cut_warnings

    def _with_name(self, warnings: list[str]) -> list[str]:
        return [f"{self.where}: {warning}" for warning in warnings]

    def no_words(self) -> InputError:
        """Build the error that the corpus, which has been read, holds no words."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        lines, invalid = self.files.lines, self.files.invalid.count
        why = "it is empty or holds only white space"
        if lines:
            why = f"none are left of its {lines:,} lines; does `normalise` remove too much?"
        elif invalid:
            why = f"all {invalid:,} lines are not valid UTF-8 and were skipped"
        return InputError(f"{self.paths[0]}{more}: found no words: {why}")
