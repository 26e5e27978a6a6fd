"""Read one corpus of a config: its files, its lines and their words, and the issues met in it."""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import chain, compress, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tokbench.corpora.catalogue import catalogue_entry, find_corpus, other_edition
from tokbench.corpora.entries import read_word
from tokbench.corpora.files import (
    DONE,
    Chunk,
    IssueCounter,
    Line,
    combined_digest,
    on_read,
    text_chunks,
)
from tokbench.corpora.normalise import normaliser
from tokbench.corpora.opening import files_of, kind_of, open_text
from tokbench.corpora.records import WAYS, RecordFile, looks_like_other
from tokbench.corpora.source import DescribedCorpus, Source
from tokbench.corpora.splitters import ASCII_SPACE, EntrySplitter, built_in
from tokbench.corpora.words import LONGEST, WordFinder
from tokbench.errors import InputError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ReadFile(NamedTuple):
    """A file of a corpus, and the SHA-256 of its text."""

    path: Path
    sha256: str


class CorpusReader:
    """Reads the files of a corpus as its config says; `where` is its key in the config.

    If `chosen` is given, only those lines are read for which it is true, and `chosen_by` says how
    they were chosen; blank lines have no place in it. `of_entries` tells that each line is an entry
    of its own, as in lists. Each reading reads the files anew. At its end `digest` is that of the
    files, which must stay the same in the next readings, `files` are those that `path` names, with
    the digest of each, `columns` the columns of tables that no key names, and `warnings` are its
    warnings. Iterating over the reader gives the normalised text of each line. If a text
    `is_countable`, a built-in splitter finds the words, in many lines at once as in each alone.
    """

    def __init__(
        self,
        where: str,
        corpus: DescribedCorpus,
        chosen: "NDArray[np.bool_] | None" = None,
        chosen_by: str = "",
        digest: str = "",
        of_entries: bool = False,
    ) -> None:
        if not isinstance(corpus.source, Source):
            raise UsageError(f"{where}: only a test text can be split from another corpus")
        self.corpus = corpus
        self.where = where
        self.chosen = chosen
        self.chosen_by = chosen_by
        self.digest = digest
        self.files: tuple[ReadFile, ...] = ()
        self.of_entries = of_entries
        self.source = corpus.source
        self.words_by = corpus.splitter_name
        self.gold = corpus.gold
        self.paths = tuple(file for path in corpus.source.path for file in files_of(path))
        if corpus.source.catalog:
            self.paths = (find_corpus(corpus.source.catalog),)
        self._is_text = self.source.format == "text" and not of_entries
        self.normalise = normaliser(self.source.normalise)
        are_words = self.source.format == "words"
        splitter = EntrySplitter() if are_words else corpus.splitter
        self.finder = WordFinder(splitter, corpus.splitter_name)
        self.is_countable = built_in(corpus.splitter) and self.source.format == "text"
        self._begin()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made of: another process reads the files itself."""
        made_of = self.where, self.corpus, self.chosen, self.chosen_by, self.digest
        return CorpusReader, (*made_of, self.of_entries)

    def _begin(self) -> None:
        self.other_versions: list[str] = []
        self._looks: list[str] = []
        self.columns: dict[Path, str] = {}
        self.invalid = IssueCounter()
        self.finder.overlong = IssueCounter()
        self._document = -1
        self._lines_read = 0

    @property
    def name(self) -> str:
        """The catalogue's name, or the first file's up to its first dot, with `+n` for n more."""
        if self.source.catalog:
            return self.source.catalog
        file, *more = (path.name for path in self.paths)
        return (file.split(".")[0] or file) + (f"+{len(more)}" if more else "")

    @property
    def digest_of_lines(self) -> str:
        """The digest of the files and, of chosen lines, of how they were chosen."""
        return combined_digest([self.digest, self.chosen_by]) if self.chosen_by else self.digest

    def chunks(self) -> Iterator[Chunk]:
        """Read all files in chunks of whole lines; raises InputError where that fails."""
        self._begin()
        digests = []
        for path in self.paths:
            self._hasher, self._begins_document = hashlib.sha256(), True
            yield from self._chunks_of_file(path)
            digests.append(self._hasher.hexdigest())
        digest = digests[0] if len(digests) == 1 else combined_digest(digests)
        if self.digest not in ("", digest):
            raise InputError(f"{self.paths[0]}: changed while it was being read; run again")
        self.digest = digest
        if self.source.path:
            self.files = (*map(ReadFile, self.paths, digests),)

    def _see(self, raw: bytes) -> None:
        """Take note of bytes of a file, unpacked, which have been read."""
        self._hasher.update(raw)
        on_read.get()(len(raw))

    def _chunks_of_file(self, path: Path) -> Iterator[Chunk]:
        kind, treatment = kind_of(path), (self.source.errors, self.invalid, self._see)
        if not self._is_text:
            is_rows = kind in ("text", "tsv", "conllu" if self.gold else "text")
            if not is_rows:
                what = f"each line of it would be an entry, and a .{kind} file has records"
                raise InputError(f"{path}: {what}: give a file of one entry a line (.txt or .tsv)")
        elif kind != "text":
            how = self.source.field, *treatment, self.columns
            yield from RecordFile(path, kind, *how).chunks()
            return
        elif self.source.field:
            what = "only records and tables (.jsonl, .json, .csv, .tsv, .parquet) have fields"
            raise InputError(f"{path}: a text has no field {self.source.field!r}: {what}")
        with open_text(path) as stream:
            chunks = text_chunks(stream, path, *treatment, self.source.format == "counts")
            for number, chunk in enumerate(chunks):
                looks = "" if number else looks_like_other(chunk.text, path.name)
                if self._is_text and looks:
                    self._looks.append(f"{path.name}: {looks}")
                yield chunk

    def lines_of(self, chunk: Chunk, whole: bool = False) -> list[Line]:
        """Divide the next chunk into its lines that aren't blank, or the chosen ones of them.

        Where documents are read `whole`, blank lines stay, except between blocks, and so do the
        ends of lines.
        """
        lines, by_blocks = list[Line](), self.source.documents == "blocks"
        path, document, is_new = chunk.path, self._document, self._begins_document
        begins_document = chain(chunk.begins, repeat(False))
        for (number, text), begins in zip(chunk.lines(whole), begins_document, strict=False):
            is_new = is_new or begins
            if (by_blocks or not whole) and not text.strip(ASCII_SPACE):
                is_new = is_new or by_blocks
                continue
            document, is_new = document + is_new, False
            lines.append(Line(path, number, document, text))
        self._document, self._begins_document = document, is_new
        lines_before = self._lines_read
        self._lines_read += len(lines)
        if self.chosen is None:
            return lines
        return [*compress(lines, self.chosen.data[lines_before : self._lines_read])]

    def lines(self, whole: bool = False) -> Iterator[Line]:
        """Read all lines that aren't blank, or the chosen ones; or documents `whole`."""
        return (line for chunk in self.chunks() for line in self.lines_of(chunk, whole))

    def lines_with_words(self) -> Iterator[tuple[Line, list[str]]]:
        """Read the same lines, each with its words."""
        for chunk in self.chunks():
            lines = self.lines_of(chunk)
            yield from zip(lines, self.words_of(lines), strict=True)

    def __iter__(self) -> Iterator[str]:
        """Read the text of each line as `normalise` leaves it.

        Raises UsageError for word counts, and InputError for what cannot be read again.
        """
        self.check_readable_again()
        return map(self.text_of, self.lines())

    def words_of(self, lines: Iterable[Line]) -> Iterator[list[str]]:
        """Find the words of each line."""
        return (self.finder(line._replace(text=self.text_of(line))) for line in lines)

    def text_of(self, line: Line) -> str:
        """Return a line's text as `normalise` leaves it; of a file of words, the word."""
        try:
            if self.source.format == "words":
                return read_word(line.text, self.normalise)
            return self.normalise(line.text)
        except InputError as error:
            raise line.placed(error) from None

    def check_readable_again(self) -> None:
        """Raise UsageError for word counts, which have no lines, and InputError for a pipe."""
        if self.source.format == "counts":
            raise UsageError(f"{self.where}: word counts have no lines, which are asked for")
        for path in self.paths:
            # The pipe of a shell is not there for another process.
            if (path.exists() or path.is_relative_to("/dev/fd")) and not path.is_file():
                reason = "its lines may be read again, so it must be a file, not a pipe"
                raise InputError(f"{path}: {reason}")

    @property
    def cut_warnings(self) -> list[str]:
        """Return the warning that words were cut in the last reading, if any were."""
        what = f"{self.where}: words over {LONGEST:,} characters"
        return self.finder.overlong.warnings(what, "cut into pieces")

    @property
    def warnings(self) -> list[str]:
        """Return the warnings of the last reading."""
        what = f"{self.where}: lines that are not valid UTF-8"
        warnings = self.invalid.warnings(what, DONE[self.source.errors])
        catalog = self.source.catalog
        if catalog and self.digest != catalogue_entry(catalog).sha256:
            warnings.append(f"{self.where}: {other_edition(catalog, self.paths[0])}")
        warnings += [
            f"{header}, and this is {self.words_by}: count again" for header in self.other_versions
        ]
        warnings += [f"{self.where}: {looks}" for looks in (*self.corpus.looks, *self._looks)]
        for name in dict.fromkeys(self.columns.values()):
            only = f"the column {name!r} was read, the only one of texts"
            warnings.append(f"{self.where}: {only}; to choose, {WAYS}")
        return warnings + self.cut_warnings

    def no_words(self) -> InputError:
        """Build the error that the corpus, which has been read, holds no words."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        why = "it is empty, or `normalise`, `format`, `errors` or the splitter leave none"
        return InputError(f"{self.paths[0]}{more}: found no words: {why}")
