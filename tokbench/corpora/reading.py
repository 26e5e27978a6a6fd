"""One corpus of a config while it is read: its files, its treatment, and what went wrong."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Splitter
from tokbench.corpora.catalogue import entry, find
from tokbench.corpora.download import other_edition
from tokbench.corpora.entries import read_word
from tokbench.corpora.normalise import normaliser
from tokbench.corpora.pieces import Whole
from tokbench.corpora.scan import LONGEST
from tokbench.corpora.source import Remove, Source, Split
from tokbench.corpora.text import Chunk, Line, TextReader
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
    """A corpus that stands in files, about to be read; `where` is its key in the config."""

    def __init__(self, where: str, corpus: CorpusLike) -> None:
        if not isinstance(corpus.source, Source):
            raise UsageError(f"{where}: only a test text can be split from another corpus")
        self.where = where
        self.source = corpus.source
        self.words_by = corpus.splitter_name
        catalog = corpus.source.catalog
        self.paths = (find(catalog),) if catalog else corpus.source.path
        self.reader = TextReader(self.paths, self.source.errors, self.source.documents)
        self.normalise = normaliser(self.source.normalise)
        self.finder = WordFinder(self.normalise, corpus.splitter, corpus.splitter_name)

    @property
    def name(self) -> str:
        """The catalogue's name, or the first file's up to its first dot, with `+n` for n more."""
        if self.source.catalog:
            return self.source.catalog
        file, *more = (path.name for path in self.paths)
        return (file.split(".")[0] or file) + (f"+{len(more)}" if more else "")

    def lines(self, chosen: NDArray[np.bool_] | None = None) -> Iterator[tuple[Line, list[str]]]:
        """Give each line with its words; of `chosen`, only the lines where it is true."""
        for chunk in self.chunks(chosen):
            yield from self.lines_of(chunk, chosen)

    def chunks(self, chosen: NDArray[np.bool_] | None = None) -> Iterator[Chunk]:
        """Give all chunks; if lines are chosen, those of each chunk must be asked for."""
        yield from self.reader.chunks()
        if chosen is not None and self.reader.lines != len(chosen):
            raise self._changed()

    def lines_of(
        self, chunk: Chunk, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[tuple[Line, list[str]]]:
        """Give each line of a chunk with its words; of `chosen`, only where it is true."""
        find = self._entry if self.source.format == "words" else self.finder
        for line in self.reader.lines_of(chunk):
            number = self.reader.lines - 1
            if chosen is not None and number >= len(chosen):
                raise self._changed()
            if chosen is None or chosen[number]:
                yield line, find(line)

    @property
    def whole(self) -> Whole | None:
        """What makes chunks ready to be counted whole; None where `normalise` needs lines."""
        steps = self.source.normalise
        if any(isinstance(step, Remove) for step in steps):
            return None
        return Whole(self.normalise if steps else None)

    def _changed(self) -> InputError:
        return InputError(f"{self.paths[0]}: changed while it was being read; run again")

    def _entry(self, line: Line) -> list[str]:
        word = read_word(line, self.normalise)
        return cut([word] if word else [], line, self.finder.overlong)

    def documents(self) -> NDArray[np.int32]:
        """Give the document of each line."""
        return np.fromiter((line.document for line in self.reader), dtype=np.int32)

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
