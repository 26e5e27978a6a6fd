"""Training text in pieces for counters: whole chunks where that is safe, else words by line."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from tokbench.corpora.chunks import Chunk, Lines
from tokbench.corpora.scan import may_hold_overlong, plain_check

if TYPE_CHECKING:
    from tokbench.corpora.normalise import Normalise

Piece = bytes | list[str]
"""UTF-8 text whose words are still to be found, or words that were found in it."""

Watcher = Callable[[bytes, bool, bool], None]
"""Is shown lines, or a part of one line: whether that line begins and ends there."""

BREAKS = b" \t\r\f\v"
"""White space inside a line, which parts a line just as a line end would."""

_VISIBLE = re.compile(rb"[!-~]")


class Joined:
    """Makes lines ready to be split together, wherever that gives what splitting each one gives.

    That needs a built-in splitter, which takes a line end for white space, and a `normalise` that
    does the same to lines together as to each of them. The same goes for the parts of a line
    between those of its `breaks` that `normalise` leaves alone.
    """

    def __init__(self, normalise: "Normalise | None") -> None:
        self._normalise = normalise
        kept = BREAKS.decode()
        self.breaks = (normalise(kept) if normalise else kept).encode()

    def __call__(self, text: bytes) -> bytes | None:
        """Give lines normalised; None where they may hold a word to be cut, which is noted."""
        if self._normalise is not None:
            text = self._normalise(text.decode()).encode()
        return None if may_hold_overlong(text) else text


class Source(Protocol):
    """What pieces are made from."""

    @property
    def joined(self) -> Joined | None:
        """Makes lines ready; None where each must be looked at by itself."""

    @property
    def every(self) -> bool:
        """Whether all lines are taken."""

    def lines_of(self, chunk: Chunk) -> Iterator[Lines]:
        """Give lines of a chunk, noting and refusing what they hold."""

    def words_of(self, lines: Lines) -> Iterable[list[str]]:
        """Give the words of each line."""


def pieces(
    chunks: Iterable[Chunk], source: Source, watchers: Sequence[Watcher] = ()
) -> Iterator[Piece]:
    """Give all chunks as pieces, in order; each watcher is shown the lines that they hold.

    Where every line is taken, those of a chunk are asked for only if they may hold what is noted or
    refused with its line; and as long as there may be no words at all, since then the number of
    lines tells why.
    """
    plain = plain_check()
    joined, worded = source.joined, False
    for chunk in chunks:
        text = chunk.text
        whole = joined(text) if joined and source.every and worded and plain(text) else None
        if whole is not None:
            _show(watchers, text, chunk)
            yield whole
            continue
        for lines in source.lines_of(chunk):
            piece = _piece(lines, source)
            worded = worded or _holds_words(piece)
            _show(watchers, lines.joined, chunk)
            yield piece


def _piece(lines: Lines, source: Source) -> Piece:
    text = source.joined(lines.joined) if source.joined else None
    if text is not None:
        return text
    return [word for words in source.words_of(lines) for word in words]


def _holds_words(piece: Piece) -> bool:
    """Tell whether there are words in a piece for sure."""
    return bool(_VISIBLE.search(piece) if isinstance(piece, bytes) else piece)


def _show(watchers: Sequence[Watcher], shown: bytes, chunk: Chunk) -> None:
    for watch in watchers:
        watch(shown, chunk.begins, chunk.ends)
