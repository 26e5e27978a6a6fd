"""One corpus of a config while it is read: its files, its treatment, and what went wrong."""

from array import array
from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Splitter
from tokbench.corpora.catalogue import entry, find
from tokbench.corpora.chunks import Chunk, Lines
from tokbench.corpora.download import other_edition
from tokbench.corpora.entries import read_word
from tokbench.corpora.normalise import joint_normaliser, normaliser
from tokbench.corpora.pieces import Joined
from tokbench.corpora.reader import TextReader
from tokbench.corpora.scan import LONGEST
from tokbench.corpora.source import Source, Split
from tokbench.corpora.splitters import built_in
from tokbench.corpora.text import Line
from tokbench.corpora.words import WordFinder, cut
from tokbench.errors import InputError, UsageError


class CorpusLike(Protocol):
    """A corpus as a config gives it: what to read, and the splitter that finds its words."""

    @property
    def source(self) -> Source | Split:
        """Where it is and how it is treated."""

    @property
    def splitter_name(self) -> str:
        """The splitter as signatures spell it."""

    @property
    def splitter(self) -> Splitter:
        """The splitter, built."""


class Reading:
    """A corpus that stands in files, about to be read; `where` is its key in the config.

    Of its lines, only the `chosen` ones are given, if any are: those for which it is true.
    """

    def __init__(
        self, where: str, corpus: CorpusLike, chosen: NDArray[np.bool_] | None = None
    ) -> None:
        if not isinstance(corpus.source, Source):
            raise UsageError(f"{where}: only a test text can be split from another corpus")
        self.where = where
        self.chosen = chosen
        self.source = corpus.source
        self.words_by = corpus.splitter_name
        catalog = corpus.source.catalog
        self.paths = (find(catalog),) if catalog else corpus.source.path
        self.reader = TextReader(self.paths, self.source.errors, self.source.documents)
        self.normalise = normaliser(self.source.normalise)
        joint = joint_normaliser(self.source.normalise)
        together = joint and built_in(corpus.splitter) and self.source.format == "text"
        self.joined = Joined(joint if self.source.normalise else None) if together else None
        self.finder = WordFinder(self.normalise, corpus.splitter, corpus.splitter_name)

    @property
    def name(self) -> str:
        """The catalogue's name, or the first file's up to its first dot, with `+n` for n more."""
        if self.source.catalog:
            return self.source.catalog
        file, *more = (path.name for path in self.paths)
        return (file.split(".")[0] or file) + (f"+{len(more)}" if more else "")

    @property
    def every(self) -> bool:
        """Whether all lines are given."""
        return self.chosen is None

    def lines(self) -> Iterator[Lines]:
        """Give all lines, chunk by chunk."""
        for chunk in self.chunks():
            yield from self.lines_of(chunk)

    def chunks(self) -> Iterator[Chunk]:
        """Give all chunks; if lines are chosen, those of each chunk must be asked for."""
        yield from self.reader.chunks(self.joined.breaks if self.joined else b"")
        if self.chosen is not None and self.reader.lines != len(self.chosen):
            raise self._changed()

    def lines_of(self, chunk: Chunk) -> Iterator[Lines]:
        """Give the lines of a chunk."""
        for lines in self.reader.lines_of(chunk):
            kept = lines if self.chosen is None else self._kept(lines, self.chosen)
            if kept:
                yield kept

    def _kept(self, lines: Lines, chosen: NDArray[np.bool_]) -> Lines:
        end = self.reader.lines
        if end > len(chosen):
            raise self._changed()
        return lines.where(chosen[end - len(lines) : end].tolist())

    def words_of(self, lines: Lines) -> Iterable[list[str]]:
        """Give the words of each line."""
        if self.source.format == "words":
            return map(self._entry, lines)
        return self.finder.of_lines(lines, self.joined)

    def text_of(self, line: Line) -> str:
        """Give a line's text as `normalise` leaves it; of a file of words, the word."""
        if self.source.format == "words":
            return read_word(line, self.normalise)
        return self.normalise(line.text)

    def _changed(self) -> InputError:
        return InputError(f"{self.paths[0]}: changed while it was being read; run again")

    def _entry(self, line: Line) -> list[str]:
        word = read_word(line, self.normalise)
        return cut([word] if word else [], line, self.finder.overlong)

    def documents(self) -> NDArray[np.int32]:
        """Give the document of each line."""
        found = array("i")
        for lines in self.lines():
            if lines.begins:
                found.extend(lines.documents)
        return np.array(found, dtype=np.int32)

    @property
    def cut_warnings(self) -> list[str]:
        """Say how many words were cut in the last reading, if any."""
        what = f"words over {LONGEST:,} characters"
        return self._said(self.finder.overlong.warnings(what, "cut into pieces"))

    @property
    def warnings(self) -> list[str]:
        """Say all that the last reading met."""
        found = self.reader.warnings
        catalog = self.source.catalog
        if catalog and self.reader.digest != entry(catalog).sha256:
            found.append(other_edition(catalog, self.paths[0]))
        return self._said(found) + self.cut_warnings

    def _said(self, warnings: list[str]) -> list[str]:
        return [f"{self.where}: {warning}" for warning in warnings]

    def no_words(self) -> InputError:
        """Say that the corpus, once read, turned out to hold no words."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return InputError(f"{self.paths[0]}{more}: found no words: {self._why_none()}")

    def _why_none(self) -> str:
        lines, invalid = self.reader.lines, self.reader.invalid_lines
        if lines:
            return f"none are left of its {lines:,} lines; does `normalise` remove too much?"
        if invalid:
            return f"all {invalid:,} lines are not valid UTF-8 and were skipped"
        return "it is empty or holds only white space"
