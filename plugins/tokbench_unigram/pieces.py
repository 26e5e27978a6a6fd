"""The pieces of words: what could be a token, and the seeds among them."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from tokbench_bpe.textbook import Corpus

from tokbench.api import Marks
from tokbench.api.text import CONTINUATION

Symbols = Sequence[str]
Seeds = Literal["all", "branching"]


def pieces(
    symbols: Symbols, longest: int, blocked: Collection[str] = ()
) -> Iterator[tuple[int, int, str]]:
    """Yield each run of up to `longest` symbols as (start, stop, text), by start and then by stop.

    A blocked symbol stands alone.

    >>> [*pieces("abc", 2)]
    [(0, 1, 'a'), (0, 2, 'ab'), (1, 2, 'b'), (1, 3, 'bc'), (2, 3, 'c')]
    """
    for start, piece in enumerate(symbols):
        yield start, start + 1, piece
        if piece in blocked:
            continue
        for stop in range(start + 1, min(start + longest, len(symbols))):
            if symbols[stop] in blocked:
                break
            # Inside a token there is no continuation mark.
            piece += symbols[stop].removeprefix(CONTINUATION)
            yield start, stop + 1, piece


def seeds(
    corpus: Corpus, kind: Seeds, longest: int, minimum: int, most: int
) -> dict[str, tuple[int, Symbols]]:
    """Return the pieces to begin with, those of most text first: their text and their symbols.

    The text of a piece is its count in the running words times its symbols. A seed has two symbols
    or more and occurs at least `minimum` times. A piece that the same symbol always follows is left
    out, since the longer piece covers it. `branching` also leaves out pieces that the end of the
    word always follows. The rest are the inner nodes of a suffix tree, from
    which Kudo (2018), section 3.2, and SentencePiece take the seeds.
    """
    counts: Counter[str] = Counter()
    at_end: Counter[str] = Counter()
    symbols_of: dict[str, Symbols] = {}
    for symbols, count in zip(corpus.words, corpus.counts, strict=True):
        for start, stop, piece in pieces(symbols, longest, corpus.blocked):
            if stop - start > 1:
                counts[piece] += count
                if stop == len(symbols):
                    at_end[piece] += count
                if piece not in symbols_of:
                    symbols_of[piece] = tuple(symbols[start:stop])
    followed = {
        shorter
        for piece, symbols in symbols_of.items()
        if len(symbols) > 2 and counts[shorter := Marks.join(symbols[:-1])] == counts[piece]
    }
    if kind == "branching":
        followed.update(piece for piece, count in at_end.items() if count == counts[piece])
    text = {
        piece: counts[piece] * len(symbols)
        for piece, symbols in symbols_of.items()
        if counts[piece] >= minimum and piece not in followed
    }
    ordered = sorted(text, key=lambda piece: (-text[piece], piece))
    return {piece: (text[piece], symbols_of[piece]) for piece in ordered[:most]}
