"""Training text in pieces for counters: whole chunks where that is safe, else words by line."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tokbench.corpora.scan import may_hold_overlong, plain_check
from tokbench.corpora.text import Chunk, Line

if TYPE_CHECKING:
    from tokbench.corpora.normalise import Normalise

Piece = bytes | list[str]
"""UTF-8 text whose words are still to be found, or words that were found in it."""

LinesOf = Callable[[Chunk], Iterable[tuple[Line, list[str]]]]
"""Gives the lines of a chunk with their words, noting and refusing what the lines hold."""

_VISIBLE = re.compile(rb"[!-~]")


class Whole:
    """Makes chunks ready to be counted whole, wherever that gives what counting by line gives.

    A line end stands in no word, is a starter for Unicode's forms, and neither cased nor ignorable
    for the last sigma of a Greek word: so `normalise`, which must be made of `lowercase` and those
    forms only, does the same to a chunk as to each of its lines.
    """

    def __init__(self, normalise: "Normalise | None") -> None:
        self._normalise = normalise
        self._plain = plain_check()
        self._worded = False

    def __call__(self, chunk: Chunk) -> bytes | None:
        """Give the text to be counted; None where the lines must be looked at one by one.

        That is where they may hold what is noted or refused with its line: invalid UTF-8, a mark,
        a word to be cut; and as long as there may be no words at all, since then the number of
        lines tells why.
        """
        text = chunk.text
        if not (self._worded or _VISIBLE.search(text)) or not self._plain(text):
            return None
        if self._normalise is not None:
            text = self._normalise(text.decode()).encode()
        if may_hold_overlong(text):
            return None
        self._worded = True
        return text


def pieces(
    chunks: Iterable[Chunk],
    whole: Whole | None,
    lines_of: LinesOf,
    watchers: Sequence[Callable[[bytes], None]] = (),
) -> Iterator[Piece]:
    """Give all chunks as pieces, in order; each watcher is shown the lines that they hold."""
    for chunk in chunks:
        text = None if whole is None else whole(chunk)
        if text is not None:
            for watch in watchers:
                watch(chunk.text)
            yield text
        else:
            found = list(lines_of(chunk))
            shown = "\n".join(line.text for line, _ in found).encode()
            for watch in watchers:
                watch(shown)
            yield [word for _, words in found for word in words]
