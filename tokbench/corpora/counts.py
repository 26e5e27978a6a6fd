"""Files of word counts: lines of `word<TAB>count`, below a header where `tokbench count` wrote it.

Below a header words stand as they were counted: they are not normalised again, and white space in
them is escaped.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from tokbench.api.component import Options, compact
from tokbench.corpora.lines import Line
from tokbench.corpora.source import Remove, TextForm
from tokbench.corpora.text_reader import TextReader
from tokbench.errors import InputError, UsageError

# A backslash is escaped only where it would begin an escape.
_UNSAFE = re.compile(r"[ \t\n\r\f\v]|\\(?=x)")
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})")


class CountsHeader(Options):
    """How the words of a file of counts were found: the splitter with its options, the steps."""

    format: Literal[1] = 1
    words: str
    normalise: tuple[TextForm | Remove, ...] = ()

    @classmethod
    def of(cls, path: Path, wanted: "CountsHeader | None" = None) -> "CountsHeader | None":
        """Read the header of a file, if it has one, as `read` does."""
        line = next(iter(TextReader([path])), None)
        return line and cls.read(line, wanted)

    @classmethod
    def read(cls, line: Line, wanted: "CountsHeader | None" = None) -> "CountsHeader | None":
        """Read the first line of a file, which may be a header.

        Raises InputError for one of no known form, UsageError if another header is `wanted`.
        """
        mark, _, data = line.text.partition("\t")
        if line.number > 1 or mark != "#tokbench-counts" or not data.startswith("{"):
            return None
        try:
            header = cls.model_validate_json(data)
        except ValidationError:
            expected = f"expected one like {cls(words='words').line!r}: count again"
            raise InputError(f"{line.place}: found the header {line.text!r}, {expected}") from None
        if wanted not in (None, header):
            what = f"its words were found with {header}, expected {wanted}"
            raise UsageError(f"{line.place}: {what}")
        return header

    @property
    def line(self) -> str:
        """The first line of a file."""
        return f"#tokbench-counts\t{json.dumps(self.model_dump(mode='json'))}"

    def lines(self, words: Mapping[str, int]) -> Iterator[bytes]:
        """Return the lines of a file with this header."""
        yield f"{self.line}\n".encode()
        for word, count in words.items():
            safe = _UNSAFE.sub(lambda found: f"\\x{ord(found[0]):02x}", word)
            yield f"{safe}\t{count}\n".encode()

    def __str__(self) -> str:
        steps = compact(self.model_dump(mode="json")["normalise"])
        return f"`words: {self.words}`, `normalise: {steps}`"


def unescaped(word: str) -> str:
    """Return the word that is written so below a header."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), word)
