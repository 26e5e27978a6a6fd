"""Lines of text, decoded, each with its place and its document."""

import codecs
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from tokbench.api import BOW, CONTINUATION, EOW
from tokbench.corpora.noted import Noted
from tokbench.errors import InputError

Errors = Literal["strict", "replace", "skip-line"]

_MARK = re.compile(f"[{BOW}{EOW}{CONTINUATION}]")


class MarkError(InputError):
    """A text holds a noncharacter that tokbench keeps for itself."""


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
    InputError for invalid UTF-8 (unless `errors` allows it; then `invalid` counts it), and
    MarkError for a noncharacter that tokbench keeps for itself.
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


def _kept(path: Path, number: int, mark: str) -> MarkError:
    return MarkError(
        f"{path}:{number}: found the noncharacter U+{ord(mark):04X}, which tokbench uses inside "
        "tokens to mark the edges of words; remove it from the text"
    )
