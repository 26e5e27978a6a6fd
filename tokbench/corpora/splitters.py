"""The built-in splitters, offered through the same hook as everybody else's."""

import re
from collections.abc import Mapping, Sequence

import regex

from tokbench.api import Splitter, hookimpl

# `regex` knows \p{M}: Python's own \w leaves combining marks out, which would cut Hindi, vocalised
# Arabic and decomposed accents apart. The joiners hold Persian and Indic words together; inside an
# emoji sequence the run of symbols has already begun and takes them in.
WORD = regex.compile(r"[\p{L}\p{M}\p{N}_\u200c\u200d]+|[^\p{L}\p{M}\p{N}_\s]+")
ASCII_SPACE = " \t\n\r\f\v"
NO_SPACE = re.compile(f"[^{ASCII_SPACE}]+")


class WordSplitter(Splitter):
    """Runs of letters, marks, digits and underscores; and runs of other characters but space.

    Thai, Chinese and Japanese, which write no spaces, give whole runs instead of words.
    """

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Give (start, end) of each run of either kind."""
        return [match.span() for match in WORD.finditer(text)]


class WhitespaceSplitter(Splitter):
    """What stands between ASCII white space; punctuation stays glued to its word."""

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Give (start, end) of each run without ASCII white space."""
        return [match.span() for match in NO_SPACE.finditer(text)]


@hookimpl
def tokbench_splitters() -> Mapping[str, type[Splitter]]:
    """Offer `words` and `whitespace`."""
    return {"words": WordSplitter, "whitespace": WhitespaceSplitter}
