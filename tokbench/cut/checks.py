"""Checks of what segmenters return: that arrays fit, without gaps, and that tokens cover words.

Whatever is wrong is a BrokenPromiseError, which names the first word concerned.
"""

from array import array
from collections.abc import Sequence
from itertools import chain, repeat
from operator import index
from typing import Any

import numpy as np

from tokbench.api import LineTokens, Marks, Timeline, Token, Vocabulary
from tokbench.api.marks import MARKS
from tokbench.api.segmentation import Flags, Ints, byte_length
from tokbench.api.words import byte_lengths
from tokbench.errors import BrokenPromiseError, cropped


def checked_states(
    given: object, texts: Sequence[str], size: Ints, tokens: Ints, since: int
) -> Timeline:
    """Return the states of texts from `since` learned items on, all but their spelling checked.

    `size` holds the bytes of each text, `tokens` how many tokens there are with 0, 1, ... learned
    items.
    """
    if not isinstance(given, Timeline):
        raise BrokenPromiseError(f"its timeline is {type(given).__name__}, not Timeline")
    states = Timeline(**_columns(given, "its timeline's"))
    _check_shapes(states, len(texts))
    _check_lives(states, texts, since, len(tokens) - 1)
    _check_tokens(states, texts, size, tokens)
    return states


def checked_lines(given: object, lines: Sequence[str], vocabulary: Vocabulary) -> LineTokens:
    """Return the tokens of lines when their offsets and ids have been checked."""
    if not isinstance(given, LineTokens):
        raise BrokenPromiseError(f"segment_lines gave {type(given).__name__}, not LineTokens")
    found = LineTokens(**_columns(given, "its tokens'"))
    row, tokens = found.row, len(found.ids)
    if len(row) != len(lines) + 1 or row[0] != 0 or row[-1] != tokens or (np.diff(row) < 0).any():
        raise BrokenPromiseError(f"its tokens' `row` does not fit {len(lines)} lines")
    if len(found.starts) != tokens or len(found.ends) != tokens:
        raise BrokenPromiseError("its tokens' arrays do not fit together")
    line = np.repeat(np.arange(len(lines)), np.diff(row))
    later = np.append(False, line[1:] == line[:-1])[:tokens]
    size = byte_lengths(lines)
    wrong = (found.starts < 0) | (found.starts > found.ends) | (found.ends > size[line])
    for column in (found.starts, found.ends):
        wrong |= later & (np.append(0, np.diff(column))[:tokens] < 0)
    wrong |= (found.ids < -1) | (found.ids >= len(vocabulary.tokens))
    if wrong.any():
        at = int(np.argmax(wrong))
        token = (int(found.ids[at]), int(found.starts[at]), int(found.ends[at]))
        raise BrokenPromiseError(
            f"the token (id, start, end) {token} of {cropped(lines[int(line[at])])} lies outside "
            "it, before another, or has an id that its vocabulary does not"
        )
    return found


class TokenLists:
    """Turns lists of tokens into arrays; the id and the bytes of each token are looked up once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ids = vocabulary.ids
        self._seen: dict[str, tuple[int, str, int]] = {}

    def checked(self, given: Sequence[Sequence[Token]], words: Sequence[str]) -> LineTokens:
        """Return the tokens of words, having checked that they cover each word."""
        found = self.of_texts(given, words)
        return self._one_by_one(given, words) if found is None else found

    def of_texts(self, given: Sequence[Sequence[Any]], words: Sequence[str]) -> LineTokens | None:
        """Return the tokens of all words at once; None unless all are texts that cover them."""
        if len(given) != len(words):
            raise BrokenPromiseError(
                f"segment_many gave {len(given)} segmentations for {len(words)} words"
            )
        if not {list, tuple}.issuperset(map(type, given)):
            for word, tokens in zip(words, given, strict=True):
                check_list(tokens, word)
        flat = list(chain.from_iterable(given))
        if not {str}.issuperset(map(type, flat)) or Marks.strip("".join(flat)) != "".join(words):
            return None
        row = np.append(0, np.cumsum(np.fromiter(map(len, given), np.int64, len(given))))
        ids = np.fromiter(map(self._ids.get, flat, repeat(-1)), np.int64, len(flat))
        reached = np.append(0, np.cumsum(byte_lengths(flat, MARKS)))
        begins = np.append(0, np.cumsum(byte_lengths(words)))
        if (reached[row] != begins).any():
            return None
        before = np.repeat(begins[:-1], np.diff(row))
        return LineTokens(row, ids, reached[:-1] - before, reached[1:] - before)

    def _one_by_one(self, given: Sequence[Sequence[Token]], words: Sequence[str]) -> LineTokens:
        row, ids, starts, ends = array("q", [0]), array("q"), array("q"), array("q")
        for word, tokens in zip(words, given, strict=True):
            position, text = 0, ""
            paired = False
            for token in tokens:
                if isinstance(token, str):
                    i, piece, length = self._seen.get(token) or self._look_up(token)
                    text += piece
                else:
                    paired = True
                    i, length = self._paired(word, token)
                if i is not None:
                    ids.append(i)
                    starts.append(position)
                    ends.append(position + length)
                position += length
            if position != byte_length(word) if paired else text != word:
                joined = "" if paired else f": they join to {cropped(text)}"
                raise BrokenPromiseError(
                    f"the tokens {cropped(list(tokens))} of {cropped(word)} do not cover it{joined}"
                )
            row.append(len(ids))
        return LineTokens(
            *(np.array(column, dtype=np.int64) for column in (row, ids, starts, ends))
        )

    def _look_up(self, token: str) -> tuple[int | None, str, int]:
        piece = Marks.strip(token)
        found = self._seen[token] = (self._ids.get(token, -1), piece, byte_length(piece))
        return found

    def _paired(self, word: str, token: Any) -> tuple[int | None, int]:
        try:
            name, length = token[0], index(token[1])
            known = name is None or isinstance(name, str | int)
            if len(token) > 2 or length < 0 or isinstance(name, bool) or not known:
                raise ValueError
            if isinstance(name, int) and not -1 <= name < len(self._ids):
                raise ValueError
        except (IndexError, KeyError, TypeError, ValueError):
            raise BrokenPromiseError(
                f"{cropped(token)} in {cropped(word)} is neither a token nor a (token, bytes) pair"
            ) from None
        return (self._ids.get(name, -1) if isinstance(name, str) else name), length


def check_list(tokens: object, word: str) -> None:
    """Raise BrokenPromiseError unless the tokens of a word are a list, or another sequence."""
    if not isinstance(tokens, Sequence) or isinstance(tokens, str):
        raise BrokenPromiseError(f"it gave {cropped(tokens)} for {cropped(word)}, not its tokens")


def starts_of(states: Timeline) -> Ints:
    """Return the byte at which each token begins: where the one before it in its state ended."""
    found = np.concatenate(([0], states.ends[:-1]))[: len(states.ends)]
    found[states.row[:-1][np.diff(states.row) > 0]] = 0
    return found


def refuse(wrong: Flags, word: Ints, texts: Sequence[str], what: str) -> None:
    """Raise BrokenPromiseError for the first of the rows that are wrong, if there are any.

    `word` is the number of each row's word in `texts`.
    """
    if wrong.any():
        text = texts[int(word[np.argmax(wrong)])]
        raise BrokenPromiseError(f"in its timeline the {what.format(cropped(text))}")


def _columns(given: Timeline | LineTokens, whose: str) -> dict[str, Ints]:
    columns = {}
    for name, values in vars(given).items():
        column = np.asarray(values)
        if column.ndim != 1 or (len(column) and column.dtype.kind not in "iu"):
            raise BrokenPromiseError(f"{whose} `{name}` is no array of whole numbers")
        columns[name] = column.astype(np.int64, copy=False)
    return columns


def _check_shapes(states: Timeline, texts: int) -> None:
    row, many = states.row, len(states.word)
    lengths = {len(row) - 1, len(states.since), len(states.until)}
    if lengths != {many} or len(states.ids) != len(states.ends):
        raise BrokenPromiseError("its timeline's arrays do not fit together")
    if row[0] != 0 or row[-1] != len(states.ids) or (np.diff(row) < 0).any():
        raise BrokenPromiseError("its timeline's `row` does not rise from 0 to the last token")
    steps = np.diff(np.concatenate(([-1], states.word, [texts])))
    if (steps < 0).any() or (steps > 1).any() or (steps[-1:] != 1).any():
        raise BrokenPromiseError(f"its timeline does not hold {texts} words in order")


def _check_lives(states: Timeline, texts: Sequence[str], since: int, learned: int) -> None:
    """Check that the states of each word follow one another, from `since` to all learned items."""
    word, many = states.word, len(states.word)
    first = np.append(True, word[1:] != word[:-1])[:many]
    last = np.append(first[1:], True)[:many]
    before = np.where(first, since, np.append(since, states.until[:-1])[:many])
    wrong = (states.since != before) | (states.since >= states.until)
    wrong |= last & (states.until != learned + 1)
    refuse(wrong, word, texts, f"states of {{}} leave a gap between {since} and {learned} learned")


def _check_tokens(states: Timeline, texts: Sequence[str], size: Ints, tokens: Ints) -> None:
    """Check that ids are there when their state begins, and that tokens reach the word's end."""
    word, count = states.word, np.diff(states.row)
    of_token = np.repeat(word, count)
    held = np.repeat(tokens[states.since], count)
    unknown = (states.ids < -1) | (states.ids >= held)
    refuse(unknown, of_token, texts, "tokens of {} hold an id that its vocabulary does not")
    refuse(states.ends < starts_of(states), of_token, texts, "tokens of {} do not cover it")
    reached = np.zeros(len(word), dtype=np.int64)
    reached[count > 0] = states.ends[states.row[1:][count > 0] - 1]
    refuse((count == 0) | (reached != size[word]), word, texts, "tokens of {} do not cover it")
