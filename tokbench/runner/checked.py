"""Checks what segmenters give as arrays: that they fit, without gaps, and that tokens cover words.

Whatever is wrong is a BrokenPromiseError, which names the first word concerned.
"""

from collections.abc import Sequence

import numpy as np

from tokbench.api import LineTokens, States, Vocabulary
from tokbench.api.segmentation import Flags, Ints, byte_length
from tokbench.runner.promises import BrokenPromiseError, cropped


def checked(given: object, texts: Sequence[str], tokens: Ints, since: int) -> States:
    """Give the states of texts from `since` learned items on, all but their spelling checked.

    `tokens` tells how many tokens there are with 0, 1, ... learned items.
    """
    states = _arrays(given)
    _check_shapes(states, len(texts))
    _check_lives(states, texts, since, len(tokens) - 1)
    _check_tokens(states, texts, tokens)
    return states


def checked_lines(
    given: object, lines: Sequence[str], size: Ints, vocabulary: Vocabulary
) -> LineTokens:
    """Give the tokens of lines, of so many bytes each, when their offsets have been checked."""
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


def starts(states: States) -> Ints:
    """Give the byte at which each token begins: where the one before it in its state ended."""
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


def _arrays(given: object) -> States:
    if not isinstance(given, States):
        raise BrokenPromiseError(f"its timeline is {type(given).__name__}, not States")
    return States(**_columns(given, "its timeline's"))


def _columns(given: States | LineTokens, whose: str) -> dict[str, Ints]:
    columns = {}
    for name, values in vars(given).items():
        column = np.asarray(values)
        if column.ndim != 1 or (len(column) and column.dtype.kind not in "iu"):
            raise BrokenPromiseError(f"{whose} `{name}` is no array of whole numbers")
        columns[name] = column.astype(np.int64, copy=False)
    return columns


def _check_shapes(states: States, texts: int) -> None:
    row, many = states.row, len(states.word)
    lengths = {len(row) - 1, len(states.since), len(states.until)}
    if lengths != {many} or len(states.ids) != len(states.ends):
        raise BrokenPromiseError("its timeline's arrays do not fit together")
    if row[0] != 0 or row[-1] != len(states.ids) or (np.diff(row) < 0).any():
        raise BrokenPromiseError("its timeline's `row` does not rise from 0 to the last token")
    steps = np.diff(np.concatenate(([-1], states.word, [texts])))
    if (steps < 0).any() or (steps > 1).any() or (steps[-1:] != 1).any():
        raise BrokenPromiseError(f"its timeline does not hold {texts} words in order")


def _check_lives(states: States, texts: Sequence[str], since: int, learned: int) -> None:
    """Check that the states of each word follow one another, from `since` to all learned items."""
    word, many = states.word, len(states.word)
    first = np.append(True, word[1:] != word[:-1])[:many]
    last = np.append(first[1:], True)[:many]
    before = np.where(first, since, np.append(since, states.until[:-1])[:many])
    wrong = (states.since != before) | (states.since >= states.until)
    wrong |= last & (states.until != learned + 1)
    refuse(wrong, word, texts, f"states of {{}} leave a gap between {since} and {learned} learned")


def _check_tokens(states: States, texts: Sequence[str], tokens: Ints) -> None:
    """Check that ids are there when their state begins, and that tokens reach the word's end."""
    word, count = states.word, np.diff(states.row)
    of_token = np.repeat(word, count)
    held = np.repeat(tokens[states.since], count)
    unknown = (states.ids < -1) | (states.ids >= held)
    refuse(unknown, of_token, texts, "tokens of {} hold an id that its vocabulary does not")
    refuse(states.ends < starts(states), of_token, texts, "tokens of {} do not cover it")
    size = np.array([byte_length(text) for text in texts], dtype=np.int64)
    reached = np.zeros(len(word), dtype=np.int64)
    reached[count > 0] = states.ends[states.row[1:][count > 0] - 1]
    refuse((count == 0) | (reached != size[word]), word, texts, "tokens of {} do not cover it")
