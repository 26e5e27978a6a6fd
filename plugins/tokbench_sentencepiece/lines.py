"""SentencePiece over whole lines, with the bytes of each token; this module loads the library."""

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from sentencepiece import SentencePieceProcessor

from tokbench.api import Decision, Explanation, InputError, LineTokens, Vocabulary, encodable
from tokbench_sentencepiece.model import Settings, load

Ints = NDArray[np.int64]

_NO_BYTE = -1

_LEADS = (0xC0, 0xE0, 0xF0)
"""The least first bytes of characters of two, three and four bytes of UTF-8."""

_MOST_BYTES = 4


@dataclass(frozen=True)
class PreparedModel:
    """A loaded model; `byte` is the byte of a byte token, by id, and -1 of all others.

    Only a `unigram` model knows the next best path.
    """

    processor: SentencePieceProcessor
    byte: Ints
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
        return cls(processor, byte, Settings.read(serialised).unigram)

    def encode(self, lines: Sequence[str]) -> LineTokens:
        """Cut lines with the library, in its threads."""
        texts = list(map(encodable, lines))
        cut = self.processor.encode(texts, out_type="offset_mapping", return_bytes=True)
        row = np.cumsum([0, *(len(line["ids"]) for line in cut)])
        flat = chain.from_iterable
        ids = np.fromiter(flat(line["ids"] for line in cut), np.int64, int(row[-1]))
        offsets = np.fromiter(flat(flat(line["offsets"] for line in cut)), np.int64, 2 * len(ids))
        starts, ends = offsets.reshape(-1, 2).T.copy()
        _share_out(self.byte[ids], starts, ends)
        return LineTokens(row, ids, starts, ends)

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


def _share_out(byte: Ints, starts: Ints, ends: Ints) -> None:
    """Give each byte token of a character its own byte of the text, in place.

    The library gives the last of them the whole character. Where normalisation changed the
    character, so that there are more or fewer bytes than tokens, it stays so.
    """
    leads = np.flatnonzero((byte >= 0) & ((byte & 0xC0) != 0x80))
    length = np.searchsorted(_LEADS, byte[leads], side="right") + 1
    leads, length = leads[length > 1], length[length > 1]
    last = leads + length - 1
    begin = starts[last]
    exact = (byte[last] >= 0) & (ends[leads] == begin) & (ends[last] - begin == length)
    leads, begin, length = leads[exact], begin[exact], length[exact]
    for k in range(_MOST_BYTES):
        has = length > k
        at, place = leads[has] + k, begin[has] + k
        starts[at], ends[at] = place, place + 1
