"""The published patterns that cut text into pre-tokens, also as splitters: into words or pieces.

Source: openai/tiktoken 0.14, tiktoken_ext/openai_public.py. Their matches partition any text,
spaces and line ends included. Which characters are letters, marks or numbers is what the installed
`regex` library knows of Unicode; tiktoken and Hugging Face may know an older version, and cut
characters younger than that otherwise.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Literal

from tokbench.api import Splitter

if TYPE_CHECKING:
    import regex

PatternName = Literal["gpt2", "cl100k", "o200k"]
SplitName = Literal["gpt2", "cl100k", "o200k", "none"]

GPT2 = (
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++"
    r"|\s++$|\s+(?!\S)|\s"
)
"""GPT-2, r50k and p50k: as openai/gpt-2, src/encoder.py, matches (Radford et al. 2019)."""

CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
"""GPT-3.5 and GPT-4."""

_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}"
    rf"|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""GPT-4o."""

NONE = r"(?s:.+)"
"""The whole text is one pre-token."""

_PATTERNS = {"gpt2": GPT2, "cl100k": CL100K, "o200k": O200K, "none": NONE}


@cache
def compiled(split: SplitName) -> "regex.Pattern[str]":
    """Return a pattern ready to be matched; it has no groups."""
    import regex  # whoever does not split this way does not wait for it

    return regex.compile(_PATTERNS[split])


class PatternSplitter(Splitter):
    """Splits at a published pattern; the pieces partition the text, spaces included."""

    pattern: ClassVar[PatternName]

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Return (start, end) of each pre-token."""
        return [match.span() for match in compiled(self.pattern).finditer(text)]


class Gpt2Splitter(PatternSplitter):
    """GPT-2's pre-tokens: letters, digits or symbols, each run with a space before it.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners.
    """

    pattern: ClassVar[PatternName] = "gpt2"


class Cl100kSplitter(PatternSplitter):
    """The pre-tokens of GPT-3.5 and GPT-4: at most three digits, symbols before a word stay on it.

    Source: openai/tiktoken, cl100k_base.
    """

    pattern: ClassVar[PatternName] = "cl100k"


class O200kSplitter(PatternSplitter):
    """The pre-tokens of GPT-4o: also cut where a capital follows a small letter.

    Source: openai/tiktoken, o200k_base.
    """

    pattern: ClassVar[PatternName] = "o200k"
