"""Which characters make up words: the splitter `words` as a table, for its compiled form."""

from functools import cache

from tokbench.corpora.splitters import LETTER, SYMBOL

PAGE = 256
"""Code points classified together, since the characters of a script stand close together."""

IN_FIRST, IN_SECOND, KNOWN = 1, 2, 4
"""A word is a run of the first class or, where that has none, of the second; see `_count.c`."""


@cache
def page(number: int) -> bytes:
    """Give the classes of the code points of one page, one byte each.

    >>> page(0)[ord("a")] == KNOWN | IN_FIRST, page(0)[ord(" ")] == KNOWN
    (True, True)
    """
    import regex  # whoever cuts at white space only does not wait for it

    characters = "".join(map(chr, range(number * PAGE, (number + 1) * PAGE)))
    found = bytearray([KNOWN] * PAGE)
    for pattern, bit in ((LETTER, IN_FIRST), (SYMBOL, IN_SECOND)):
        for match in regex.finditer(pattern, characters):
            found[match.start()] |= bit
    return bytes(found)
