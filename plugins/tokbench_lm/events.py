"""A text as the events that a model pays for: tokens, word boundaries, escapes, and newlines.

The text is the scoring words of each line, joined by single spaces, and a newline. From the events
alone a reader who knows the vocabulary and its marks writes it again: each token writes its bytes;
an escape writes the bytes that are spelled behind it; a boundary, or the mark of the edge of a
word, writes the space between two words; a newline ends the line.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tokbench.api import ToldEdge, Vocabulary
from tokbench.api.arrays import LineTokens, TrainingLines, Words, spans
from tokbench.api.text import BOW, CONTINUATION, EOW
from tokbench_lm.ngrams import Flags, Floats, Ints, Lines


@dataclass(frozen=True, eq=False)
class Events:
    """The events of one system by number: its tokens by id, then those that are no tokens.

    An escape stands for unknown text. Where marks tell the `edge` of words, `edge_escape` is one
    with the mark; elsewhere, unless lines are cut `in_context`, a `boundary` stands between words.
    """

    vocabulary: Vocabulary
    edge: ToldEdge
    in_context: bool

    @classmethod
    def of(cls, vocabulary: Vocabulary, training: TrainingLines) -> "Events":
        """Find out what the marks of a vocabulary tell: of pieces of words, nothing."""
        marks_tell = not (training.in_context or training.pieces)
        edge = vocabulary.marks.told_edge if marks_tell else "none"
        return cls(vocabulary, edge, training.in_context)

    @property
    def newline(self) -> int:
        """The event that ends a line."""
        return len(self.vocabulary.tokens)

    @property
    def boundary(self) -> int:
        """The event between two words."""
        return self.newline + 1

    @property
    def escape(self) -> int:
        """The event before spelled bytes."""
        return self.newline + 2

    @property
    def edge_escape(self) -> int:
        """The event before spelled bytes at the edge of a word that marks tell."""
        return self.newline + 3

    @property
    def begin(self) -> int:
        """The number that stands before each line, which is no event."""
        return self.newline + 4

    @property
    def has_boundary(self) -> bool:
        """Whether a boundary stands between words."""
        return self.edge == "none" and not self.in_context

    def base(self, escapes_seen: bool) -> Floats:
        """Return the base distribution: all possible events alike.

        Escapes are possible where text can be unknown. Where training shows none they get a half.
        """
        base = np.ones(self.begin)
        base[[*self.vocabulary.unproduced]] = 0
        base[self.boundary] = self.has_boundary
        escapes = [self.escape, *([self.edge_escape] if self.edge != "none" else [])]
        base[[self.escape, self.edge_escape]] = 0
        if self.vocabulary.can_be_unknown:
            others = base.sum()
            base[escapes] = 1.0 if escapes_seen else others / len(escapes)
        shared: Floats = base / base.sum()
        return shared

    def tells(self) -> Flags:
        """Return for each token whether it tells the edge of its word."""
        tokens = self.vocabulary.tokens
        if self.edge == "end":
            telling = [token.endswith(EOW) for token in tokens]
        elif self.vocabulary.marks.bow.kind != "absent":
            telling = [token.startswith(BOW) for token in tokens]
        else:
            telling = [not token.startswith(CONTINUATION) for token in tokens]
        return np.array(telling, dtype=bool)

    def writes(self) -> Sequence[bytes]:
        """Return the bytes that each token writes; in context the mark of an edge is a space."""
        raws = self.vocabulary.raws
        if not self.in_context:
            return raws
        return [
            b" " * token.startswith(BOW) + raw + b" " * token.endswith(EOW)
            for token, raw in zip(self.vocabulary.tokens, raws, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class EventText:
    """The events of a text by line.

    `word` is the running word that pays for each event. `spelled` is the number of the text of
    `texts` that an escape spells, -1 for any other event. `size` holds the bytes of each running
    word with the space or newline behind it, `line_size` those of each line. `lost` says of which
    running words the events do not give the text back.
    """

    lines: Lines
    word: NDArray[np.int32]
    spelled: NDArray[np.int32]
    texts: Sequence[bytes]
    size: Ints
    line_size: Ints
    lost: Flags


Cut = Callable[[Sequence[str]], LineTokens]


def event_text(events: Events, words: Words, cut: Cut) -> EventText:
    """Cut a text into events."""
    order = words.order.astype(np.int64)
    size = words.bytes[order] + 1
    of_events = _in_context if events.in_context else _alone
    numbers, row, word, spelled, texts, lost = of_events(events, words, order, cut)
    lines = Lines(numbers.astype(np.int32), row, events.begin)
    line_size = np.add.reduceat(size, words.lines[:-1])
    half = word.astype(np.int32), spelled.astype(np.int32)
    return EventText(lines, *half, texts, size, line_size, lost)


_Parts = tuple[Ints, Ints, Ints, Ints, Sequence[bytes], Flags]
"""Events, their rows by line, the words that pay, what they spell, its texts, and lost words."""


def _alone(events: Events, words: Words, order: Ints, cut: Cut) -> _Parts:
    """Cut each distinct word once, and put its events where it stands."""
    pieces = cut(words.text)
    known = _known(events, pieces.ids)
    numbers = np.where(known, pieces.ids, events.escape)
    utf8 = [*map(_utf8, words.text)]
    texts, spelled = _spelled(pieces, known, utf8)
    written = _written(events, pieces, known, spelled, texts)
    lost = np.array([w != u for w, u in zip(written, utf8, strict=True)])
    lost |= _mark_edges(events, pieces, known, numbers)
    # Behind the tokens of each word stands what parts it from the next.
    numbers = np.insert(numbers, pieces.row[1:], events.boundary).astype(np.int32)
    spelled = np.insert(spelled, pieces.row[1:], -1).astype(np.int32)
    many = (np.diff(pieces.row) + 1)[order]
    places = spans((pieces.row + np.arange(len(pieces.row)))[order], many)
    running, word = numbers[places], np.repeat(np.arange(len(order), dtype=np.int32), many)
    ends = np.cumsum(many)
    last = ends[words.lines[1:] - 1] - 1
    running[last] = events.newline
    kept = (running != events.boundary) | events.has_boundary
    row = np.append(0, np.cumsum(kept)[last])
    return running[kept], row, word[kept], spelled[places][kept], texts, lost[order]


def _mark_edges(events: Events, tokens: LineTokens, known: Flags, numbers: Ints) -> Flags:
    """Mark the escapes at the edge of a word; return the words whose edge no event tells."""
    first, last = tokens.row[:-1], tokens.row[1:]
    untold: Flags = np.equal(first, last)
    if events.edge == "none":
        return untold
    at = (last - 1 if events.edge == "end" else first)[~untold]
    numbers[at[~known[at]]] = events.edge_escape
    telling = np.where(known, events.tells()[tokens.ids], numbers == events.edge_escape)
    untold[~untold] = ~telling[at]
    untold |= np.diff(np.append(0, np.cumsum(telling))[tokens.row]) != 1
    return untold


def _in_context(events: Events, words: Words, order: Ints, cut: Cut) -> _Parts:
    """Cut whole lines; a token is of the word of its first byte that is no space."""
    lines = [" ".join(words.text[i] for i in order[a:b]) for a, b in pairwise(words.lines.tolist())]
    tokens, utf8 = cut(lines), [*map(_utf8, lines)]
    known = _known(events, tokens.ids)
    numbers = np.where(known, tokens.ids, events.escape)
    texts, spelled = _spelled(tokens, known, utf8)
    # No line begins or ends with a space, so a reader leaves out those of the tokenizer's own.
    written = (text.strip(b" ") for text in _written(events, tokens, known, spelled, texts))
    lost = np.array([w != u for w, u in zip(written, utf8, strict=True)])
    # Lines lie one after the other, each with its newline, so that one search finds all words.
    size = words.bytes[order] + 1
    begins = np.cumsum(size) - size
    joined = np.frombuffer(b"\n".join([*utf8, b""]), dtype=np.uint8)
    start = tokens.starts + np.repeat(begins[words.lines[:-1]], np.diff(tokens.row))
    start += (joined[np.minimum(start, len(joined) - 1)] == ord(" ")) & (
        tokens.ends - tokens.starts > 1
    )
    word = np.searchsorted(begins, start, side="right") - 1
    numbers, spelled, word = (
        np.insert(values, tokens.row[1:], last)
        for values, last in (
            (numbers, events.newline), (spelled, -1), (word, words.lines[1:] - 1)
        )
    )  # fmt: skip
    row = tokens.row + np.arange(len(tokens.row))
    return numbers, row, word, spelled, texts, np.repeat(lost, np.diff(words.lines))


def _known(events: Events, ids: Ints) -> Flags:
    return (ids >= 0) & ~np.isin(ids, [*events.vocabulary.unproduced])


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _spelled(tokens: LineTokens, known: Flags, utf8: Sequence[bytes]) -> tuple[list[bytes], Ints]:
    """Return the distinct texts that tokens which are not known spell, and the number of each."""
    numbers: dict[bytes, int] = {}
    spelled = np.full(len(known), -1, dtype=np.int64)
    unknown = np.flatnonzero(~known)
    rows = np.searchsorted(tokens.row, unknown, side="right") - 1
    for i, row in zip(unknown.tolist(), rows.tolist(), strict=True):
        text = utf8[row][tokens.starts[i] : tokens.ends[i]]
        spelled[i] = numbers.setdefault(text, len(numbers))
    return list(numbers), spelled


def _written(
    events: Events, tokens: LineTokens, known: Flags, spelled: Ints, texts: Sequence[bytes]
) -> list[bytes]:
    """Return the bytes that the events of each row write."""
    writes = [*events.writes(), *texts]
    numbers = np.where(known, tokens.ids, len(events.vocabulary.tokens) + spelled).tolist()
    pieces = [writes[number] for number in numbers]
    return [b"".join(pieces[a:b]) for a, b in pairwise(tokens.row.tolist())]
