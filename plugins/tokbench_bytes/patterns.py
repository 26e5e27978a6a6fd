"""The patterns that cut text into pre-tokens, published and own ones, also as splitters.

Source: openai/tiktoken 0.14, tiktoken_ext/openai_public.py. Their matches partition any text,
spaces and line ends included. Which characters are letters, marks or numbers is what the installed
`regex` library knows of Unicode; tiktoken and Hugging Face may know an older version, and cut
characters younger than that otherwise.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from tokbench.api import Options, Splitter

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


def _readable(pattern: str) -> str:
    import regex

    try:
        expression = regex.compile(pattern)
        expression.search("a 1")  # one that calls itself without end takes all memory
    except (regex.error, MemoryError) as error:
        why = str(error) or "it calls itself without end"
        raise ValueError(f"the pattern cannot be read: {why}") from error
    if expression.flags & regex.REVERSE:
        raise ValueError("the pattern is read backwards by its `(?r)`: leave that out")
    return pattern


Regex = Annotated[str, Field(min_length=1), AfterValidator(_readable)]


class OwnPattern(Options):
    """A pattern of one's own: each match is a pre-token, and so is what stands between two."""

    regex: Regex = Field(description="the pattern, in the syntax of the library `regex`")


PieceSplit = SplitName | OwnPattern


def pieces_of(split: PieceSplit) -> Callable[[str], list[str]]:
    """Return what cuts a text into pre-tokens, which join to the text."""
    if not isinstance(split, OwnPattern):
        return compiled(split).findall
    pattern = split.regex
    return lambda text: [text[begin:end] for begin, end, _ in _spans(pattern, text)]


def _spans(pattern: str, text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield begin and end of each match and of what stands between, and whether it is a match."""
    import regex

    end = 0
    for match in regex.finditer(pattern, text):
        if end < match.start():
            yield end, match.start(), False
        if match.start() < match.end():
            yield match.start(), match.end(), True
        end = match.end()
    if end < len(text):
        yield end, len(text), False


class RegexSplitter(Splitter):
    """Each match of a pattern of one's own, and what stands between, split at white space.

    So `[0-9]` makes a word of each digit, and `(?<=[a-z])(?=[A-Z])` splits at small letters before
    capitals.
    """

    pattern: Regex = Field(description="the pattern, in the syntax of the library `regex`")

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Return (start, end) of each word."""
        words: list[tuple[int, int]] = []
        for begin, end, is_match in _spans(self.pattern, text):
            between = re.finditer(r"\S+", text[begin:end])
            spans = [match.span() for match in between]
            if is_match and spans:  # a match of white space alone is no word
                spans = [(0, end - begin)]
            words += ((begin + start, begin + stop) for start, stop in spans)
        return words


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
