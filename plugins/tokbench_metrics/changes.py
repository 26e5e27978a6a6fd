"""The tokens of changed words beside those of their originals; loads NumPy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokbench.api.arrays import Segmentation, begins_character, spans

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_CELLS = 1_000_000
"""So many cells of the table of distances are filled at a time."""


@dataclass(frozen=True, eq=False)
class Side:
    """One side of all pairs, a row each."""

    tokens: Ints
    kept_whole: Flags
    unknown_chars: Ints
    chars: Ints


@dataclass(frozen=True, eq=False)
class Changes:
    """What changes from the original to the changed word, a row a pair."""

    original: Side
    changed: Side
    distance: Ints
    longest: Ints
    flips: Ints
    gaps: Ints


def changes(segmentation: Segmentation) -> Changes:
    """Compare the two words of each pair."""
    pairs = segmentation.words.pairs
    assert pairs is not None  # metrics of pairs are scored on pairs alone
    original, changed = (_side(segmentation, words) for words in (pairs.original, pairs.changed))
    flips, gaps = _flips(segmentation)
    columns = segmentation.row, segmentation.rows
    return Changes(
        original=original,
        changed=changed,
        distance=edit_distances(
            _keys(segmentation).astype(np.int32),
            *([of_words[pairs.original], of_words[pairs.changed]] for of_words in columns),
        ),
        longest=np.maximum(original.tokens, changed.tokens),
        flips=flips,
        gaps=gaps,
    )


def _side(segmentation: Segmentation, words: Ints) -> Side:
    return Side(
        segmentation.tokens[words],
        segmentation.kept_whole[words],
        segmentation.unknown_chars[words],
        segmentation.chars[words],
    )


def _keys(segmentation: Segmentation) -> Ints:
    """Return a number for each token, the same for those that are spelled the same.

    It is the id, and below 0 for what is not known: this is spelled by its text, and by the marks
    that are fused to it at the ends of the word.
    """
    keys: Ints = np.where(segmentation.known, segmentation.ids, 0)
    unknown = np.flatnonzero(~segmentation.known)
    words, raw = segmentation.words, segmentation.words.utf8.tobytes()
    offset = words.offset[segmentation.word[segmentation.state_of[unknown]]]
    begins, ends = offset + segmentation.starts[unknown], offset + segmentation.ends[unknown]
    marks, size = segmentation.vocabulary.marks, segmentation.bytes[segmentation.state_of[unknown]]
    at_begin, at_end = begins == offset, ends == offset + size
    at_begin &= "fused" in (marks.bow.kind, marks.continuation.kind)
    at_end &= marks.eow.kind == "fused"
    spelled = zip(begins.tolist(), ends.tolist(), at_begin.tolist(), at_end.tolist(), strict=True)
    numbers: dict[tuple[bytes, bool, bool], int] = {}
    keys[unknown] = [
        -1 - numbers.setdefault((raw[a:b], *edges), len(numbers)) for a, b, *edges in spelled
    ]
    return keys


def text_distances(first: Sequence[str], second: Sequence[str]) -> Ints:
    """Return the edit distance of two texts in each row.

    >>> text_distances(["funny|er"], ["funni|er"])
    array([1])
    """
    texts = [*first, *second]
    size = np.array([*map(len, texts)], dtype=np.int64)
    letters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.int32)
    begins, sizes = (np.split(column, 2) for column in (np.cumsum(size) - size, size))
    return edit_distances(letters, begins, sizes)


def edit_distances(keys: NDArray[Any], begins: Sequence[Ints], sizes: Sequence[Ints]) -> Ints:
    """Return the edit distance of two runs of keys in each row, by where they begin and end."""
    distances = np.zeros(len(sizes[0]), dtype=np.int64)
    width = np.maximum(*sizes)
    for power in np.unique(np.ceil(np.log2(np.maximum(width, 1)))).astype(np.int64).tolist():
        most = 1 << power
        here = np.flatnonzero((width <= most) & (2 * width > most))
        step = max(1, _CELLS // (most + 1))
        for at in range(0, len(here), step):
            some = here[at : at + step]
            a, b = (_padded(keys, begin[some], most) for begin in begins)
            distances[some] = _levenshtein(a, b, *(size[some] for size in sizes))
    return distances


def _padded(keys: NDArray[Any], begin: Ints, most: int) -> NDArray[Any]:
    """Return `most` keys from each beginning on; what follows a word's own tokens is not read."""
    padded: NDArray[Any] = keys[np.minimum(begin[:, None] + np.arange(most), len(keys) - 1)]
    return padded


def _levenshtein(a: NDArray[Any], b: NDArray[Any], a_size: Ints, b_size: Ints) -> Ints:
    """Return the edit distances of many pairs of rows at once (Wagner and Fischer 1974).

    Of a line of the table, the least over insertions from the left is a running minimum.
    """
    columns = np.arange(b.shape[1] + 1, dtype=np.int16 if b.shape[1] < 1 << 14 else np.int32)
    line = np.repeat(columns[None], len(a), axis=0)
    distances = b_size.copy()  # where `a` has no tokens
    every = np.arange(len(a))
    for i in range(int(a_size.max(initial=0))):
        new = line + 1
        np.minimum(new[:, 1:], line[:, :-1] + (a[:, i, None] != b), out=new[:, 1:])
        line = np.minimum.accumulate(new - columns, axis=1) + columns
        ends = a_size == i + 1
        distances[ends] = line[every[ends], b_size[ends]]
    return distances


def _flips(segmentation: Segmentation) -> tuple[Ints, Ints]:
    """Count the gaps of the common ends of both words, and those cut in one of them only."""
    words = segmentation.words
    pairs = words.pairs
    assert pairs is not None
    cut = np.zeros(len(words.utf8) + 1, dtype=bool)
    text = segmentation.with_text
    offset = words.offset[segmentation.word[segmentation.state_of]]
    for at in (segmentation.starts, segmentation.ends):
        cut[(offset + at)[text]] = True
    by_character = cut[:-1][begins_character(words.utf8)]  # whether a token ends before each
    first = np.cumsum(words.chars) - words.chars
    flips, gaps = np.zeros(len(pairs), dtype=np.int64), np.zeros(len(pairs), dtype=np.int64)
    for size, at_end in ((pairs.prefix, False), (pairs.suffix, True)):
        inside = np.maximum(size - 1, 0)
        sides = []
        for word in (pairs.original, pairs.changed):
            begin = first[word] + (words.chars[word] - size if at_end else 0)
            sides.append(by_character[spans(begin + 1, inside)])
        pair = np.repeat(np.arange(len(pairs)), inside)
        flips += np.bincount(pair[sides[0] != sides[1]], minlength=len(pairs))
        gaps += inside
    return flips, gaps
