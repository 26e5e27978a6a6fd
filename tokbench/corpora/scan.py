"""Search UTF-8 text for what must be known before counting, compiled or in plain Python."""

import re
from collections.abc import Callable

from tokbench.api import BOW, CONTINUATION, EOW, kernels
from tokbench.corpora.splitters import ASCII_SPACE, KERNELS

LONGEST = 10_000
"""Code points of the longest word; learners that are quadratic in it would never end."""

_MARKS = tuple(mark.encode() for mark in (BOW, EOW, CONTINUATION))
_SPACES = [space.encode() for space in ASCII_SPACE]
_SPACE = re.compile(f"[{ASCII_SPACE}]".encode())


def newline_count() -> Callable[[bytes], int]:
    """Return the function that counts the line ends of a text."""
    compiled = kernels(KERNELS)
    return (lambda text: text.count(b"\n")) if compiled is None else compiled.newlines


def plain_check() -> Callable[[bytes], bool]:
    """Return the function that checks whether a text is valid UTF-8 without marks of word edges."""
    compiled = kernels(KERNELS)
    return _is_plain if compiled is None else compiled.is_plain


def _is_plain(text: bytes) -> bool:
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return not any(mark in text for mark in _MARKS)


def may_hold_overlong(text: bytes) -> bool:
    """Return whether over 10,000 characters stand together without ASCII white space."""
    at = 0
    while len(text) - at > LONGEST:
        window = at + LONGEST + 1
        # Looking backwards from where a word would be too long skips nearly all of the text.
        space = text.rfind(b"\n", at, window)
        if space < 0:
            space = max(text.rfind(other, at, window) for other in _SPACES)
        if space < 0:
            found = _SPACE.search(text, window)
            space = found.start() if found else len(text)
            # No character has over 4 bytes, so what is much too long needs no copy to tell.
            if space - at > 4 * LONGEST or len(text[at:space].decode()) > LONGEST:
                return True
        at = space + 1
    return False
