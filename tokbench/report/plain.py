"""Make any text safe to show: tokens come from texts that nobody has vetted."""

import unicodedata

_MOVING = {"Cc", "Cs", "Zl", "Zp"}
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_UNSEEN = "\u200b\u2060\ufeff"


def printable(text: str) -> str:
    """Escape what would move a cursor, reorder or hide text; the end of a line stays.

    These are control characters, line and paragraph separators, lone surrogates, bidirectional
    controls, and spaces of no width.
    """
    return "".join(char if _is_safe(char) else _escape(char) for char in text)


def one_line(text: str) -> str:
    """Make a text safe to show where it may not end the line."""
    return printable(text).replace("\n", "\\n")


def _is_safe(char: str) -> bool:
    if char.isprintable() or char == "\n":
        return True
    return char not in _BIDI + _UNSEEN and unicodedata.category(char) not in _MOVING


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
