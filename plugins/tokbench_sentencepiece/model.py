"""From a serialised SentencePiece model to a vocabulary; this module loads the library."""

import math
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sentencepiece import SentencePieceProcessor
from tokbench_formats.merging import recovered

from tokbench.api import BeginMark, EndMark, InputError, Marks, Vocabulary
from tokbench.api.text import BOW, CONTINUATION, EOW

SPACE = "▁"

# Numbers of fields and values in sentencepiece_model.proto.
_TRAINER_SPEC, _NORMALIZER_SPEC = 2, 3
_MODEL_TYPE, _UNIGRAM, _BPE = 3, 1, 2
_WHITESPACE_AS_SUFFIX = 24
_ADD_DUMMY_PREFIX = 3

# The kinds of fields in a protocol buffer.
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MOST_BITS = 63


@dataclass(frozen=True)
class Settings:
    """The kind of a model, and where it writes the space of a word."""

    bpe: bool
    unigram: bool
    marks: Marks

    @classmethod
    def read(cls, model: bytes) -> "Settings":
        """Read the settings; raises ValueError where the file is damaged or cut short."""
        top = dict(fields(model))
        trainer, normalizer = top.get(_TRAINER_SPEC), top.get(_NORMALIZER_SPEC)
        if not isinstance(trainer, bytes) or not isinstance(normalizer, bytes):
            raise ValueError("no settings after the pieces: cut short, or another kind")
        trained, normalized = dict(fields(trainer)), dict(fields(normalizer))
        return cls(
            bpe=trained.get(_MODEL_TYPE) == _BPE,
            unigram=trained.get(_MODEL_TYPE, _UNIGRAM) == _UNIGRAM,
            marks=_marks(
                bool(normalized.get(_ADD_DUMMY_PREFIX, 1)),
                bool(trained.get(_WHITESPACE_AS_SUFFIX, 0)),
            ),
        )


def _marks(dummy: bool, suffix: bool) -> Marks:
    """Return the mark of a word's space; where no space is added, every ▁ is one of the text."""
    if not dummy:
        return Marks()
    if suffix:
        return Marks(eow=EndMark(kind="separate", text=SPACE))
    return Marks(bow=BeginMark(kind="separate", text=SPACE))


def load(model: bytes, where: str) -> SentencePieceProcessor:
    """Load a model; raises InputError, naming `where`, if the library refuses it."""
    try:
        processor = SentencePieceProcessor()
        processor.LoadFromSerializedProto(model)
    except RuntimeError as error:
        raise InputError(f"{where}: SentencePiece cannot read it: {error}") from None
    return processor


def vocabulary_of(model: bytes, where: str, declares: bool = False) -> Vocabulary:
    """Return the vocabulary of a serialised model, each token at the library's id.

    Control symbols are special, and so are unused pieces, which the library never gives either;
    user-defined symbols are tokens like others, which text that spells them is cut into. Where
    the model `declares`, its number of pieces is the declared size. Raises InputError, naming
    `where`, for what is damaged or no SentencePiece model.
    """
    if not model:
        raise InputError(f"{where}: the file is empty")
    try:
        settings = Settings.read(model)
    except ValueError as error:
        raise InputError(f"{where}: no whole SentencePiece model: {error}") from None
    processor = load(model, where)
    try:
        return _vocabulary(processor, settings, model, declares)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def _vocabulary(
    processor: SentencePieceProcessor, settings: Settings, model: bytes, declares: bool
) -> Vocabulary:
    size = processor.get_piece_size()
    every = list(range(size))
    control, unused = processor.is_control(every), processor.is_unused(every)
    is_byte, unknown = processor.is_byte(every), processor.unk_id()
    pieces, scores = processor.id_to_piece(every), processor.get_score(every)
    tokens = tuple(_token(piece, settings.marks) for piece in pieces)
    special = tuple(i for i in every if control[i] or unused[i])
    plain = [i for i in every if i not in {*special, unknown} and not is_byte[i]]
    if wrong := next((i for i in plain if not math.isfinite(scores[i])), None):
        raise ValueError(f"piece {wrong} has the score {scores[wrong]}")
    return Vocabulary(
        tokens=tokens,
        marks=settings.marks,
        special=special,
        unknown=unknown,
        bytes={i: int(pieces[i][3:5], 16) for i in every if is_byte[i]},
        declared=size if declares else None,
        segmenter={"use": "sentencepiece"},
        extra={
            "model": b64encode(model).decode("ascii"),
            "scores": {tokens[i]: scores[i] for i in plain},
        },
        **(_merged(tokens, plain, scores) if settings.bpe else {}),
    )


def _token(piece: str, marks: Marks) -> str:
    """Spell a piece: the space of a word is a mark, other spaces are text.

    Raises ValueError for a noncharacter that stands for a mark.
    """
    if mark := next((letter for letter in piece if letter in (BOW, EOW, CONTINUATION)), None):
        raise ValueError(f"piece {piece!r} holds {mark!r}, which stands for a mark here")
    text = piece.replace(SPACE, " ")
    if marks.bow.kind != "absent" and piece.startswith(SPACE):
        return BOW + text[1:]
    if marks.eow.kind != "absent" and piece.endswith(SPACE):
        return text[:-1] + EOW
    return text


def _merged(tokens: tuple[str, ...], plain: list[int], scores: list[float]) -> dict[str, Any]:
    """Return the alphabet and the merges of a BPE model, whose scores are their ranks, negative."""
    ordered = sorted(plain, key=lambda i: -scores[i])
    ranks = {tokens[i]: rank for rank, i in enumerate(ordered)}
    alphabet = tuple(tokens[i] for i in plain if len(tokens[i]) == 1)
    return {"alphabet": alphabet, "learned": tuple(recovered(ranks))}


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of a serialised protocol buffer: the number of each, and its value.

    The value of a varint is a number, that of other types their bytes. Raises
    ValueError for damage.
    Strict, since the library takes a file that was cut short between two pieces for a whole one.
    Source: protobuf.dev, Encoding.
    """
    at = 0
    while at < len(data):
        begin = at
        tag, at = _number(data, at)
        number, kind = tag >> 3, tag & 7
        size = {_FIXED64: 8, _FIXED32: 4}.get(kind)
        if kind == _VARINT:
            value, at = _number(data, at)
            yield number, value
            continue
        if kind == _BYTES:
            size, at = _number(data, at)
        if not number or size is None:
            raise ValueError(f"no field at byte {begin}")
        if at + size > len(data):
            raise ValueError(f"the field at byte {begin} needs {at + size - len(data)} more bytes")
        yield number, data[at : at + size]
        at += size


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of seven bits a byte; return it, and where it ends."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > _MOST_BITS:
            raise ValueError(f"no whole number at byte {at}")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
