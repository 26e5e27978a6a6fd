"""The segmenter `sentencepiece`: the library itself, over whole lines."""

from base64 import b64decode
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

from tokbench.api import Decision, Explanation, InputError, Marks, TextSegmenter, Vocabulary
from tokbench.api.text import encodable
from tokbench_sentencepiece import NeedsSentencePiece

if TYPE_CHECKING:
    from tokbench.api.arrays import LineTokens

NO_TEXT = b"\xff"
"""Stands in no UTF-8, so that a line with such a token is not the text of its tokens."""
LEADS = (0xC0, 0xE0, 0xF0)
"""The least first bytes of characters of two, three and four bytes of UTF-8."""


@dataclass(frozen=True)
class PreparedModel:
    """A loaded model, the byte of each byte token by id, and whether its kind is Unigram.

    `bare` are the ids of marks without text, `texts` the bytes that each token stands for, `before`
    is what the model puts before a line; None where it puts something after it.
    """

    processor: Any
    byte_of: Mapping[int, int]
    bare: frozenset[int]
    texts: Sequence[bytes]
    before: bytes | None
    unigram: bool

    def spells(self, ids: Sequence[int], text: str) -> bool:
        """Return whether tokens, one after another, are the text as it is."""
        if self.before is None:
            return False
        return b"".join(map(self.texts.__getitem__, ids)) == self.before + text.encode()


class SentencePieceSegmenter(NeedsSentencePiece, TextSegmenter):
    """Cut text as SentencePiece does, each token with the bytes of the text before normalisation.

    The vocabulary contains the model and its settings (normalisation, the space before a line).
    Text that spells a control symbol is ordinary text. U+2581 (▁) in a text counts as a space. A
    lone surrogate is cut as U+FFFD, which has as many bytes.
    """

    def prepare(self, vocabulary: Vocabulary) -> PreparedModel:
        """Load the model in a vocabulary; raises InputError where there is none for its tokens."""
        # The library stays off the start-up path.
        from tokbench_sentencepiece.model import SPACE, Settings, load

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
        pieces = processor.id_to_piece(list(range(size)))
        texts = [piece.replace(SPACE, " ").encode() for piece in pieces]
        for i, value in vocabulary.bytes.items():
            texts[i] = bytes([value])
        for i in vocabulary.unproduced:
            texts[i] = NO_TEXT
        marks = vocabulary.marks
        before = b" " if marks.bow.kind != "absent" else b""
        return PreparedModel(
            processor,
            vocabulary.bytes,
            frozenset(i for i, token in enumerate(vocabulary.tokens) if not Marks.strip(token)),
            texts,
            before if marks.eow.kind == "absent" else None,
            Settings.read(serialised).unigram,
        )

    def segment_lines(self, lines: Sequence[str], prepared: PreparedModel) -> "LineTokens":
        """Return the tokens of whole lines, which the library cuts in its threads.

        To ask it for offsets takes two to three times as long, so that this is done only where the
        tokens are not the line as it is.
        """
        # NumPy stays off the start-up path.
        import numpy as np

        from tokbench.api.arrays import LineTokens

        texts = list(map(encodable, lines))
        cut = prepared.processor.encode(texts)
        row = np.cumsum([0, *map(len, cut)])
        ids = np.fromiter(chain.from_iterable(cut), np.int64, int(row[-1]))
        lengths = np.array([*map(len, prepared.texts)])[ids]
        lengths[row[:-1][np.diff(row) > 0]] -= len(prepared.before or b"")
        tokens = LineTokens.from_lengths(row, ids, lengths)
        changed = [
            number
            for number, (text, ids_of_line) in enumerate(zip(texts, cut, strict=True))
            if not prepared.spells(ids_of_line, text)
        ]
        with_offsets = prepared.processor.encode(
            [texts[number] for number in changed], out_type="offset_mapping", return_bytes=True
        )
        for number, line in zip(changed, with_offsets, strict=True):
            offsets = places(texts[number], line, prepared)
            of_line = slice(row[number], row[number + 1])
            spans = np.array(offsets, dtype=np.int64).reshape(-1, 2)
            tokens.starts[of_line], tokens.ends[of_line] = spans.T
        return tokens

    def explain(self, word: str, prepared: PreparedModel) -> Explanation:
        """Show the normalised line, and its pieces; of Unigram the next best path too."""
        text, processor = encodable(word), prepared.processor
        (tokens,) = self.segment_lines([text], prepared).pairs([text])
        ids = processor.encode(text)
        pieces = [
            {"piece": piece, "score": processor.get_score(i)}
            for i, piece in zip(ids, processor.id_to_piece(ids), strict=True)
        ]
        normalised = {"text": processor.normalize(text)}
        steps = [
            Decision("normalised", [normalised], [0], "as the model says"),
            Decision("pieces", pieces, range(len(pieces)), "as the library gives them"),
        ]
        if prepared.unigram and ids:
            paths = []
            for path in processor.nbest_encode_as_ids(text, 2):
                score = sum(map(processor.get_score, path))
                paths.append({"path": tuple(processor.id_to_piece(path)), "sum of scores": score})
            reason = "the highest sum of scores is taken"
            steps.append(Decision("best and next best path", paths, [0], reason))
        return Explanation(steps, tokens)


def places(text: str, cut: Mapping[str, Any], prepared: PreparedModel) -> Sequence[tuple[int, int]]:
    """Return the bytes of the tokens of a line, `cut` by the library with its offsets."""
    ids, offsets = cut["ids"], cut["offsets"]
    normalised, origins = prepared.processor.normalize(text, with_offsets=True)
    lengths = [
        1 if i in prepared.byte_of else len(piece)
        for i, piece in zip(ids, cut["pieces"], strict=True)
    ]
    has_text = [i not in prepared.bare for i in ids]
    split = find_split(lengths, normalised, origins)
    return share_out(ids, widen(text.encode(), offsets, has_text, split), prepared.byte_of)


def widen(
    line: bytes,
    offsets: Sequence[tuple[int, int]],
    has_text: Sequence[bool],
    split: Sequence[bool],
) -> Sequence[tuple[int, int]]:
    """Return the bytes of a line's tokens, each with the character in whose middle it ends.

    Where normalisation writes one character as several tokens, the library gives it to the last of
    them only; `split` tells which tokens end in such a character. A mark without text does not get
    it, but where a token before it did, since ends must not fall.

    >>> widen("½".encode(), [(0, 0), (0, 0), (0, 2)], [False, True, True], [True, True, False])
    [(0, 0), (0, 2), (0, 2)]
    """
    places, least = [], 0
    for (begin, end), text, inside in zip(offsets, has_text, split, strict=True):
        if text and inside and end < len(line):
            end += bisect_right(LEADS, line[end]) + 1
        least = max(least, end)
        places.append((begin, least))
    return places


def find_split(lengths: Sequence[int], normalised: str, origins: Sequence[int]) -> list[bool]:
    """Return which tokens, given as bytes of the normalised text, end inside a character.

    `origins` are the places of its characters in the text.

    >>> find_split([3, 1, 3, 1, 1], "▁1⁄2a", [0, 0, 0, 0, 1, 2])
    [True, True, True, False, False]
    """
    widths = map(len, map(str.encode, normalised))
    of_byte = [origin for origin, width in zip(origins, widths, strict=False) for _ in range(width)]
    of_byte += origins[-1:]
    return [of_byte[end - 1] == of_byte[end] for end in accumulate(lengths)]


def share_out(
    ids: Sequence[int], offsets: Sequence[tuple[int, int]], byte: Mapping[int, int]
) -> Sequence[tuple[int, int]]:
    """Return the bytes of a line's tokens, each byte token of a character with its own byte.

    Where normalisation changed the character, so that there are more or fewer bytes than tokens, or
    other tokens have it too, all of them keep the whole character.

    >>> share_out([7, 9], [(0, 2), (0, 2)], {7: 0xC3, 9: 0xA9})
    [(0, 1), (1, 2)]
    """
    if byte.keys().isdisjoint(ids):
        return offsets
    places = [*offsets]
    for at, i in enumerate(ids):
        # UTF-8 tells by the first byte of a character how many there are.
        size = bisect_right(LEADS, byte.get(i, 0)) + 1
        after = at + size
        if size == 1 or after > len(ids) or ids[after - 1] not in byte:
            continue
        begin, end = offsets[at]
        alone = (at == 0 or offsets[at - 1][1] <= begin) and (
            after == len(ids) or offsets[after][0] >= end
        )
        if alone and end - begin == size and {*offsets[at:after]} == {(begin, end)}:
            places[at:after] = [(begin + k, begin + k + 1) for k in range(size)]
    return places
