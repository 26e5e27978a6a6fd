"""Morphemes by MeCab with mecab-ko-dic."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from tokbench.api import Splitter
from tokbench_korean.surface import Surface


class MecabKoSplitter(Splitter):
    """The morphemes that MeCab finds with mecab-ko-dic (python-mecab-ko), as slices of the text.

    Its dictionary holds contracted forms (했, 합니다) as units. Results depend on the version of
    `python-mecab-ko-dic`. There are no wheels for Python 3.13 and newer.
    """

    requires: ClassVar[str | None] = "python-mecab-ko"
    requires_version: ClassVar[Mapping[str, str]] = {"python-mecab-ko": "1.3"}

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Return (start, end) of each morpheme."""
        surface = Surface(text)
        return surface.slices(_mecab_morphemes(surface.readable))


@cache
def _mecab() -> Any:
    """Load the dictionary, once a process."""
    from mecab import MeCab

    return MeCab()


def _mecab_morphemes(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each morpheme in code points."""
    end = 0
    for morpheme in _mecab().morphs(text):
        # The library's own offsets leave out white space at the beginning of the text.
        start = text.index(morpheme, end)
        end = start + len(morpheme)
        yield start, end
