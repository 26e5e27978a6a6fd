"""Checks of what segmenters return: arrays that fit, and tokens that cover and spell words.

Each failure is a BrokenPromiseError that names the first word concerned.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Marks, Token, Vocabulary
from tokbench.api.arrays import LineTokens, Timeline
from tokbench.api.segmentation import known_tokens
from tokbench.api.text import byte_length
from tokbench.api.words import Flags, Ints, byte_lengths, spans
from tokbench.cut.timeline import batches_of_bytes, token_totals, until_next
from tokbench.errors import BrokenPromiseError, cropped

# Compare the spelling of so many bytes at a time, which takes several times as much memory.
_CHUNK_BYTES = 2_000_000


def checked_states(
    timeline: object, texts: Sequence[str], since: int, spelling: "Spelling"
) -> Timeline:
    """Return the states of texts from `since` learned items on, after checking them."""
    if not isinstance(timeline, Timeline):
        raise BrokenPromiseError(f"its timeline is {type(timeline).__name__}, not Timeline")
    states = Timeline(**_columns(timeline, "its timeline's"))
    _check_shapes(states, len(texts))
    _check_sizes(states, texts, since, len(spelling.vocabulary.learned))
    _check_tokens(states, texts, spelling)
    return states


def checked_lines(tokens: object, lines: Sequence[str], vocabulary: Vocabulary) -> LineTokens:
    """Return the tokens of lines, after checking their offsets and ids."""
    if not isinstance(tokens, LineTokens):
        raise BrokenPromiseError(f"segment_lines gave {type(tokens).__name__}, not LineTokens")
    tokens = LineTokens(**_columns(tokens, "its tokens'"))
    row, ids, starts, ends = tokens.row, tokens.ids, tokens.starts, tokens.ends
    if len(row) != len(lines) + 1 or not _rises(row, len(ids)):
        raise BrokenPromiseError(f"its tokens' `row` does not fit {len(lines)} lines")
    if not len(ids) == len(starts) == len(ends):
        raise BrokenPromiseError("its tokens' arrays do not fit together")
    line = np.repeat(np.arange(len(lines)), np.diff(row))
    is_later = np.diff(line, prepend=-1) == 0
    wrong = (starts < 0) | (starts > ends) | (ends > byte_lengths(lines)[line])
    for column in (starts, ends):
        wrong |= is_later & (np.diff(column, prepend=0) < 0)
    wrong |= (ids < -1) | (ids >= len(vocabulary.tokens))
    if wrong.any():
        at = int(np.argmax(wrong))
        token = (int(ids[at]), int(starts[at]), int(ends[at]))
        raise BrokenPromiseError(
            f"the token (id, start, end) {token} of {cropped(lines[int(line[at])])} lies outside "
            "it, before another, or has an id that its vocabulary does not"
        )
    return tokens


def checked_words(
    cuts: Sequence[Sequence[Token]], words: Sequence[str], vocabulary: Vocabulary
) -> LineTokens:
    """Return the tokens of words as arrays, after checking that they cover each word."""
    if len(cuts) != len(words):
        raise BrokenPromiseError(
            f"segment_many gave {len(cuts)} segmentations for {len(words)} words"
        )
    if not {list, tuple}.issuperset(map(type, cuts)):
        for word, tokens in zip(words, cuts, strict=True):
            if not isinstance(tokens, Sequence) or isinstance(tokens, str):
                raise BrokenPromiseError(
                    f"it gave {cropped(tokens)} for {cropped(word)}, expected a list of tokens"
                )
    # Check all words at once if all tokens are texts, which is the usual case.
    flat: list[Any] = list(chain.from_iterable(cuts))
    text, joined = "".join(words), "".join(flat) if {str}.issuperset(map(type, flat)) else None
    # Equal in all, and of equal length in each word: then every word is covered by its tokens.
    if joined is not None and Marks.strip(joined) == text:
        row = np.append(0, np.cumsum(np.fromiter(map(len, cuts), np.int64, len(cuts))))
        ids = np.fromiter(map(vocabulary.ids.get, flat, repeat(-1)), np.int64, len(flat))
        sizes = {token: byte_length(Marks.strip(token)) for token in {*flat}}
        lengths = np.fromiter(map(sizes.__getitem__, flat), np.int64, len(flat))
        reached = np.append(0, np.cumsum(lengths))[row]
        if (np.diff(reached) == byte_lengths(words)).all():
            return LineTokens.from_lengths(row, ids, lengths)
    return _one_by_one(cuts, words, vocabulary)


def _one_by_one(
    cuts: Sequence[Sequence[Token]], words: Sequence[str], vocabulary: Vocabulary
) -> LineTokens:
    """Return the tokens of words, which may be pairs; raise for the first word not covered."""
    row, ids, starts, ends = array("q", [0]), array("q"), array("q"), array("q")
    for word, tokens in zip(words, cuts, strict=True):
        position, text, paired = 0, "", False
        i: int | None
        for token in tokens:
            if isinstance(token, str):
                piece = Marks.strip(token)
                i, length = vocabulary.ids.get(token, -1), byte_length(piece)
                text += piece
            else:
                paired = True
                i, length = _paired(word, token, vocabulary)
            if i is not None:
                ids.append(i)
                starts.append(position)
                ends.append(position + length)
            position += length
        if position != byte_length(word) if paired else text != word:
            joined = "" if paired else f": they join to {cropped(text) if text else 'nothing'}"
            raise BrokenPromiseError(
                f"the tokens {cropped(list(tokens))} of {cropped(word)} do not cover it{joined}"
            )
        row.append(len(ids))
    return LineTokens(*(np.array(column, dtype=np.int64) for column in (row, ids, starts, ends)))


def _paired(word: str, token: Any, vocabulary: Vocabulary) -> tuple[int | None, int]:
    """Return the id (None for dropped text) and the bytes of a (token, bytes) pair."""
    try:
        name, length = token[0], index(token[1])
        is_token = name is None or isinstance(name, str | int)
        if len(token) > 2 or length < 0 or isinstance(name, bool) or not is_token:
            raise ValueError
        if isinstance(name, int) and not -1 <= name < len(vocabulary.tokens):
            raise ValueError
    except (IndexError, KeyError, TypeError, ValueError):
        raise BrokenPromiseError(
            f"{cropped(token)} in {cropped(word)} is neither a token nor a (token, bytes) pair"
        ) from None
    return (vocabulary.ids.get(name, -1) if isinstance(name, str) else name), length


def _refuse(wrong: Flags, word: Ints, texts: Sequence[str], what: str) -> None:
    """Raise BrokenPromiseError if any row is wrong; `word` is the number of each row's word."""
    if wrong.any():
        text = texts[int(word[np.argmax(wrong)])]
        raise BrokenPromiseError(f"in its timeline the {what.format(cropped(text))}")


def _columns(table: Timeline | LineTokens, whose: str) -> dict[str, Ints]:
    columns = {}
    for name, values in vars(table).items():
        column = np.asarray(values)
        if column.ndim != 1 or (len(column) and column.dtype.kind not in "iu"):
            raise BrokenPromiseError(f"{whose} `{name}` is no array of whole numbers")
        columns[name] = column.astype(np.int64, copy=False)
    return columns


def _rises(row: Ints, tokens: int) -> bool:
    return bool(row[0] == 0 and row[-1] == tokens and (np.diff(row) >= 0).all())


def _check_shapes(states: Timeline, texts: int) -> None:
    lengths = {len(states.row) - 1, len(states.since), len(states.until)}
    if lengths != {len(states.word)} or len(states.ids) != len(states.ends):
        raise BrokenPromiseError("its timeline's arrays do not fit together")
    if not _rises(states.row, len(states.ids)):
        raise BrokenPromiseError("its timeline's `row` does not rise from 0 to the last token")
    steps = np.diff(np.concatenate(([-1], states.word, [texts])))
    if (steps < 0).any() or (steps > 1).any() or (steps[-1:] != 1).any():
        raise BrokenPromiseError(f"its timeline does not hold {texts} words in order")


def _check_sizes(states: Timeline, texts: Sequence[str], since: int, learned: int) -> None:
    """Check that the states of each word follow one another, from `since` to all learned items."""
    word = states.word
    is_first = np.diff(word, prepend=-1) != 0
    wrong = (states.since >= states.until) | (is_first & (states.since != since))
    wrong |= states.until != until_next(word, states.since, learned + 1)
    _refuse(wrong, word, texts, f"states of {{}} leave a gap between {since} and {learned} learned")


def _check_tokens(states: Timeline, texts: Sequence[str], spelling: "Spelling") -> None:
    """Check that the ids exist when their state begins, and that tokens cover and spell words."""
    word, count, starts = states.word, np.diff(states.row), states.starts
    of_token = np.repeat(word, count)
    totals = token_totals(spelling.vocabulary)
    unknown = (states.ids < -1) | (states.ids >= np.repeat(totals[states.since], count))
    _refuse(unknown, of_token, texts, "tokens of {} hold an id that its vocabulary does not")
    uncovered = "tokens of {} do not cover it"
    _refuse(states.ends < starts, of_token, texts, uncovered)
    size = byte_lengths(texts)
    reached = np.append(0, states.ends)[states.row[1:]]
    _refuse((count == 0) | (reached != size[word]), word, texts, uncovered)
    utf8 = np.frombuffer("".join(texts).encode("utf-8", "surrogatepass"), dtype=np.uint8)
    first = (np.cumsum(size) - size)[of_token] + starts
    known = known_tokens(states.ids, spelling.vocabulary)
    alike = spelling.spelled(utf8, first, states.ends - starts, states.ids, known)
    _refuse(known & ~alike, of_token, texts, uncovered)


@dataclass(frozen=True, eq=False)
class Spelling:
    """The bytes that each token of a vocabulary stands for, marks removed.

    `utf8` holds those of all tokens in a row; token `i` has the `size[i]` bytes from `first[i]` on.
    """

    vocabulary: Vocabulary
    utf8: NDArray[np.uint8]
    first: Ints
    size: Ints

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "Spelling":
        """Spell all tokens of a vocabulary."""
        texts = vocabulary.raws
        size = np.array([len(text) for text in texts], dtype=np.int64)
        utf8 = np.frombuffer(b"".join(texts), dtype=np.uint8)
        return cls(vocabulary, utf8, np.cumsum(size) - size, size)

    def spelled(
        self, utf8: NDArray[np.uint8], first: Ints, size: Ints, ids: Ints, known: Flags
    ) -> Flags:
        """Return whether each token is known and stands for exactly the bytes that it covers.

        Token `i` covers the `size[i]` bytes of `utf8` from `first[i]` on.
        """
        alike = known.copy()
        alike[alike] = self.size[ids[alike]] == size[alike]
        matching = np.flatnonzero(alike)
        for begin, end in batches_of_bytes(size[matching], _CHUNK_BYTES):
            tokens = matching[begin:end]
            many = size[tokens]
            covered = utf8[spans(first[tokens], many)]
            differs = covered != self.utf8[spans(self.first[ids[tokens]], many)]
            alike[np.repeat(tokens, many)[differs]] = False
        return alike
