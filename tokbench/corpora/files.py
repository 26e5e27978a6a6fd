"""The lines of corpora: read in chunks, checked and decoded; each fault has one clear error."""

import codecs
import hashlib
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from tokbench.api.text import MARKS, byte_length
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

_MARK = re.compile(f"[{MARKS}]")
_LEAD_OF_MARKS = MARKS[0].encode()[:1]

on_read: ContextVar[Callable[[int], None]] = ContextVar("on_read", default=lambda size: None)
"""A function that is called with the number of bytes that were read."""


@contextmanager
def telling(read: Callable[[int], None]) -> Iterator[None]:
    """Call a function with the bytes of each chunk that is read inside."""
    token = on_read.set(read)
    try:
        yield
    finally:
        on_read.reset(token)


def whole_lines(
    stream: io.BufferedReader,
    where: Path,
    see: Callable[[bytes], object] = len,
    may_be_counts: bool = False,
) -> Iterator[tuple[int, bytes]]:
    """Read a stream in parts of about CHUNK bytes, each of whole lines, which `see` is shown.

    Each comes with the number of its first line. Standard input is read as it comes, since a person
    may write it. Raises InputError for a line of more than LONGEST_LINE bytes, or if the first
    bytes are not those of a text.
    """
    number = 1
    read = stream.read1 if where == STDIN else stream.read
    while raw := read(CHUNK):
        if not raw.endswith(b"\n"):
            raw += stream.readline(LONGEST_LINE + 1)
        see(raw)
        if number == 1:
            check_is_text(raw, where, may_be_counts)
        if len(raw) > LONGEST_LINE:
            last = raw.rfind(b"\n", 0, -1) + 1
            check_length(len(raw) - last, where, number + raw.count(b"\n", 0, last))
        yield number, raw
        number += raw.count(b"\n")


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


class Chunk(NamedTuple):
    """Whole lines of one file in UTF-8, which is valid, without marks of word edges.

    `numbers` holds, at least for each line, its number in the file, or that of its record; of
    records, `begins` says which lines begin a document.
    """

    path: Path
    text: bytes
    numbers: Sequence[int]
    begins: Sequence[bool] = ()

    def lines(self, with_ends: bool = False) -> Iterator[tuple[int, str]]:
        """Return the number and the text of each line, with or without its end."""
        text = self.text.decode()
        if with_ends:  # at \n only, as `newline` says
            return zip(self.numbers, io.StringIO(text, newline="\n"), strict=False)
        lines = without_end(text).replace("\r\n", "\n").split("\n") if text else []
        return zip(self.numbers, lines, strict=False)


def text_chunks(
    stream: io.BufferedReader,
    path: Path,
    errors: Errors,
    invalid: IssueCounter,
    see: Callable[[bytes], object] = len,
    may_be_counts: bool = False,
) -> Iterator[Chunk]:
    """Read a text in chunks, without the byte order mark that it may begin with.

    Raises InputError for what `whole_lines` refuses, for invalid UTF-8 (unless `errors` allows it;
    then `invalid` counts it), and for a noncharacter that tokbench keeps for itself.
    """
    offset = 0
    for number, raw in whole_lines(stream, path, see, may_be_counts):
        text = raw if offset else raw.removeprefix(codecs.BOM_UTF8)
        chunk = Chunk(path, text, range(number, sys.maxsize))
        offset += len(raw)
        # Most chunks have nothing wrong, and are faster to look at as a whole.
        yield chunk if _is_plain(text) else _checked(chunk, offset - len(text), errors, invalid)


def _is_plain(text: bytes) -> bool:
    """Return whether a text is valid UTF-8 without the marks of word edges."""
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    # One byte is found much faster than several.
    return _LEAD_OF_MARKS not in text or not any(mark.encode() in text for mark in MARKS)


def _checked(chunk: Chunk, offset: int, errors: Errors, invalid: IssueCounter) -> Chunk:
    """Return a chunk with the lines that are valid or made so; it begins at this offset."""
    numbers, lines = list[int](), list[str]()
    for number, raw in zip(chunk.numbers, io.BytesIO(chunk.text), strict=False):
        place = f"{chunk.path}:{number}"
        begin, offset = offset, offset + len(raw)
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            if errors == "strict":
                what = not_utf8(raw, error.start, begin + error.start)
                raise EncodingError(f"{place}: {what}") from None
            invalid.add(f"{chunk.path.name}:{number}")
            if errors == "skip-line":
                continue
            text = raw.decode(errors="replace")
        check_marks(text, place)
        numbers.append(number)
        lines.append(text)
    return chunk._replace(text="".join(lines).encode(), numbers=numbers)


def check_marks(text: str, place: str) -> None:
    """Raise InputError for a text that holds a mark of word edges."""
    if mark := _MARK.search(text):
        raise InputError(
            f"{place}: found the noncharacter U+{ord(mark[0]):04X}, which tokbench uses inside "
            "tokens to mark the edges of words; remove it from the text"
        )


def join_document(lines: Iterable[Line]) -> Line:
    """Join the lines of a document, one at least, which have kept their ends, to one line.

    Raises InputError for more than LONGEST_DOCUMENT bytes.
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
    return document[0]._replace(text="".join(line.text for line in document))


def without_end(line: str) -> str:
    r"""Return a line without `\n`, and without one `\r` before it."""
    return line.removesuffix("\n").removesuffix("\r")
