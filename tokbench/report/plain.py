"""Make any text safe to show: tokens come from texts that nobody has vetted."""

import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_SHOWN = "\n\u200c\u200d"


def printable(text: str) -> str:
    """Escape what would move a cursor, reorder or vanish: control, bidi, unassigned, surrogates.

    The joiners of emoji and Indic scripts stay, and so does the end of a line.
    """
    return "".join(
        char
        if char.isprintable() or char in _SHOWN or unicodedata.category(char) not in _HIDDEN
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
