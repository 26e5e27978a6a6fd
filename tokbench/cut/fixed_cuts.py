"""Every state of words whose cuts do not depend on the vocabulary's size.

Such words are segmented once, with the whole vocabulary. While a vocabulary is learned their cuts
stay, and each token becomes known when the item that builds it is learned.
"""

from collections.abc import Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Timeline, Vocabulary
from tokbench.api.marks import MARKS
from tokbench.cut.checks import BrokenPromiseError, byte_lengths, cropped

Ints = NDArray[np.int64]


def states_of_cuts(cuts: Sequence[Sequence[Any]], vocabulary: Vocabulary, since: int) -> Timeline:
    """Return the states of words that are always cut so, from `since` learned items on."""
    learned = len(vocabulary.learned)
    if since > learned:
        cuts = ()
    row = _before(np.fromiter(map(len, cuts), np.int64, len(cuts)))
    flat = list(chain.from_iterable(cuts))
    reached = _before(_widths(flat))
    ids = np.fromiter(map(vocabulary.ids.get, flat, repeat(-1)), np.int64, len(flat))
    ends = reached[1:] - np.repeat(reached[row[:-1]], np.diff(row))
    # The last birth is that of -1, which is no token.
    births = np.array([*vocabulary.births, 0])[ids]
    return divide(row, ids, ends, births, max(since, 0), learned + 1)


def divide(row: Ints, ids: Ints, ends: Ints, births: Ints, since: int, until: int) -> Timeline:
    """Divide each word's time, from `since` to before `until`, where a token of it is born."""
    words = np.arange(len(row) - 1)
    lengths = np.diff(row)
    late = np.flatnonzero(births > since)
    born = (np.searchsorted(row, late, side="right") - 1) * until + births[late]
    moments = np.sort(np.concatenate((words * until + since, born)), kind="stable")
    word, begins = np.divmod(moments[np.diff(moments, prepend=-1) > 0], until)
    stays = lengths[word]
    rows = _before(stays)
    tokens = np.arange(rows[-1]) + np.repeat(row[word] - rows[:-1], stays)
    closes = np.concatenate((begins[1:], [until]))[: len(word)]
    closes[:-1][np.diff(word) > 0] = until
    return Timeline(
        word=word,
        row=rows,
        ids=np.where(births[tokens] <= np.repeat(begins, stays), ids[tokens], -1),
        ends=ends[tokens],
        since=begins,
        until=closes,
    )


def _before(sizes: Ints) -> Ints:
    """Return the sum of the sizes before each, and at the end that of all."""
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _widths(tokens: Sequence[Any]) -> Ints:
    """Return the bytes of each token without its marks."""
    try:
        return byte_lengths(tokens, MARKS)
    except TypeError:
        wrong = next(token for token in tokens if not isinstance(token, str))
        raise BrokenPromiseError(
            f"its cuts are fixed, so that its tokens are texts, not {cropped(wrong)}"
        ) from None
