"""What text files are read in: chunks of bytes, and the lines of a chunk."""

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import NamedTuple

from tokbench.corpora.text import Line


class Chunk(NamedTuple):
    """Whole lines of one file as bytes, or a part of one long line.

    It has the number of its first line, its offset in the file, and whether its line, if it is a
    part, begins and ends here.
    """

    path: Path
    number: int
    offset: int
    raw: bytes
    begins: bool = True
    ends: bool = True

    @property
    def text(self) -> bytes:
        """The bytes without the byte order mark that a file may begin with."""
        return self.raw if self.offset else self.raw.removeprefix(codecs.BOM_UTF8)


@dataclass(frozen=True)
class Lines:
    """The lines of a chunk that aren't blank, in UTF-8, or a part of one long line."""

    path: Path
    numbers: Sequence[int]
    documents: Sequence[int]
    texts: Sequence[bytes]
    begins: bool
    ends: bool

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[Line]:
        for number, document, text in zip(self.numbers, self.documents, self.texts, strict=True):
            yield Line(self.path, number, document, text.decode())

    @property
    def joined(self) -> bytes:
        """All of them, with line ends between them."""
        return b"\n".join(self.texts)

    def where(self, chosen: Sequence[bool]) -> "Lines":
        """Give the lines for which it is true."""
        return replace(
            self,
            numbers=[*compress(self.numbers, chosen)],
            documents=[*compress(self.documents, chosen)],
            texts=[*compress(self.texts, chosen)],
        )
