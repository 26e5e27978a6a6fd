"""The words of a corpus cut by a segmenter: each distinct word alone, or all words in their lines.

Each way in which a word is cut is decoded, to find out whether its ids return the word.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Segmenter, Splitter
from tokbench.api.arrays import LineTokens, Segmentation, Timeline, Words
from tokbench.api.segmentation import (
    SHARED_FIRST,
    SHARED_REST,
    WHOLE,
    InContext,
)
from tokbench.api.words import Flags, Ints, spans
from tokbench.corpora.running import RunningText
from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.splitting import SplitWords
from tokbench.cut.timeline import batches_of_bytes, batches_of_states, join, states_at, take
from tokbench.cut.written import WrittenLines


def segment(
    bound: BoundSegmenter,
    words: Words,
    running: RunningText | None = None,
    splitter: Splitter | None = None,
) -> Segmentation:
    """Cut the words of a corpus: in the lines of its `running` text if it is given, else alone.

    A system's own `splitter` cuts words into pieces first. Raise BrokenPromiseError if tokens do
    not cover a word, or offsets are wrong.
    """
    if running is not None:
        columns = _in_context(bound, words, running)
        return _segmentation(bound, words, left_out=running.splitter_ignores, **columns)
    tokens = bound.alone(words.text, splitter)
    return _segmentation(bound, words, word=np.arange(len(words)), **vars(tokens))


def replay(
    bound: BoundSegmenter,
    words: Words,
    wanted: Ints,
    splitter: Splitter | None = None,
    every: bool = False,
) -> Segmentation | None:
    """Cut words at each of the `wanted` numbers of learned items, which rise, in one replay.

    Return the states at these numbers or, with `every`, at all numbers from the first of them on;
    None if the segmenter has no timeline. Raise BrokenPromiseError if its timeline is wrong.
    """
    if not bound.has_states:
        return None
    pieces = None if splitter is None else SplitWords.of(words.text, splitter)
    texts = words.text if pieces is None else pieces.text
    since = int(wanted[0])
    batches: list[Timeline] = []
    for begin, end in batches_of_states(texts, len(bound.vocabulary.learned) - since):
        states = bound.states(texts[begin:end], since)
        if states is None:
            return None
        # Words are put together from all states of their pieces.
        states = states if every or pieces else states_at(states, wanted)
        batches.append(replace(states, word=states.word + begin))
    states = join(batches)
    batches.clear()  # else all tokens are in memory twice
    if pieces is not None:
        states = pieces.states(states)
        states = states if every else states_at(states, wanted)
    spelling_checked = not bound.segmenter.fixed_cuts
    return _segmentation(bound, words, spelling_checked, starts=states.starts, **vars(states))


def _segmentation(
    bound: BoundSegmenter,
    words: Words,
    spelling_checked: bool = False,
    left_out: str = "",
    **columns: Any,
) -> Segmentation:
    """Return the segmentation with these columns, after finding which states decode to their word.

    With `spelling_checked`, known tokens spell the bytes that they cover. In context, the tokens of
    a word may spell more than the word: other words, white space around it, and characters that
    are `left_out` of words.
    """
    cut = Segmentation(
        words, bound.vocabulary, round_trip=np.zeros(len(columns["word"]), dtype=bool), **columns
    )
    if cut.context is None and type(bound.segmenter).decode is not Segmenter.decode:
        alike = np.zeros(len(cut.ids), dtype=bool)  # only its own `decode` can tell
    elif spelling_checked:
        alike = cut.known
    else:
        begins = words.offset[cut.word[cut.state_of]] + cut.starts
        alike = bound.spelling.spelled(
            words.utf8, begins, cut.ends - cut.starts, cut.ids, cut.known
        )
    # Tokens that spell what they cover return the word, which is quicker than decoding.
    round_trip = (cut.sum_tokens(~alike) == 0) & (cut.dropped == 0)
    undecided = np.flatnonzero(~round_trip)
    round_trip[undecided] = _decode_to_words(cut, undecided, bound, left_out)
    return replace(cut, round_trip=round_trip)


def _decode_to_words(
    cut: Segmentation, states: Ints, bound: BoundSegmenter, left_out: str
) -> Sequence[bool]:
    """Decode some states, and return whether each returns its word."""
    taken = cut.take(states, cut.vocabulary)
    texts = bound.decode(taken.row, taken.ids)
    words = [cut.words.text[number] for number in taken.word]
    if cut.context is None:
        return [text == word for text, word in zip(texts, words, strict=True)]
    removed = str.maketrans("", "", left_out)
    texts = [text.translate(removed) for text in texts]
    shared = (cut.sum_tokens(cut.shared) > 0)[states]
    return [
        word in text if of_several else text.strip() == word
        for text, word, of_several in zip(texts, words, shared, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class WordTokens(LineTokens):
    """The tokens of running words: row `i` is word number `word[i]`, `starts` begin in the word.

    `part` is that of a segmentation in context.
    """

    word: Ints
    part: NDArray[np.int8]


def _in_context(bound: BoundSegmenter, words: Words, text: RunningText) -> dict[str, Any]:
    """Cut the lines of a text; return the columns of the segmentation of its words in context."""
    numbers: dict[tuple[int, bytes], int] = {}
    batches: list[WordTokens] = []
    orders: list[Ints] = []
    outside: list[Ints] = []
    returned: list[Flags] = []
    written = WrittenLines.of(bound)
    for first, last in batches_of_bytes(text.size):
        lines = text.lines[first:last]
        tokens = bound.lines(lines)
        returned.append(written.returned(lines, tokens))
        aligned, outside_words = align(tokens, words, text, first)
        outside.append(outside_words)
        order, new = _numbered(aligned, numbers)
        orders.append(order)
        batches.append(take(aligned, new))
    states = join(batches)
    # By word, and then as they first occur, as a segmentation of words alone has them.
    by_word = np.argsort(states.word, kind="stable")
    columns = dict(vars(take(states, by_word)))
    context = InContext(
        order=np.argsort(by_word)[np.concatenate(orders)].astype(np.uint32),
        part=columns.pop("part"),
        outside=np.concatenate(outside),
        chars=np.array([*map(len, text.lines)], dtype=np.int64),
        bytes=text.size,
        returned=np.concatenate(returned),
    )
    return {"context": context, **columns}


def align(
    tokens: LineTokens, words: Words, text: RunningText, line: int
) -> tuple[WordTokens, Ints]:
    """Return the tokens of each running word, and for each line how many tokens cover no word.

    `tokens` are those of the lines from number `line` on. A token belongs to all words whose bytes
    it covers, so a token without text, such as a bare `▁`, belongs to none. A token of several
    words is SHARED_FIRST in the first of them, and SHARED_REST in the others.
    """
    lines = slice(line, line + len(tokens.row) - 1)
    ends_of_lines = words.lines[lines.start : lines.stop + 1]
    running = slice(ends_of_lines[0], ends_of_lines[-1])
    number = words.order[running].astype(np.int64)
    # Lay lines one after the other, a byte apart, so that one search serves all.
    base = text.first_byte[lines]
    laid = np.repeat(base, np.diff(ends_of_lines))
    begin, end = text.begins[running] + laid, text.ends[running] + laid
    of_line = np.repeat(np.arange(len(base)), np.diff(tokens.row))
    starts, ends = tokens.starts + base[of_line], tokens.ends + base[of_line]
    first = np.searchsorted(end, starts, side="right")
    last = np.searchsorted(begin, ends) - 1
    many = np.where(ends > starts, np.maximum(last - first + 1, 0), 0)
    outside = np.bincount(of_line[many == 0], minlength=len(base))
    token, word = np.repeat(np.arange(len(many)), many), spans(first, many)
    shared = np.where(word == first[token], SHARED_FIRST, SHARED_REST)
    part = np.where(many[token] > 1, shared, WHOLE).astype(np.int8)
    # A token inside a longer one would stand after the words that the longer one goes on to.
    if (np.diff(word) < 0).any():
        order = np.argsort(word, kind="stable")
        token, word, part = token[order], word[order], part[order]
    aligned = WordTokens(
        word=number,
        row=np.append(0, np.cumsum(np.bincount(word, minlength=len(number)))),
        ids=tokens.ids[token],
        starts=_in_word(np.maximum(starts[token], begin[word]), begin[word], text.ignored),
        ends=_in_word(np.minimum(ends[token], end[word]), begin[word], text.ignored),
        part=part,
    )
    return aligned, outside


def _in_word(place: Ints, begin: Ints, ignored: Ints) -> Ints:
    """Return bytes of lines as bytes of words, which begin at `begin` and lack ignored bytes."""
    if not len(ignored):
        return place - begin
    inside = np.searchsorted(ignored, place) - np.searchsorted(ignored, begin)
    return place - begin - inside


def _numbered(tokens: WordTokens, numbers: dict[tuple[int, bytes], int]) -> tuple[Ints, Ints]:
    """Return the number of each row, equal ones alike, and the rows that `numbers` had not."""
    known = len(numbers)
    columns = np.stack([tokens.ids, tokens.starts, tokens.ends, tokens.part], axis=1)
    cells, ends = columns.tobytes(), (tokens.row * 4 * columns.itemsize).tolist()
    rows = zip(tokens.word.tolist(), pairwise(ends), strict=True)
    number = np.array(
        [numbers.setdefault((word, cells[a:b]), len(numbers)) for word, (a, b) in rows], np.int64
    )
    distinct, first = np.unique(number, return_index=True)
    return number, first[distinct >= known]
