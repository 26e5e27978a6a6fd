"""Text files read chunk by chunk, with what is invalid in them noted or refused."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Literal

from tokbench.corpora.chunks import Chunk, Lines
from tokbench.corpora.files import combined_digest, raw_chunks
from tokbench.corpora.noted import Noted
from tokbench.corpora.scan import newline_count, plain_check
from tokbench.corpora.text import Errors, Line, MarkError, decoded
from tokbench.errors import InputError

Documents = Literal["file", "blocks"]


@dataclass
class TextReader:
    """Reads the lines of one or several files, in order, leaving out blank ones.

    Each iteration, by lines or by chunks, reads the files anew; after its end `digest` holds, and
    so do the number of `lines` and the `warnings` of all chunks whose lines were asked for.
    """

    paths: Sequence[Path]
    errors: Errors = "strict"
    documents: Documents = "file"
    digest: str = field(default="", init=False)
    lines: int = field(default=0, init=False)
    _invalid: Noted = field(default_factory=Noted, init=False)
    _document: int = field(default=-1, init=False)
    _fresh: bool = field(default=True, init=False)
    _noted: bool = field(default=False, init=False)
    _refused: MarkError | None = field(default=None, init=False)

    def __iter__(self) -> Iterator[Line]:
        """Give each line that isn't blank."""
        for chunk in self.chunks():
            for lines in self.lines_of(chunk):
                yield from lines

    def chunks(self, breaks: bytes = b"") -> Iterator[Chunk]:
        """Give all lines of the files in chunks; very long ones in parts that end with `breaks`.

        If invalid lines are to be skipped, every line is whole: its end decides on its beginning.
        """
        self._invalid, self.lines, self._document, self._refused = Noted(), 0, -1, None
        digests = []
        newlines = newline_count()
        for path in self.paths:
            hasher = hashlib.sha256()
            self._fresh = True
            number, offset = 1, 0
            for raw, begins, ends in raw_chunks(
                path, b"" if self.errors == "skip-line" else breaks
            ):
                hasher.update(raw)
                self._noted = self._noted and not begins
                yield Chunk(path, number, offset, raw, begins, ends)
                if ends and self._refused:
                    raise self._refused
                number += newlines(raw)
                offset += len(raw)
            digests.append(hasher.hexdigest())
        self.digest = digests[0] if len(digests) == 1 else combined_digest(digests)

    def lines_of(self, chunk: Chunk) -> Iterator[Lines]:
        """Give all lines of a chunk that aren't blank, if any; or the part of a line, even blank.

        Where there is an error, the lines before it come first, since they may hold one too.
        """
        # So only a line end of its own is dropped: a \r that ends a part stands inside the line.
        whole = chunk if chunk.ends else chunk._replace(raw=chunk.raw + b"\r\n")
        numbers, texts, error = self._decoded(whole)
        if chunk.begins:
            stripped = [*map(bytes.strip, texts)]
            documents = self._documents_of(stripped)
            self.lines += len(documents)
            numbers, texts = [*compress(numbers, stripped)], [*compress(texts, stripped)]
        else:
            documents = [self._document] * len(texts)
        if texts:
            yield Lines(chunk.path, numbers, documents, texts, chunk.begins, chunk.ends)
        if isinstance(error, MarkError) and not (chunk.begins and chunk.ends):
            # What is said of a line is first of all that it is invalid, wherever it is so.
            self._refused = self._refused or error
        elif error:
            raise error

    def _documents_of(self, stripped: Sequence[bytes]) -> list[int]:
        """Give the document of each line that isn't blank."""
        if self.documents == "file":
            count = sum(map(bool, stripped))
            self._document += self._fresh and count > 0
            self._fresh = self._fresh and not count
            return [self._document] * count
        documents = []
        for text in stripped:
            if text:
                self._document += self._fresh
                self._fresh = False
                documents.append(self._document)
            else:
                self._fresh = True
        return documents

    def _decoded(self, chunk: Chunk) -> tuple[Sequence[int], Sequence[bytes], InputError | None]:
        """Give the numbers of the lines, their UTF-8, and the error that ends them."""
        text = chunk.text
        if not plain_check()(text):
            lines, error = self._treated(chunk)
            return [number for number, _ in lines], [line.encode() for _, line in lines], error
        # The last line may lack its end.
        body = (text.removesuffix(b"\n") + b"\n").replace(b"\r\n", b"\n")
        texts = body.removesuffix(b"\n").split(b"\n")
        return range(chunk.number, chunk.number + len(texts)), texts, None

    def _treated(self, chunk: Chunk) -> tuple[list[tuple[int, str]], InputError | None]:
        path, number, offset, raw, begins, ends = chunk
        # A line is noted once, however many of its parts are invalid.
        noted = Noted() if self._noted else self._invalid
        self._noted = not (begins and ends)
        lines = []
        try:
            for line in decoded(io.BytesIO(raw), path, self.errors, noted, number, offset):
                lines.append(line)
        except InputError as error:
            return lines, error
        return lines, None

    @property
    def invalid_lines(self) -> int:
        """Count the lines that are not valid UTF-8."""
        return self._invalid.count

    @property
    def warnings(self) -> list[str]:
        """Say how many lines were not valid UTF-8, if any."""
        done = "skipped" if self.errors == "skip-line" else "the bytes became U+FFFD"
        return self._invalid.warnings("lines that are not valid UTF-8", done)
