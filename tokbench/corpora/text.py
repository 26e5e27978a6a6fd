"""Text files as decoded lines, each with its place and its document."""

import codecs
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from tokbench.api import BOW, CONTINUATION, EOW
from tokbench.corpora.files import combined_digest, raw_chunks
from tokbench.corpora.noted import Noted
from tokbench.corpora.scan import newline_count, plain_check
from tokbench.corpora.splitters import ASCII_SPACE
from tokbench.errors import InputError

Errors = Literal["strict", "replace", "skip-line"]
Documents = Literal["file", "blocks"]

_MARK = re.compile(f"[{BOW}{EOW}{CONTINUATION}]")


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


class Chunk(NamedTuple):
    """Whole lines of one file as bytes: the number of the first one, and where it begins."""

    path: Path
    number: int
    offset: int
    raw: bytes

    @property
    def text(self) -> bytes:
        """The bytes without the byte order mark that a file may begin with."""
        return self.raw if self.offset else self.raw.removeprefix(codecs.BOM_UTF8)


def decoded(
    raws: Iterable[bytes],
    path: Path,
    errors: Errors,
    invalid: Noted,
    first: int = 1,
    offset: int = 0,
) -> Iterator[tuple[int, str]]:
    r"""Give the number and text of each line of one file's bytes.

    The first line has the number `first` and begins at this offset of the file.
    A byte order mark is dropped where the file begins, and one `\r` where a line ends. Raises
    InputError for invalid UTF-8 (unless `errors` allows it; then `invalid` counts it) and for a
    noncharacter that tokbench keeps for itself.
    """
    for number, raw in enumerate(raws, start=first):
        body = raw if offset else raw.removeprefix(codecs.BOM_UTF8)
        offset += len(raw)
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            if errors == "strict":
                position = offset - len(body) + error.start
                raise _not_utf8(path, number, position, body[error.start]) from None
            invalid.add(f"{path.name}:{number}")
            if errors == "skip-line":
                continue
            text = body.decode(errors="replace")
        if found := _MARK.search(text):
            raise _kept(path, number, found[0])
        yield number, text.removesuffix("\n").removesuffix("\r")


def _not_utf8(path: Path, number: int, position: int, byte: int) -> InputError:
    return InputError(
        f"{path}:{number}: not valid UTF-8: found byte 0x{byte:02x} at byte offset {position} of "
        "the file; save it as UTF-8, or set `errors: replace` or `errors: skip-line`"
    )


def _kept(path: Path, number: int, mark: str) -> InputError:
    return InputError(
        f"{path}:{number}: found the noncharacter U+{ord(mark):04X}, which tokbench uses inside "
        "tokens to mark the edges of words; remove it from the text"
    )


def is_blank(text: str) -> bool:
    """Tell whether a line holds nothing but ASCII white space."""
    return not text.strip(ASCII_SPACE)


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

    def __iter__(self) -> Iterator[Line]:
        """Give each line that isn't blank."""
        for chunk in self.chunks():
            yield from self.lines_of(chunk)

    def chunks(self) -> Iterator[Chunk]:
        """Give all lines of the files in chunks."""
        self._invalid, self.lines, self._document = Noted(), 0, -1
        digests = []
        newlines = newline_count()
        for path in self.paths:
            hasher = hashlib.sha256()
            self._fresh = True
            number, offset = 1, 0
            for raw in raw_chunks(path):
                hasher.update(raw)
                yield Chunk(path, number, offset, raw)
                number += newlines(raw)
                offset += len(raw)
            digests.append(hasher.hexdigest())
        self.digest = digests[0] if len(digests) == 1 else combined_digest(digests)

    def lines_of(self, chunk: Chunk) -> Iterator[Line]:
        """Give each line of a chunk that isn't blank."""
        path = chunk.path
        for number, text in self._decoded(chunk):
            if is_blank(text):
                self._fresh |= self.documents == "blocks"
                continue
            self._document += self._fresh
            self._fresh = False
            self.lines += 1
            yield Line(path, number, self._document, text)

    def _decoded(self, chunk: Chunk) -> Iterable[tuple[int, str]]:
        """Give the number and text of each line, all decoded together where all are in order."""
        path, number, offset, raw = chunk
        if not plain_check()(raw):
            return decoded(io.BytesIO(raw), path, self.errors, self._invalid, number, offset)
        lines = chunk.text.decode().removesuffix("\n").split("\n")
        return enumerate((line.removesuffix("\r") for line in lines), start=number)

    @property
    def invalid_lines(self) -> int:
        """Count the lines that are not valid UTF-8."""
        return self._invalid.count

    @property
    def warnings(self) -> list[str]:
        """Say how many lines were not valid UTF-8, if any."""
        done = "skipped" if self.errors == "skip-line" else "the bytes became U+FFFD"
        return self._invalid.warnings("lines that are not valid UTF-8", done)
