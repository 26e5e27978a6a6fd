"""Tokens of lines shared out to the words that they cover, by offsets alone."""

from dataclasses import dataclass

import numpy as np

from tokbench.api import LineTokens
from tokbench.api.segmentation import EXTENDS_OUTSIDE, SHARED_FIRST, SHARED_REST, WHOLE, Ints
from tokbench.cut.distinct import WordTokens


@dataclass(frozen=True, eq=False)
class Places:
    """Where the running words of some lines stand.

    `number` is the word number of each running word, `begins` and `length` are its first byte and
    its bytes; line `i` has the words `lines[i]` to `lines[i + 1]` and `size[i]` bytes.
    """

    number: Ints
    begins: Ints
    length: Ints
    lines: Ints
    size: Ints


def align(found: LineTokens, places: Places) -> tuple[WordTokens, Ints]:
    """Return the tokens of each running word, and for each line how many tokens cover no word.

    A token belongs to all words whose bytes it covers, one without text to the word that it stands
    in or right before. A token of several words is SHARED_FIRST in the first of them, and
    SHARED_REST in the others; one that covers more than its one word is EXTENDS_OUTSIDE.
    """
    # Lines are laid one after the other, a byte apart, so that one search serves all.
    base = np.cumsum(places.size + 1) - (places.size + 1)
    begin = places.begins + np.repeat(base, np.diff(places.lines))
    end = begin + places.length
    line = np.repeat(np.arange(len(places.size)), np.diff(found.row))
    starts, ends = found.starts + base[line], found.ends + base[line]
    first = np.searchsorted(end, starts, side="right")
    last = np.searchsorted(begin, np.maximum(ends, starts + 1)) - 1
    many = np.maximum(last - first + 1, 0)
    outside = np.bincount(line[many == 0], minlength=len(places.size))
    token = np.repeat(np.arange(len(many)), many)
    nth = np.arange(len(token)) - np.repeat(np.cumsum(many) - many, many)
    word = first[token] + nth
    beyond = (starts[token] < begin[word]) | (ends[token] > end[word])
    shared = np.where(nth == 0, SHARED_FIRST, SHARED_REST)
    part = np.select([many[token] > 1, beyond], [shared, EXTENDS_OUTSIDE], default=WHOLE)
    part = part.astype(np.int8)
    # A token inside a longer one would stand after the words that the longer one goes on to.
    if (np.diff(word) < 0).any():
        order = np.argsort(word, kind="stable")
        token, word, part = token[order], word[order], part[order]
    tokens = WordTokens(
        word=places.number,
        row=np.searchsorted(word, np.arange(len(places.number) + 1)),
        ids=found.ids[token],
        starts=np.maximum(starts[token], begin[word]) - begin[word],
        ends=np.minimum(ends[token], end[word]) - begin[word],
        part=part,
    )
    return tokens, outside
