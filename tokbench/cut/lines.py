"""Whole lines cut into tokens, and the tokens shared out to the running words that they cover."""

import numpy as np
from numpy.typing import NDArray

from tokbench.api import LineTokens, Words
from tokbench.api.segmentation import EXTENDS_OUTSIDE, SHARED_FIRST, SHARED_REST, WHOLE, InContext
from tokbench.api.words import Ints, spans
from tokbench.corpora.running import RunningText
from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.rows import WordTokens, distinct, join
from tokbench.cut.timeline import batches_of_bytes


def tokens_in_context(
    bound: BoundSegmenter, words: Words, text: RunningText
) -> tuple[WordTokens, InContext]:
    """Cut the lines of a text: return each way in which a word is cut, and where it is cut so.

    Raises BrokenPromiseError where offsets are wrong.
    """
    parts: list[WordTokens] = []
    orders: list[NDArray[np.uint32]] = []
    outside: list[Ints] = []
    known = 0
    for first, last in batches_of_bytes(text.size):
        found = bound.lines(text.lines[first:last])
        aligned, uncovering = align(found, words, text, first)
        here, place = distinct(aligned)
        parts.append(here)
        orders.append((place + known).astype(np.uint32))
        outside.append(uncovering)
        known += len(here.word)
    states, order = parts[0], orders[0]
    if len(parts) > 1:
        states, place = distinct(join(parts))
        order = place[np.concatenate(orders)].astype(np.uint32)
    context = InContext(
        order=order,
        part=states.part,
        outside=np.concatenate(outside),
        chars=np.array([*map(len, text.lines)], dtype=np.int64),
        bytes=text.size,
    )
    return states, context


def align(found: LineTokens, words: Words, text: RunningText, line: int) -> tuple[WordTokens, Ints]:
    """Return the tokens of each running word, and for each line how many tokens cover no word.

    `found` are the tokens of lines from number `line` on. A token belongs to all words whose bytes
    it covers, so a token without text, such as a bare `▁`, belongs to none. A token of several
    words is SHARED_FIRST in the first of them, and SHARED_REST in the others. A token that covers
    more than its one word is EXTENDS_OUTSIDE.
    """
    lines = slice(line, line + len(found.row) - 1)
    ends_of_lines = words.lines[lines.start : lines.stop + 1]
    running = slice(ends_of_lines[0], ends_of_lines[-1])
    number = words.order[running].astype(np.int64)
    # Lines are laid one after the other, a byte apart, so that one search serves all.
    base = np.cumsum(text.size[lines] + 1) - (text.size[lines] + 1)
    begin = text.begins[running] + np.repeat(base, np.diff(ends_of_lines))
    end = begin + words.bytes[number]
    of_line = np.repeat(np.arange(len(base)), np.diff(found.row))
    starts, ends = found.starts + base[of_line], found.ends + base[of_line]
    first = np.searchsorted(end, starts, side="right")
    last = np.searchsorted(begin, ends) - 1
    many = np.where(ends > starts, np.maximum(last - first + 1, 0), 0)
    outside = np.bincount(of_line[many == 0], minlength=len(base))
    token, word = np.repeat(np.arange(len(many)), many), spans(first, many)
    beyond = (starts[token] < begin[word]) | (ends[token] > end[word])
    shared = np.where(word == first[token], SHARED_FIRST, SHARED_REST)
    part = np.select([many[token] > 1, beyond], [shared, EXTENDS_OUTSIDE], default=WHOLE)
    part = part.astype(np.int8)
    # A token inside a longer one would stand after the words that the longer one goes on to.
    if (np.diff(word) < 0).any():
        order = np.argsort(word, kind="stable")
        token, word, part = token[order], word[order], part[order]
    tokens = WordTokens(
        word=number,
        row=np.append(0, np.cumsum(np.bincount(word, minlength=len(number)))),
        ids=found.ids[token],
        starts=np.maximum(starts[token], begin[word]) - begin[word],
        ends=np.minimum(ends[token], end[word]) - begin[word],
        part=part,
    )
    return tokens, outside
