"""Text as subword-nmt can take it: characters that it misreads change places with others.

It takes whitespace for the border of a word, of a symbol or of a line, and `</w>` in a text for
its own mark. The characters that they change places with are private and hardly ever used; where
a text does use them, they take the other way.
"""

WHITESPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
MARK = "</w>"
_FIRST_PRIVATE = 0x10F000


def _swap(characters: str) -> dict[int, int]:
    private = range(_FIRST_PRIVATE, _FIRST_PRIVATE + len(characters))
    there = dict(zip(map(ord, characters), private, strict=True))
    return there | {target: source for source, target in there.items()}


_SPACES = _swap(WHITESPACE)
_SPACES_AND_MARK = _swap(WHITESPACE + MARK[0])


def hidden(text: str, mark: bool = True) -> str:
    """Swap whitespace and, with `mark`, the first character of `</w>`; twice gives the text."""
    return text.translate(_SPACES_AND_MARK if mark else _SPACES)
