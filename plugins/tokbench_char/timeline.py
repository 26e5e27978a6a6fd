"""Every character of many words at once, with the number of learned items that makes it known."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokbench.api import BOW, EOW, States, Vocabulary

Ints = NDArray[np.int64]

# Inside a word, as its first letter, as its last, and as its only one.
PLACES = ((False, False), (True, False), (False, True), (True, True))


def timeline(words: Sequence[str], vocabulary: Vocabulary, since: int) -> States:
    """Give the states of words: always the same cuts, more ids where characters become tokens."""
    learned = len(vocabulary.learned)
    since = max(since, 0)
    if since > learned:
        words = ()
    row, ids, ends = _cut(words, vocabulary)
    # The last birth is that of -1, which is no token.
    births = np.array([*vocabulary.births, 0])[ids]
    return _divide(row, ids, ends, births, since, learned + 1)


def _cut(words: Sequence[str], vocabulary: Vocabulary) -> tuple[Ints, Ints, Ints]:
    """Give where each word's characters begin in the columns, their ids and their ends."""
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    stops = np.cumsum(lengths)
    starts = stops - lengths
    text = "".join(words)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    place = np.zeros(len(codes), np.int64)
    place[starts] += 1
    place[stops - 1] += 2
    widths = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
    reached = np.concatenate(([0], np.cumsum(widths, dtype=np.int64)))
    ids = _ids(codes, place, sorted(set(text)), vocabulary)
    ends = reached[1:] - np.repeat(reached[starts], lengths)
    return _with_marks(ids, ends, starts, stops, vocabulary)


def _ids(codes: Ints, place: Ints, letters: Sequence[str], vocabulary: Vocabulary) -> Ints:
    """Look up the id of each form of each letter once."""
    marks, ids = vocabulary.marks, vocabulary.ids
    forms = [ids.get(marks.form(letter, *edges), -1) for letter in letters for edges in PLACES]
    numbers = np.zeros(max(map(ord, letters), default=0) + 1, np.int64)
    numbers[[ord(letter) for letter in letters]] = np.arange(len(letters))
    found: Ints = np.array(forms, np.int64)[4 * numbers[codes] + place]
    return found


def _with_marks(
    ids: Ints, ends: Ints, starts: Ints, stops: Ints, vocabulary: Vocabulary
) -> tuple[Ints, Ints, Ints]:
    """Put the marks that are tokens of their own before and after each word."""
    at: list[Ints] = []
    of_marks: list[Ints] = []
    ends_of_marks: list[Ints] = []
    # Where words meet, the end of one comes before the begin of the next.
    for mark, place, end in ((EOW, stops, ends[stops - 1]), (BOW, starts, np.zeros_like(starts))):
        if mark in vocabulary.marks.symbols:
            at.append(place)
            of_marks.append(np.full_like(place, vocabulary.ids.get(mark, -1)))
            ends_of_marks.append(end)
    row = np.concatenate(([0], stops + len(at) * np.arange(1, len(stops) + 1)))
    if at:
        positions = np.concatenate(at)
        ids = np.insert(ids, positions, np.concatenate(of_marks))
        ends = np.insert(ends, positions, np.concatenate(ends_of_marks))
    return row, ids, ends


def _divide(row: Ints, ids: Ints, ends: Ints, births: Ints, since: int, until: int) -> States:
    """Divide each word's time, from `since` to before `until`, where a token of it is born."""
    words = np.arange(len(row) - 1)
    lengths = np.diff(row)
    late = births > since
    born = np.repeat(words, lengths)[late] * until + births[late]
    word, begins = np.divmod(np.unique(np.concatenate((words * until + since, born))), until)
    stays = lengths[word]
    rows = np.concatenate(([0], np.cumsum(stays)))
    tokens = np.arange(rows[-1]) + np.repeat(row[word] - rows[:-1], stays)
    closes = np.concatenate((begins[1:], [until]))[: len(word)]
    closes[:-1][np.diff(word) > 0] = until
    return States(
        word=word,
        row=rows,
        ids=np.where(births[tokens] <= np.repeat(begins, stays), ids[tokens], -1),
        ends=ends[tokens],
        since=begins,
        until=closes,
    )
