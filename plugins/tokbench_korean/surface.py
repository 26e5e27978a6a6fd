"""From what an analyser reads back to slices of the text as it is written."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import accumulate, pairwise

import regex

# MeCab ends a text at NUL and refuses lone surrogates; Kiwi reads them, but cannot show them.
UNREADABLE = re.compile("[\0\ud800-\udfff]")
NO_SPACE = re.compile(r"\S+")


class Surface:
    """A text, and how the analysers read it: in composed characters, which they know alone.

    So a word is cut at the same places however its syllables are encoded, and never inside a
    user-perceived character.

    >>> word = Surface("\u1112\u1162\u11bb\u1103\u1161")  # 했다 in five letters
    >>> word.readable, word.slices([(0, 1), (0, 1), (1, 2)])
    ('했다', [(0, 3), (3, 5)])
    """

    def __init__(self, text: str) -> None:
        self._text = text
        clusters = regex.findall(r"\X", text)
        read = [UNREADABLE.sub("\ufffd", unicodedata.normalize("NFC", c)) for c in clusters]
        self.readable = "".join(read)
        # Where each cluster begins: as it is read, and as it is written.
        self._written = dict(zip(_begins(read), _begins(clusters), strict=True))

    def slices(self, morphemes: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return (start, end) of the text's pieces without white space, from morphemes as read.

        A piece begins where a morpheme does, unless that is inside another one.
        """
        begins: set[int] = set()
        inside: set[int] = set()
        for start, end in morphemes:
            begins.add(start)
            inside.update(range(start + 1, end))
        edges = {self._written[at] for at in begins - inside if at in self._written}
        for run in NO_SPACE.finditer(self._text):
            edges.update(run.span())
        return [(a, b) for a, b in pairwise(sorted(edges)) if not self._text[a].isspace()]


def _begins(parts: Iterable[str]) -> list[int]:
    return list(accumulate(map(len, parts), initial=0))
