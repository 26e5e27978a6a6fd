"""Read text files chunk by chunk; count what is invalid in them, or refuse it."""

import hashlib
import io
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Literal

from tokbench.corpora.files import BLANK, MAX_COMPRESSION, combined_digest, raw_chunks, too_long
from tokbench.corpora.lines import (
    DONE,
    Chunk,
    Errors,
    IssueCounter,
    Line,
    LineBatch,
    MarkError,
    decode_lines,
    refuse_counts,
)
from tokbench.corpora.scan import newline_count, plain_check
from tokbench.errors import InputError

Documents = Literal["file", "blocks"]


@dataclass
class TextReader:
    """Reads the lines of one or several files, in order, leaving out blank ones.

    Each iteration, by lines or by chunks, reads the files again. At its end, `digest` is that of
    the files. `lines` and `invalid` then count those of the chunks whose lines were asked for.
    Only where `counts` are to be read, a file of them is not refused.
    """

    paths: Sequence[Path]
    errors: Errors = "strict"
    documents: Documents = "file"
    max_compression: int = MAX_COMPRESSION
    counts: bool = False
    raw_chunks: Callable[..., Iterator[tuple[bytes, bool, bool]]] = raw_chunks
    digest: str = field(default="", init=False)
    lines: int = field(default=0, init=False)
    invalid: IssueCounter = field(default_factory=IssueCounter, init=False)
    _document: int = field(default=-1, init=False)
    _begins_document: bool = field(default=True, init=False)
    _line_counted: bool = field(default=False, init=False)
    _refused: MarkError | None = field(default=None, init=False)

    def __iter__(self) -> Iterator[Line]:
        """Iterate over the lines that aren't blank."""
        for chunk in self.chunks():
            for lines in self.lines_of(chunk):
                yield from lines

    def chunks(self, breaks: bytes = b"") -> Iterator[Chunk]:
        """Read all lines of the files in chunks; very long ones in parts that end with `breaks`.

        If invalid lines are to be skipped, no line comes in parts: an error at the end of a line
        means that its beginning is skipped too. Raises InputError for a line that is too long and
        can't be parted, or begins with so much white space.
        """
        self.invalid, self.lines, self._document, self._refused = IssueCounter(), 0, -1, None
        digests = []
        newlines = newline_count()
        breaks = b"" if self.errors == "skip-line" else breaks
        for path in self.paths:
            hasher = hashlib.sha256()
            self._begins_document = True
            number, offset = 1, 0
            for raw, begins, ends in self.raw_chunks(path, breaks, self.max_compression):
                if begins and not ends and not (breaks and raw.strip(BLANK)):
                    raise too_long(f"{path}:{number}")
                if not (offset or self.counts):
                    refuse_counts(raw, path)
                hasher.update(raw)
                self._line_counted = self._line_counted and not begins
                yield Chunk(path, number, offset, raw, begins, ends)
                if ends and self._refused:
                    raise self._refused
                number += newlines(raw)
                offset += len(raw)
            digests.append(hasher.hexdigest())
        self.digest = digests[0] if len(digests) == 1 else combined_digest(digests)

    def lines_of(self, chunk: Chunk) -> Iterator[LineBatch]:
        """Decode a chunk: its lines that aren't blank, if any, or a part of one line, even blank.

        An error in a line is raised after the lines before it have been yielded, because whoever
        receives them may find an earlier error there.
        """
        # A \r at the end of a part stands inside its line. The line end added here keeps it there.
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
            yield LineBatch(chunk.path, numbers, documents, texts, chunk.begins, chunk.ends)
        if isinstance(error, MarkError) and not (chunk.begins and chunk.ends):
            # Bytes that are not UTF-8 further on in the same line are reported rather than this.
            self._refused = self._refused or error
        elif error:
            raise error

    def _documents_of(self, stripped: Sequence[bytes]) -> Sequence[int]:
        """Return the number of the document of each line that isn't blank."""
        if self.documents == "file":
            count = sum(map(bool, stripped))
            self._document += self._begins_document and count > 0
            self._begins_document = self._begins_document and not count
            return array("i", [self._document]) * count
        documents = []
        for text in stripped:
            if text:
                self._document += self._begins_document
                self._begins_document = False
                documents.append(self._document)
            else:
                self._begins_document = True
        return documents

    def _decoded(self, chunk: Chunk) -> tuple[Sequence[int], Sequence[bytes], InputError | None]:
        """Decode lines: their numbers, their UTF-8, and the error that ends them."""
        path, first, offset, raw, begins, ends = chunk
        text = chunk.text
        if plain_check()(text):
            # The last line may lack its end.
            body = text.removesuffix(b"\n") + b"\n"
            if b"\r" in body:
                body = body.replace(b"\r\n", b"\n")
            texts = body.removesuffix(b"\n").split(b"\n")
            return range(first, first + len(texts)), texts, None
        # A line is counted once, however many of its parts are invalid.
        invalid = IssueCounter() if self._line_counted else self.invalid
        self._line_counted = not (begins and ends)
        numbers, texts = [], []
        try:
            for number, line in decode_lines(
                io.BytesIO(raw), path, self.errors, invalid, first, offset
            ):
                numbers.append(number)
                texts.append(line.encode())
        except InputError as error:
            return numbers, texts, error
        return numbers, texts, None

    @property
    def warnings(self) -> list[str]:
        """Return the warning that lines were not valid UTF-8, if any were not."""
        return self.invalid.warnings("lines that are not valid UTF-8", DONE[self.errors])
