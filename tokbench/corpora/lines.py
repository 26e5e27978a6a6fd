"""Lines of text with their places, and issues met in them."""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from tokbench.api import BOW, CONTINUATION, EOW, byte_length
from tokbench.corpora.wrong_files import how_to_convert
from tokbench.errors import EncodingError, InputError

Errors = Literal["strict", "replace", "skip-line"]
DONE = {"strict": "", "replace": "the bytes became U+FFFD", "skip-line": "skipped"}

LONGEST_DOCUMENT = 10_000_000
"""The bytes of text that a tokenizer is given at once, where lines are joined."""

_MARK = re.compile(f"[{BOW}{EOW}{CONTINUATION}]")
_MARKS = [mark.encode() for mark in (BOW, EOW, CONTINUATION)]
_BEGIN_OF_MARKS = _MARKS[0][:2]


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


@dataclass
class IssueCounter:
    """How often one kind of issue was met in a corpus, and the place of the first."""

    count: int = 0
    first: str = ""

    def add(self, place: str) -> None:
        """Count one more."""
        self.count += 1
        self.first = self.first or place

    def warnings(self, what: str, done: str) -> list[str]:
        """Return a warning: what was met, how often, and what was done. None met, no warning."""
        if not self.count:
            return []
        return [f"{what}: {self.count:,} (first: {self.first}); {done}"]


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
    first: int = 1,
    offset: int = 0,
    keep_ends: bool = False,
) -> Iterator[tuple[int, str]]:
    r"""Decode lines of one file; yield the number and the text of each.

    The first line has the number `first` and begins at this offset of the file.
    A byte order mark is dropped where the file begins, and `\n` or `\r\n` where a line ends, unless
    ends are kept. Raises InputError for invalid UTF-8 (unless `errors` allows it; then `invalid`
    counts it), and for a noncharacter that tokbench keeps for itself.
    """
    for number, raw in enumerate(raws, start=first):
        body = raw if offset else raw.removeprefix(codecs.BOM_UTF8)
        offset += len(raw)
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            if errors == "strict":
                position = offset - len(body) + error.start
                raise EncodingError(
                    f"{path}:{number}: not valid UTF-8: found byte 0x{body[error.start]:02x} at "
                    f"byte offset {position} of the file; save it as UTF-8{_conversion(body)}"
                ) from None
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


def _conversion(line: bytes) -> str:
    """Name the command that makes UTF-8 of a line, if it may be Korean in CP949."""
    try:
        line.decode("cp949")
    except UnicodeDecodeError:
        return ""
    if b"\0" in line:
        return ""
    return f" (if it is Korean in CP949, {how_to_convert('CP949')} does so)"


def join_document(lines: Iterable[Line]) -> Iterator[Line]:
    """Return lines, which have kept their ends, as one; none if there are none.

    Raises InputError where it is longer than LONGEST_DOCUMENT.
    """
    first: Line | None = None
    texts: list[str] = []
    size = 0
    for line in lines:
        first = first or line
        texts.append(line.text)
        size += byte_length(line.text)
        if size > LONGEST_DOCUMENT:
            raise InputError(
                f"{first.place}: a document of more than {LONGEST_DOCUMENT:,} bytes: joined lines "
                "are cut all at once; leave them apart, or cut it into smaller documents"
            )
    if first is not None:
        yield first._replace(text="".join(texts))


def without_end(line: str) -> str:
    r"""Return a line without `\n`, and without one `\r` before it."""
    return line.removesuffix("\n").removesuffix("\r")
