"""The built-in splitters, offered through the same hook as everybody else's."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from tokbench.api import Splitter, hookimpl

if TYPE_CHECKING:
    import regex

KERNELS = "tokbench.corpora._count"
ASCII_SPACE = " \t\n\r\f\v"
NO_SPACE = re.compile(f"[^{ASCII_SPACE}]+")

_LETTER = r"\p{L}\p{N}_\p{Prepended_Concatenation_Mark}"
# Rule WB4 of UAX #29: marks and format characters belong to what they follow. U+200B separates
# words, in Khmer for example.
_JOINED = r"(?:(?![\u200b\p{Prepended_Concatenation_Mark}])[\p{M}\p{Cf}])"
_SYMBOL = rf"(?![\p{{M}}\p{{Cf}}])[^\s{_LETTER}]"

# As characters, since not every library knows the escape of large ones.
_SKIN = "\U0001f3fb-\U0001f3ff"
_TAGS = "[\U000e0020-\U000e007f]"
_PICTURE = rf"\p{{Extended_Pictographic}}(?:[{_SKIN}]|\ufe0f|{_TAGS}+)?"
_EMOJI = (
    # A flag; a keycap.
    r"(?:\p{Regional_Indicator}{1,2}|[0-9#*]\ufe0f?\u20e3"
    # Pictographs such as © and ☀ are text unless a selector, a skin tone or a joiner follows.
    rf"|(?=\p{{Emoji_Presentation}}|.[\ufe0f{_SKIN}]|.\u200d\p{{Extended_Pictographic}})"
    rf"(?:{_PICTURE}|[{_SKIN}])(?:\u200d{_PICTURE})*)"
)
"""An emoji sequence as UTS #51 defines it."""

WORDS = (
    rf"{_JOINED}*(?:{_EMOJI}{_JOINED}*"
    rf"|(?:(?![0-9]\ufe0f?\u20e3)[{_LETTER}]{_JOINED}*)+"
    rf"|(?:(?!{_EMOJI}){_SYMBOL}{_JOINED}*)+)"
    rf"|{_JOINED}+"
)
PATTERNS = {"words": WORDS, "whitespace": NO_SPACE.pattern}
"""The patterns as `regex` knows them, and so does the library of Hugging Face."""

_SPECIAL = r"[\p{Emoji_Presentation}\p{Bidi_Control}\xad\u200d\u20e3\ufe0f]"
"""Where one of these stands, words are more than runs of characters of one class."""

IGNORED = "\xad\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""The soft hyphen and the bidi marks: a word with them is the same word."""
_IGNORED = str.maketrans("", "", IGNORED)

_ASCII_WORDS = re.compile(r"\w+|[^\w\s]+", re.ASCII)
"""Finds the same words in half the time where no character is outside ASCII."""

CLASSES_A_PAGE = 256
"""Code points classified together, since the characters of a script stand close together."""

LETTER, SYMBOL, KNOWN, SPECIAL = 1, 2, 4, 8
"""A word is a run of characters that have a class in common; see `_count.c`."""


@cache
def _patterns() -> "tuple[regex.Pattern[str], regex.Pattern[str], regex.Pattern[str]]":
    """Compile the patterns of a word, of a special character, and of a word without one."""
    import regex  # whoever cuts at white space only does not wait for it

    letters = rf"[{_LETTER}](?:[{_LETTER}]|{_JOINED})*"
    symbols = rf"{_SYMBOL}(?:{_SYMBOL}|{_JOINED})*"
    runs = rf"{letters}|{symbols}|{_JOINED}+(?:{letters}|{symbols})?"
    return regex.compile(WORDS), regex.compile(_SPECIAL), regex.compile(runs)


class WordSplitter(Splitter):
    """Emoji; runs of letters, digits and underscores; and runs of other characters except space.

    Marks and format characters belong to what they follow, as in UAX #29. U+200B separates words.
    Soft hyphens and bidi marks make no other word. Thai, Chinese and Japanese put no spaces between
    words, so their words are whole runs.
    """

    kernels: ClassVar[str | None] = KERNELS
    version: ClassVar[int] = 2
    ignored: ClassVar[str] = IGNORED

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Find (start, end) of each word."""
        pattern, may_be_ignored = _pattern_for(text)
        matches = pattern.finditer(text)
        if may_be_ignored:
            matches = (match for match in matches if match[0].translate(_IGNORED))
        return [match.span() for match in matches]

    def words(self, text: str) -> list[str]:
        """Return the words of a text without the characters that make no other word."""
        pattern, may_be_ignored = _pattern_for(text)
        words: list[str] = pattern.findall(text)
        if may_be_ignored:
            words = [visible for word in words if (visible := word.translate(_IGNORED))]
        return words


def _pattern_for(text: str) -> tuple[Any, bool]:
    """Return the fastest pattern of words, and whether it may find ignored characters."""
    if text.isascii():
        return _ASCII_WORDS, False
    words, special, runs = _patterns()
    return (words, True) if special.search(text) else (runs, False)


class WhitespaceSplitter(Splitter):
    """Text between ASCII white space; punctuation stays attached to its word."""

    kernels: ClassVar[str | None] = KERNELS

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Find (start, end) of each run without ASCII white space."""
        return [match.span() for match in NO_SPACE.finditer(text)]

    def words(self, text: str) -> list[str]:
        """Return the words of a text."""
        return NO_SPACE.findall(text)


class EntrySplitter(Splitter):
    """Leaves lines whole, each of which is a word."""

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Return where the line begins and ends."""
        return [(0, len(text))] if text else []


def built_in(splitter: Splitter) -> TypeGuard[WordSplitter | WhitespaceSplitter]:
    """Return whether a splitter's words can be counted without asking it for each line.

    A subclass may do anything, so only the classes themselves are known.
    """
    return type(splitter) in (WordSplitter, WhitespaceSplitter)


@cache
def character_classes(page: int) -> bytes:
    """Classify the code points of one page for the compiled form of `words`, one byte each.

    >>> classes = character_classes(0)
    >>> classes[ord("a")] == KNOWN | LETTER, classes[ord(" ")] == KNOWN
    (True, True)
    """
    import regex  # whoever cuts at white space only does not wait for it

    characters = "".join(map(chr, range(page * CLASSES_A_PAGE, (page + 1) * CLASSES_A_PAGE)))
    classes = bytearray([KNOWN] * CLASSES_A_PAGE)
    for pattern, bits in (
        (f"[{_LETTER}]", LETTER),
        (_SYMBOL, SYMBOL),
        (_JOINED, LETTER | SYMBOL),
        (_SPECIAL, SPECIAL),
    ):
        for match in regex.finditer(pattern, characters):
            classes[match.start()] |= bits
    return bytes(classes)


@hookimpl
def tokbench_splitters() -> Mapping[str, type[Splitter]]:
    """Offer `words` and `whitespace`."""
    return {"words": WordSplitter, "whitespace": WhitespaceSplitter}
