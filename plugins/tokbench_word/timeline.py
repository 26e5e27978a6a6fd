"""Many words, each one token, which is known from some number of learned items on."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokbench.api import BOW, EOW, States, Vocabulary

Ints = NDArray[np.int64]


def timeline(words: Sequence[str], vocabulary: Vocabulary, since: int) -> States:
    """Give the states of words: one, or two where the word becomes a token after `since`."""
    learned = len(vocabulary.learned)
    since = max(since, 0)
    if since > learned:
        words = ()
    ids, births, ends = _look_up(words, vocabulary)
    late = births > since
    word = np.repeat(np.arange(len(words)), 1 + late)
    # Of two states the first is the unknown word, up to the birth of its token.
    unknown = np.concatenate((np.diff(word), [1]))[: len(word)] == 0
    return States(
        word=word,
        row=np.arange(len(word) + 1),
        ids=np.where(unknown, -1, ids[word]),
        ends=ends[word],
        since=np.where(late[word] & ~unknown, births[word], since),
        until=np.where(unknown, births[word], learned + 1),
    )


def _look_up(words: Sequence[str], vocabulary: Vocabulary) -> tuple[Ints, Ints, Ints]:
    """Give each word's id, the number of learned items that makes it a token, and its bytes."""
    marks, ids = vocabulary.marks, vocabulary.ids
    begin = "" if marks.bow.kind == "absent" else BOW
    end = "" if marks.eow.kind == "absent" else EOW
    tokens = [begin + word + end for word in words] if begin or end else words
    found = np.array([ids.get(token, -1) for token in tokens], np.int64)
    # The last birth is that of -1, which is no token.
    births = np.array([*vocabulary.births, 0])
    widths = [len(word) if word.isascii() else _byte_length(word) for word in words]
    return found, births[found], np.array(widths, np.int64)


def _byte_length(word: str) -> int:
    return len(word.encode("utf-8", "surrogatepass"))
