"""Model files that are damaged, foreign or odd: an error that names the file, and no crash."""

import struct
from base64 import b64decode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_sentencepiece.learners import SentencePiece, SentencePieceBpe
from tokbench_sentencepiece.model import vocabulary_of
from tokbench_sentencepiece.segmenter import SentencePieceSegmenter

from tokbench.api import InputError, Size, Vocabulary

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED = range(1, 6)
BPE = b"\x18\x02"  # TrainerSpec.model_type
NO_PREFIX = b"\x18\x00"  # NormalizerSpec.add_dummy_prefix


def message(number: int, data: bytes) -> bytes:
    """Write a field of bytes, shorter than 128, as protocol buffers do."""
    return bytes([number << 3 | 2, len(data)]) + data


def piece(text: str | bytes, score: float = 0.0, kind: int = NORMAL) -> bytes:
    raw = text if isinstance(text, bytes) else text.encode("utf-8")
    return message(1, message(1, raw) + b"\x15" + struct.pack("<f", score) + bytes([0x18, kind]))


def model(*pieces: bytes, trainer: bytes = BPE, normalizer: bytes = b"") -> bytes:
    return b"".join([*pieces, message(2, trainer), message(3, normalizer)])


UNK = piece("<unk>", kind=UNKNOWN)


@pytest.fixture(scope="module")
def trained() -> bytes:
    vocabulary = SentencePieceBpe().learn({"low": 5, "lower": 2, "한국어": 1}, Size(learned=5))
    return b64decode(vocabulary.extra["model"])


def load(folder: Path, content: bytes) -> Vocabulary:
    path = folder / "my.model"
    path.write_bytes(content)
    return SentencePiece.configure(path=str(path)).load()


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (b"", "the file is empty"),
        (b'{"version": "1.0"}', "no field at byte 0|needs|no whole number"),
        (b"IQ== 0\nIg== 1\n", "no settings after the pieces"),
        (b"\xff" * 100, "no whole number at byte"),
        (UNK + piece("a") + message(2, BPE), "no settings after the pieces"),
        (model(piece("a")), "SentencePiece cannot read it: .*unk"),
        (model(UNK, piece("a"), piece("a")), "SentencePiece cannot read it: .*already defined"),
        (model(UNK, piece("")), "SentencePiece cannot read it: .*empty"),
        (model(UNK, piece("a\ufdd0")), r"holds '\\ufdd0', which stands for a mark"),
        (model(UNK, piece("a", float("nan"))), "piece 1 has the score nan"),
        (model(UNK, piece("a▁b"), piece("a b")), "token 'a b' stands twice"),
    ],
)
def test_damaged_and_foreign_files(tmp_path: Path, content: bytes, refusal: str) -> None:
    with pytest.raises(InputError, match=f"(?s)my.model: .*({refusal})"):
        load(tmp_path, content)


def test_a_file_cut_short_anywhere(trained: bytes) -> None:
    for size in range(len(trained)):
        with pytest.raises(InputError, match=r"cut\.model: "):
            vocabulary_of(trained[:size], "cut.model")


@given(st.data())
def test_a_file_with_wrong_bytes_is_refused_or_cuts_text(
    trained: bytes, data: st.DataObject
) -> None:
    changed = bytearray(trained)
    for _ in range(data.draw(st.integers(1, 5))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    try:
        vocabulary = vocabulary_of(bytes(changed), "changed.model")
    except InputError:
        return  # any other error fails the test, a crash ends it
    segmenter = SentencePieceSegmenter()
    tokens = segmenter.segment_lines(["low 한국어 x"], segmenter.prepare(vocabulary))
    assert tokens.ends.max(initial=0) <= 15


def test_kinds_of_pieces(tmp_path: Path) -> None:
    vocabulary = load(
        tmp_path,
        model(
            UNK,
            piece("<s>", kind=CONTROL),
            piece("<tag>", kind=USER_DEFINED),
            piece("ab", kind=UNUSED),
            piece("▁", -1.0),
            piece("▁a▁b▁", -2.0),
            piece("a", -3.0),
        ),
    )
    assert vocabulary.unknown == 0
    assert vocabulary.special == (1, 3), "control symbols, and what is never used"
    assert vocabulary.marks.show(vocabulary.tokens[5]) == "▁a b "
    assert (vocabulary.size, vocabulary.declared) == (4, 7)


def test_without_a_space_before_the_line_every_space_is_text(tmp_path: Path) -> None:
    vocabulary = load(tmp_path, model(UNK, piece("▁a"), piece("▁"), normalizer=NO_PREFIX))
    assert vocabulary.tokens[1:] == (" a", " ")
    assert vocabulary.raw(1) == b" a"
