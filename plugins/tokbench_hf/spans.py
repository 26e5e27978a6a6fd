"""Byte offsets where those of the library are not exact."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from tokbench_formats.hf_spelling import parts

from tokbench.api.arrays import LineTokens

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Form = Literal["NFC", "NFKC"]


def sum_lines(values: Ints, row: Ints) -> Ints:
    """Add up one number a token to one number a line."""
    sums = np.concatenate(([0], np.cumsum(values)))
    return np.diff(sums[row])


def empty_bare_marks(bare: Flags, tokens: LineTokens) -> None:
    """Take the next token's bytes from a mark that the tokenizer wrote before the text.

    The library gives the first character of the text to both.
    """
    last = _last(tokens)
    at = np.flatnonzero(bare[:-1] & ~last[:-1])
    before = np.maximum(at - 1, 0)
    shared = tokens.starts[at] == tokens.starts[at + 1]
    # Inside a character that tokens before it cover too, it stays: ends must not fall.
    shared &= (at == 0) | last[before] | (tokens.ends[before] <= tokens.starts[at])
    tokens.ends[at[shared]] = tokens.starts[at[shared]]


def divide_bytes(single: Flags, tokens: LineTokens) -> None:
    """Give each byte token its own byte where a run of them shares as many bytes.

    Bytes that another token shares too stay shared: it is not known which token has which.
    """
    at = np.flatnonzero(single)
    if not len(at):
        return
    starts, ends, last = tokens.starts, tokens.ends, _last(tokens)
    breaks = (np.diff(at) != 1) | last[at[:-1]]
    breaks |= (np.diff(starts[at]) != 0) | (np.diff(ends[at]) != 0)
    runs = np.concatenate(([0], np.flatnonzero(breaks) + 1))
    sizes = np.diff(np.concatenate((runs, [len(at)])))
    begin, end = at[runs], at[runs] + sizes - 1
    exact = ends[begin] - starts[begin] == sizes
    before = np.maximum(begin - 1, 0)
    exact &= (begin == 0) | last[before] | (ends[before] <= starts[begin])
    after = np.minimum(end + 1, len(starts) - 1)
    exact &= last[end] | (starts[after] >= ends[end])
    exact, inside = np.repeat(exact, sizes), np.arange(len(at)) - np.repeat(runs, sizes)
    starts[at] += np.where(exact, inside, 0)
    ends[at] = np.where(exact, starts[at] + 1, ends[at])


def composing(normalizer: Any) -> Form | None:
    """Return the form to which a normalizer composes text; None where it drops accents instead."""
    kinds = {part.get("type") for part in parts(normalizer)}
    if kinds & {"StripAccents", "BertNormalizer"}:
        return None
    # SentencePiece's own maps compose as NFKC does.
    if kinds & {"NFKC", "Precompiled"}:
        return "NFKC"
    return "NFC" if "NFC" in kinds else None


def cover_composed(line: str, form: Form, starts: Ints, ends: Ints) -> None:
    """Give the tokens of a composed character all characters that it was composed of.

    The library gives them the first of these only.
    """
    for begin, end in _joined(line, form):
        if not ((starts < end) & (ends > begin)).any():
            ends[ends == begin] = end


def _joined(line: str, form: Form) -> Iterator[tuple[int, int]]:
    r"""Yield the bytes of each character that joins those before it.

    >>> list(_joined("ae\u0301b", "NFC"))
    [(2, 4)]
    """
    start, length, byte = 0, 0, 0
    for i, letter in enumerate(line):
        size, longer = len(letter.encode()), len(normalize(form, line[start : i + 1]))
        if i > start and longer == length:
            yield byte, byte + size
        else:
            start, length = i, len(normalize(form, letter))
        byte += size


def _last(tokens: LineTokens) -> Flags:
    """Return which tokens are the last of their line."""
    last = np.zeros(len(tokens.ids), np.bool_)
    rows = np.diff(tokens.row) > 0
    last[tokens.row[1:][rows] - 1] = True
    return last


def find_letters(line: bytes, tokens: Iterable[Sequence[bytes]]) -> list[tuple[int, int]] | None:
    """Return the bytes of tokens, given as their letters, in a line that has others between them.

    None where the letters are not those of the line. After a dropped character the library counts
    on as if it were not there.

    >>> find_letters(b"xaxb y", [[b"a", b"b"], [b"y"]])
    [(1, 4), (5, 6)]
    """
    places, position = [], 0
    for letters in tokens:
        begin = position
        for number, letter in enumerate(letters):
            at = line.find(letter, position)
            if at < 0:
                return None
            begin = begin if number else at
            position = at + len(letter)
        places.append((begin, position))
    return places
