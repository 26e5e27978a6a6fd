"""Run a segmenter over distinct words, check what it gives, and lay it out as flat arrays."""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from tokbench.api import Marks, Segmentation, Segmenter, Splitter, TextSegmenter, Vocabulary, Words
from tokbench.api.segmentation import byte_length
from tokbench.api.segmenter import Token
from tokbench.runner.decoding import Spelling, restored, spelled
from tokbench.runner.incontext import segment_alone
from tokbench.runner.pieces import Pieces
from tokbench.runner.promises import BrokenPromiseError, cropped
from tokbench.runner.timeline import Replay


def segment(
    words: Words,
    vocabulary: Vocabulary,
    segmenter: Segmenter,
    prepared: Any,
    splitter: Splitter | None = None,
) -> Segmentation:
    """Cut all distinct words; raises BrokenPromiseError where the tokens do not cover a word."""
    since = len(vocabulary.learned)
    if isinstance(segmenter, TextSegmenter) and splitter is None:
        return segment_alone(words, vocabulary, segmenter, prepared)
    found = Replay(vocabulary, segmenter, prepared, splitter)(words, since)
    if found is not None:
        return found.at(since, vocabulary)
    return _one_by_one(words, vocabulary, segmenter, prepared, splitter)


def _one_by_one(
    words: Words,
    vocabulary: Vocabulary,
    segmenter: Segmenter,
    prepared: Any,
    splitter: Splitter | None,
) -> Segmentation:
    table = TokenTable(vocabulary)
    row, ids, ends = array("q", [0]), array("q"), array("q")
    starts = array("q")
    for word, tokens in zip(words.text, _tokens(words, segmenter, prepared, splitter), strict=True):
        table.lay_out(word, tokens, ids, starts, ends)
        row.append(len(ids))
    found = Segmentation(
        words=words,
        vocabulary=vocabulary,
        word=np.arange(len(words), dtype=np.int64),
        row=np.array(row, dtype=np.int64),
        ids=np.array(ids, dtype=np.int64),
        starts=np.array(starts, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        restored=np.zeros(len(words), dtype=bool),
    )
    alike = spelled(found, Spelling.of(vocabulary))
    return replace(found, restored=restored(found, segmenter, alike))


class TokenTable:
    """What laying out needs of each token, looked up once: its id and the bytes of its text."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ids = vocabulary.ids
        self._seen: dict[str, tuple[int, str, int]] = {}

    def lay_out(
        self,
        word: str,
        tokens: Sequence[Token],
        ids: "array[int]",
        starts: "array[int]",
        ends: "array[int]",
    ) -> None:
        """Append the ids and byte positions of a word's tokens, checking that they cover it."""
        position, text = 0, ""
        paired = False
        i: int | None
        for token in tokens:
            if isinstance(token, str):
                i, piece, length = self._look_up(token)
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

    def _look_up(self, token: str) -> tuple[int, str, int]:
        found = self._seen.get(token)
        if found is None:
            piece = Marks.strip(token)
            found = self._seen[token] = (self._ids.get(token, -1), piece, byte_length(piece))
        return found

    def _paired(self, word: str, token: Any) -> tuple[int | None, int]:
        try:
            name, length = token
            if length < 0 or not (name is None or isinstance(name, str | int)):
                raise ValueError
            if isinstance(name, int) and not -1 <= name < len(self._ids):
                raise ValueError
        except (TypeError, ValueError):
            raise BrokenPromiseError(
                f"{cropped(token)} in {cropped(word)} is neither a token nor a (token, bytes) pair"
            ) from None
        return (self._ids.get(name, -1) if isinstance(name, str) else name), length


def _tokens(
    words: Words, segmenter: Segmenter, prepared: Any, splitter: Splitter | None
) -> Sequence[Sequence[Token]]:
    if splitter is None:
        return _many(words.text, segmenter, prepared)
    parts = Pieces.of(words.text, splitter)
    found = _many(parts.text, segmenter, prepared)
    numbers, row = parts.number.tolist(), parts.row.tolist()
    return [
        [token for number in numbers[first:last] for token in found[number]]
        for first, last in pairwise(row)
    ]


def _many(words: Sequence[str], segmenter: Segmenter, prepared: Any) -> list[Sequence[Token]]:
    found = list(segmenter.segment_many(words, prepared))
    if len(found) != len(words):
        raise BrokenPromiseError(
            f"segment_many gave {len(found)} segmentations for {len(words)} words"
        )
    return found
