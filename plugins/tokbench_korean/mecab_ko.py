"""Morphemes by MeCab with mecab-ko-dic."""

from collections.abc import Iterator
from functools import cache

from mecab import MeCab


@cache
def analyser() -> MeCab:
    """Load the dictionary, once a process."""
    return MeCab()


def morphemes(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each morpheme in code points."""
    end = 0
    for surface in analyser().morphs(text):
        # The library's own offsets leave out white space at the text's begin.
        start = text.index(surface, end)
        end = start + len(surface)
        yield start, end
