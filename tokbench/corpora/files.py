"""The lines of corpora: read in chunks, checked and decoded; each fault has one clear error."""

import codecs
import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from tokbench.api.files import buffered
from tokbench.api.text import BOW, CONTINUATION, EOW, byte_length
from tokbench.api.wrong_files import HEAD, not_text, not_utf8
from tokbench.errors import EncodingError, InputError, TokbenchError

CHUNK = 1 << 19
"""Bytes read at a time: what fits in the processor's cache is counted fastest."""
STDIN = Path("<stdin>")
"""The path of standard input, as messages show it."""
LONGEST_LINE = 50_000_000
"""The most bytes of a line, which is held whole."""
COUNTS = b"#tokbench-counts\t"
"""How a file of counts begins that `tokbench count` wrote."""

Errors = Literal["strict", "replace", "skip-line"]
DONE = {"strict": "", "replace": "the bytes became U+FFFD", "skip-line": "skipped"}

LONGEST_DOCUMENT = 10_000_000
"""The bytes of text that a tokenizer is given at once, where lines are joined."""

_MARK = re.compile(f"[{BOW}{EOW}{CONTINUATION}]")
_MARKS = [mark.encode() for mark in (BOW, EOW, CONTINUATION)]
_BEGIN_OF_MARKS = _MARKS[0][:2]

_on_read: ContextVar[Callable[[int], None]] = ContextVar("on_read", default=lambda size: None)


@contextmanager
def telling(on_read: Callable[[int], None]) -> Iterator[None]:
    """Call a function with the bytes of each chunk that is read inside."""
    token = _on_read.set(on_read)
    try:
        yield
    finally:
        _on_read.reset(token)


def watched(stream: BinaryIO, see: Callable[[bytes], None]) -> io.BufferedReader:
    """Return a stream whose bytes are seen, and told to `telling`, as they are read."""
    on_read = _on_read.get()

    def pieces() -> Iterator[bytes]:
        while piece := stream.read(CHUNK):
            see(piece)
            on_read(len(piece))
            yield piece

    return buffered(pieces())


def lines_of_stream(stream: BinaryIO, where: Path, may_be_counts: bool = False) -> Iterator[bytes]:
    """Read the lines of a stream.

    Raises InputError for one of more than LONGEST_LINE bytes, or if the first is not of a text.
    """
    for number, raw in enumerate(iter(partial(stream.readline, LONGEST_LINE + 1), b""), start=1):
        check_length(len(raw), where, number)
        if number == 1:
            check_is_text(raw, where, may_be_counts)
        yield raw


def chunks_of_stream(
    stream: io.BufferedReader, where: Path, may_be_counts: bool = False
) -> Iterator["Chunk"]:
    """Read a stream in chunks of about CHUNK bytes, each of whole lines.

    Standard input is read as it comes, since a person may write it. Raises InputError for a line of
    more than LONGEST_LINE bytes, or if the first bytes are not those of a text.
    """
    on_read, number, offset = _on_read.get(), 1, 0
    read = stream.read1 if where == STDIN else stream.read
    while raw := read(CHUNK):
        on_read(len(raw))
        if not offset:
            check_is_text(raw, where, may_be_counts)
        if not raw.endswith(b"\n"):
            raw += stream.readline(LONGEST_LINE + 1)
        if len(raw) > LONGEST_LINE:
            last = raw.rfind(b"\n", 0, -1) + 1
            check_length(len(raw) - last, where, number + raw.count(b"\n", 0, last))
        yield Chunk(where, number, offset, raw)
        number += raw.count(b"\n")
        offset += len(raw)


def check_length(length: int, where: Path, number: int) -> None:
    """Raise InputError for a line of too many bytes."""
    if length > LONGEST_LINE:
        raise InputError(
            f"{where}:{number}: a line of more than {LONGEST_LINE:,} bytes; put line ends into it, "
            "as `fold -s -w 10000 OLD > NEW` does"
        )


def check_is_text(begin: bytes, where: Path, may_be_counts: bool = False) -> None:
    """Raise InputError if a file begins as no text does, or as a file of counts does."""
    if wrong := not_text(begin[:HEAD]):
        raise InputError(f"{where}: {wrong}")
    if not may_be_counts and begin.removeprefix(codecs.BOM_UTF8).startswith(COUNTS):
        right = "expected text: the corpus `train` of a config reads them with `format: counts`"
        raise InputError(f"{where}:1: found the word counts of `tokbench count`, {right}")


def combined_digest(parts: Iterable[str]) -> str:
    """Compute the SHA-256 of several digests or descriptions, in their order (hexadecimal)."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


class Line(NamedTuple):
    """One line without its line end: its file, its number there (from 1) and its document."""

    path: Path
    number: int
    document: int
    text: str

    @property
    def place(self) -> str:
        """File and line, for errors."""
        return f"{self.path}:{self.number}"

    @property
    def short_place(self) -> str:
        """File name and line, for warnings, which must not depend on where a folder lies."""
        return f"{self.path.name}:{self.number}"

    def placed(self, error: TokbenchError) -> TokbenchError:
        """Return an error with the place of this line before its message."""
        return type(error)(f"{self.place}: {error}")


@dataclass
class IssueCounter:
    """Counts one kind of issue in a corpus, and remembers the place of the first."""

    count: int = 0
    first: str = ""

    def add(self, place: str) -> None:
        """Count one more."""
        self.count += 1
        self.first = self.first or place

    def warnings(self, what: str, done: str) -> list[str]:
        """Return a warning of what was met, how often, and what was done; none if nothing was."""
        if not self.count:
            return []
        return [f"{what}: {self.count:,} (first: {self.first}); {done}"]


EncodedLine = tuple[int, int, bytes]
"""The number of a line in its file, the number of its document, and its UTF-8."""


class Chunk(NamedTuple):
    """Whole lines of one file: the number of the first, its offset in bytes, and all bytes.

    Of records, `records` holds the number of each line's record, and `begins` says which lines
    begin a document.
    """

    path: Path
    number: int
    offset: int
    raw: bytes
    records: Sequence[int] = ()
    begins: Sequence[bool] = ()

    @property
    def text(self) -> bytes:
        """The bytes without the byte order mark that a file may begin with."""
        return self.raw if self.offset else self.raw.removeprefix(codecs.BOM_UTF8)

    @property
    def numbers(self) -> Iterable[int]:
        """The number of each line, in the file or of its record."""
        return self.records or count(self.number)

    def decoded(
        self, errors: Errors, invalid: IssueCounter, keep_ends: bool = False
    ) -> Iterator[tuple[int, str]]:
        """Decode all lines, as `decode_lines` does."""
        raws, place = io.BytesIO(self.raw), (self.numbers, self.offset)
        return decode_lines(raws, self.path, errors, invalid, *place, keep_ends=keep_ends)

    def lines(self, rows: Sequence[EncodedLine]) -> list[Line]:
        """Return the lines of some rows."""
        return [Line(self.path, number, document, text.decode()) for number, document, text in rows]


def is_plain(text: bytes) -> bool:
    """Return whether a text is valid UTF-8 without the marks of word edges."""
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return _BEGIN_OF_MARKS not in text or not any(mark in text for mark in _MARKS)


def decode_lines(
    raws: Iterable[bytes],
    path: Path,
    errors: Errors,
    invalid: IssueCounter,
    numbers: Iterable[int] | None = None,
    offset: int = 0,
    keep_ends: bool = False,
) -> Iterator[tuple[int, str]]:
    r"""Decode lines of one file; yield the number and the text of each.

    The lines have these `numbers`, else those from 1; the first begins at this offset of the file.
    A byte order mark is dropped where the file begins, and `\n` or `\r\n` where a line ends, unless
    ends are kept. Raises InputError for invalid UTF-8 (unless `errors` allows it; then `invalid`
    counts it), and for a noncharacter that tokbench keeps for itself.
    """
    for number, raw in zip(numbers or count(1), raws, strict=False):
        body = raw if offset else raw.removeprefix(codecs.BOM_UTF8)
        offset += len(raw)
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            if errors == "strict":
                position = offset - len(body) + error.start
                what = not_utf8(body, error.start, position)
                raise EncodingError(f"{path}:{number}: {what}") from None
            invalid.add(f"{path.name}:{number}")
            if errors == "skip-line":
                continue
            text = body.decode(errors="replace")
        if mark := _MARK.search(text):
            raise InputError(
                f"{path}:{number}: found the noncharacter U+{ord(mark[0]):04X}, which tokbench "
                "uses inside tokens to mark the edges of words; remove it from the text"
            )
        yield number, text if keep_ends else without_end(text)


def join_document(lines: Iterable[Line]) -> Iterator[Line]:
    """Join the lines of a document, which have kept their ends, to one line.

    Yields nothing if there are no lines. Raises InputError for more than LONGEST_DOCUMENT bytes.
    """
    document: list[Line] = []
    size = 0
    for line in lines:
        document.append(line)
        size += byte_length(line.text)
        if size > LONGEST_DOCUMENT:
            raise InputError(
                f"{document[0].place}: a document of more than {LONGEST_DOCUMENT:,} bytes: joined "
                "lines are cut all at once; leave them apart, or cut it into smaller documents"
            )
    if document:
        yield document[0]._replace(text="".join(line.text for line in document))


def without_end(line: str) -> str:
    r"""Return a line without `\n`, and without one `\r` before it."""
    return line.removesuffix("\n").removesuffix("\r")
