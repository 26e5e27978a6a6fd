"""The built-in splitters, offered through the same hook as everybody else's."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from tokbench.api import Splitter, hookimpl

if TYPE_CHECKING:
    import regex

# `regex` knows \p{M}: Python's own \w leaves combining marks out, which would cut Hindi, vocalised
# Arabic and decomposed accents apart. The joiners hold Persian and Indic words together; inside an
# emoji sequence the run of symbols has already begun and takes them in.
LETTER = r"[\p{L}\p{M}\p{N}_\u200c\u200d]"
SYMBOL = r"[^\p{L}\p{M}\p{N}_\s]"
WORDS = f"{LETTER}+|{SYMBOL}+"
KERNELS = "tokbench.corpora._count"
ASCII_SPACE = " \t\n\r\f\v"
NO_SPACE = re.compile(f"[^{ASCII_SPACE}]+")
PATTERNS = {"words": WORDS, "whitespace": NO_SPACE.pattern}
"""The patterns as `regex` knows them, and so does the library of Hugging Face."""

CLASSES_A_PAGE = 256
"""Code points classified together, since the characters of a script stand close together."""

IN_FIRST, IN_SECOND, KNOWN = 1, 2, 4
"""A word is a run of the first class or, where that has none, of the second; see `_count.c`."""


@cache
def word_pattern() -> "regex.Pattern[str]":
    """Compile the pattern of a word: a run of letters, or of symbols. A joiner is of both kinds."""
    import regex  # whoever cuts at white space only does not wait for it

    return regex.compile(WORDS)


class WordSplitter(Splitter):
    """Runs of letters, marks, digits and underscores; and runs of other characters except space.

    Thai, Chinese and Japanese put no spaces between words, so their words are whole runs.
    """

    kernels: ClassVar[str | None] = KERNELS

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Find (start, end) of each run of either kind."""
        return [match.span() for match in word_pattern().finditer(text)]


class WhitespaceSplitter(Splitter):
    """Text between ASCII white space; punctuation stays attached to its word."""

    kernels: ClassVar[str | None] = KERNELS

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Find (start, end) of each run without ASCII white space."""
        return [match.span() for match in NO_SPACE.finditer(text)]


def pattern_of(splitter: Splitter) -> "regex.Pattern[str] | re.Pattern[str] | None":
    """Return the pattern whose matches are a built-in splitter's words; None for other splitters.

    A subclass may do anything, so only the classes themselves are known.
    """
    if type(splitter) is WhitespaceSplitter:
        return NO_SPACE
    return word_pattern() if type(splitter) is WordSplitter else None


def built_in(splitter: Splitter) -> bool:
    """Return whether a splitter's words can be counted without asking it for each line."""
    return pattern_of(splitter) is not None


@cache
def character_classes(page: int) -> bytes:
    """Classify the code points of one page for the compiled form of `words`, one byte each.

    >>> classes = character_classes(0)
    >>> classes[ord("a")] == KNOWN | IN_FIRST, classes[ord(" ")] == KNOWN
    (True, True)
    """
    import regex  # whoever cuts at white space only does not wait for it

    characters = "".join(map(chr, range(page * CLASSES_A_PAGE, (page + 1) * CLASSES_A_PAGE)))
    classes = bytearray([KNOWN] * CLASSES_A_PAGE)
    for pattern, bit in ((LETTER, IN_FIRST), (SYMBOL, IN_SECOND)):
        for match in regex.finditer(pattern, characters):
            classes[match.start()] |= bit
    return bytes(classes)


@hookimpl
def tokbench_splitters() -> Mapping[str, type[Splitter]]:
    """Offer `words` and `whitespace`."""
    return {"words": WordSplitter, "whitespace": WhitespaceSplitter}
