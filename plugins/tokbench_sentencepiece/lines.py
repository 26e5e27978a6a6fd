"""SentencePiece over whole lines, with the bytes of each token; this module loads the library."""

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, compress

import numpy as np
from numpy.typing import NDArray
from sentencepiece import SentencePieceProcessor

from tokbench.api import Decision, Explanation, InputError, LineTokens, Vocabulary, encodable
from tokbench_sentencepiece.model import SPACE, Settings, load

Ints = NDArray[np.int64]

SAME, SPACED, CHANGED = 0, 1, 2
"""The text that tokens spell: the line as it is; without extra spaces; something else."""

_NO_BYTE = -1

_NO_TEXT = b"\xff"
"""Stands in no UTF-8, so that a line with such a token is not the text of its tokens."""

_LEADS = (0xC0, 0xE0, 0xF0)
"""The least first bytes of characters of two, three and four bytes of UTF-8."""

_MOST_BYTES = 4


@dataclass(frozen=True)
class PreparedModel:
    """A loaded model, and what is to be known of its tokens, by id.

    `byte` is the byte of a byte token, -1 of all others. `texts` are the bytes of the text that a
    token stands for, spaces as spaces. `before` is what the model puts before each line, None
    where it puts a space after it, which looks like one of the text. Only a `unigram` model knows
    the next best path.
    """

    processor: SentencePieceProcessor
    byte: Ints
    texts: Sequence[bytes]
    before: bytes | None
    unigram: bool

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "PreparedModel":
        """Load the model in a vocabulary; raises InputError where there is none for its tokens."""
        model = vocabulary.extra.get("model")
        if not isinstance(model, str):
            raise InputError(
                "the segmenter sentencepiece needs a vocabulary of the learner sentencepiece,"
                " sentencepiece-bpe or sentencepiece-unigram, with the model in it"
            )
        serialised = b64decode(model)
        processor = load(serialised, "the model in the vocabulary")
        size = processor.get_piece_size()
        if size != len(vocabulary.tokens):
            raise InputError(
                f"the vocabulary has {len(vocabulary.tokens)} tokens and its SentencePiece model"
                f" {size}: the model cannot be cut; where there are merges, use the segmenter bpe"
            )
        byte = np.full(size, _NO_BYTE)
        byte[list(vocabulary.bytes)] = list(vocabulary.bytes.values())
        pieces = processor.id_to_piece(list(range(size)))
        texts = [piece.replace(SPACE, " ").encode() for piece in pieces]
        for i, value in vocabulary.bytes.items():
            texts[i] = bytes([value])
        for i in vocabulary.unproduced:
            texts[i] = _NO_TEXT
        marks = vocabulary.marks
        before: bytes | None = b" " if marks.bow.kind != "absent" else b""
        if marks.eow.kind != "absent":
            before = None
        return cls(processor, byte, texts, before, Settings.read(serialised).unigram)

    def encode(self, lines: Sequence[str]) -> LineTokens:
        """Cut lines with the library, in its threads.

        The library takes several times as long where it is asked for offsets. So it is asked only
        for lines that its tokens do not spell: those that normalisation changes, or that hold
        what is unknown. In all others, tokens lie one after another.
        """
        texts = list(map(encodable, lines))
        found = self.processor.encode(texts)
        row = np.cumsum([0, *map(len, found)])
        ids = np.fromiter(chain.from_iterable(found), np.int64, int(row[-1]))
        how = np.fromiter(map(self.how, texts, found), np.int64, len(texts))
        lengths = np.array([*map(len, self.texts)])[ids]
        begin = row[:-1][(how != CHANGED) & (np.diff(row) > 0)]
        lengths[begin] -= len(self.before or b"")
        tokens = LineTokens.from_lengths(row, ids, lengths)
        if (spaced := how == SPACED).any():
            of = np.repeat(spaced, np.diff(row))
            places = _Kept.of([*compress(texts, spaced)], np.diff(row)[spaced])
            tokens.starts[of] = places.at(tokens.starts[of])
            tokens.ends[of] = places.at(tokens.ends[of])
        if (changed := how == CHANGED).any():
            of = np.repeat(changed, np.diff(row))
            found_there = self._offsets([*compress(texts, changed)], ids[of])
            tokens.starts[of], tokens.ends[of] = found_there
        return tokens

    def explain(self, line: str) -> Explanation:
        """Show a line as the library normalises it, and its pieces with their scores."""
        text = encodable(line)
        (tokens,) = self.encode([text]).pairs([text])
        ids = self.processor.encode(text)
        pieces = [
            {"piece": piece, "score": self.processor.get_score(i)}
            for i, piece in zip(ids, self.processor.id_to_piece(ids), strict=True)
        ]
        normalised = {"text": self.processor.normalize(text)}
        steps = [
            Decision("normalised", [normalised], [0], "as the model says"),
            Decision("pieces", pieces, range(len(pieces)), "as the library gives them"),
        ]
        if self.unigram and ids:
            steps.append(self._next_best(text))
        return Explanation(steps, tokens)

    def _next_best(self, text: str) -> Decision:
        paths = []
        for ids in self.processor.nbest_encode_as_ids(text, 2):
            path = tuple(self.processor.id_to_piece(ids))
            paths.append({"path": path, "sum of scores": sum(map(self.processor.get_score, ids))})
        return Decision("best and next best path", paths, [0], "the highest sum of scores is taken")

    def how(self, text: str, tokens: Sequence[int]) -> int:
        """Return whether tokens spell a line as it is, without all extra spaces, or otherwise."""
        if self.before is None:
            return CHANGED
        spelled = b"".join(map(self.texts.__getitem__, tokens))
        if spelled == self.before + text.encode():
            return SAME
        single = " ".join(filter(None, text.split(" ")))
        return SPACED if spelled == self.before + single.encode() else CHANGED

    def _offsets(self, texts: Sequence[str], ids: Ints) -> tuple[Ints, Ints]:
        """Ask the library where the tokens of lines, whose ids are known, begin and end."""
        found = self.processor.encode(texts, out_type="offset_mapping", return_bytes=True)
        flat = chain.from_iterable
        spans = flat(flat(line["offsets"] for line in found))
        starts, ends = np.fromiter(spans, np.int64, 2 * len(ids)).reshape(-1, 2).T.copy()
        _share_out(self.byte[ids], starts, ends)
        return starts, ends


@dataclass(frozen=True)
class _Kept:
    """Where the bytes of lines stand that are left when extra spaces are removed.

    Of several spaces the first is left, none at the edges of a line. `kept` holds the places of
    these bytes and of the end of the text for each line, `row` where each token's line begins.
    """

    kept: Ints
    row: Ints

    @classmethod
    def of(cls, texts: Sequence[str], tokens: Ints) -> "_Kept":
        """Find the bytes of lines with so many tokens each."""
        ended = [text.rstrip(" ").encode() + b"\n" for text in texts]
        size = np.fromiter(map(len, ended), np.int64, len(ended))
        first = np.cumsum(size) - size
        space = np.frombuffer(b"".join(ended), np.uint8) == ord(" ")
        extra = np.append(True, space[:-1])
        extra[first] = True
        left = ~(space & extra)
        place = np.arange(len(space)) - np.repeat(first, size)
        before = np.cumsum(left) - left
        return cls(place[left], np.repeat(before[first], tokens))

    def at(self, offsets: Ints) -> Ints:
        """Return the places of bytes that are counted without extra spaces, one for each token."""
        places: Ints = self.kept[self.row + offsets]
        return places


def _share_out(byte: Ints, starts: Ints, ends: Ints) -> None:
    """Return each byte token of a character its own byte of the text, in place.

    The library gives the last of them the whole character. Where normalisation changed the
    character, so that there are more or fewer bytes than tokens, it stays so.
    """
    first = np.flatnonzero((byte >= 0) & ((byte & 0xC0) != 0x80))
    length = np.searchsorted(_LEADS, byte[first], side="right") + 1
    first, length = first[length > 1], length[length > 1]
    last = first + length - 1
    begin = starts[last]
    whole = (byte[last] >= 0) & (ends[first] == begin) & (ends[last] - begin == length)
    first, begin, length = first[whole], begin[whole], length[whole]
    for k in range(_MOST_BYTES):
        has = length > k
        at, place = first[has] + k, begin[has] + k
        starts[at], ends[at] = place, place + 1
