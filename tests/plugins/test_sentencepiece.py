"""SentencePiece's segmentation through the public interface: its ids, and spans of the text."""

import re
from base64 import b64decode
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor
from tokbench_sentencepiece.learners import (
    ModelTrainer,
    SentencePiece,
    SentencePieceBpe,
    SentencePieceUnigram,
)
from tokbench_sentencepiece.segmenter import SentencePieceSegmenter

from tokbench.api import InputError, Marks, Size, Vocabulary
from tokbench.api.text import BOW

SEGMENTER = SentencePieceSegmenter()
XLNET = "xlnet-sp-unigram/spiece.model"
MISTRAL = "mistral-sp-bpe/tokenizer.model.v1"
TEST = "sentencepiece-test/test_model.model"
JAPANESE = "sentencepiece-test/test_ja_model.model"
MODELS = (XLNET, MISTRAL, TEST, JAPANESE)
WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3, "한국어": 3, "ab": 1, "naïve": 2, "12a": 1}


@cache
def loaded(shared: Path, name: str) -> Vocabulary:
    path = shared / "tokenizers" / name
    if not path.is_file():
        pytest.skip(f"{name} is not among the shared data")
    return SentencePiece.configure(path=str(path)).load()


def cut(vocabulary: Vocabulary, lines: list[str]) -> Any:
    return SEGMENTER.segment_lines(lines, SEGMENTER.prepare(vocabulary))


def spans(vocabulary: Vocabulary, line: str) -> list[tuple[str, int, int]]:
    """Return each token of a line, its mark spelled, with its bytes."""
    tokens = cut(vocabulary, [line])
    shown = [vocabulary.marks.show(vocabulary.tokens[i]) for i in tokens.ids]
    return list(zip(shown, tokens.starts.tolist(), tokens.ends.tolist(), strict=True))


def check_lines(vocabulary: Vocabulary, lines: list[str]) -> None:
    """Check ids and spans against the library.

    Only the tokens that one character is written as are set apart: the library gives the last of
    them the whole character. The others share it, and byte tokens divide it.
    """
    theirs = SentencePieceProcessor(model_proto=b64decode(vocabulary.extra["model"]))
    tokens = cut(vocabulary, lines)
    for i, line in enumerate(lines):
        part = slice(tokens.row[i], tokens.row[i + 1])
        ids = tokens.ids[part].tolist()
        assert ids == theirs.encode(line, out_type=int)
        options = {"out_type": "offset_mapping", "return_bytes": True}
        offsets = [tuple(pair) for pair in theirs.encode(line, **options)["offsets"]]
        raw = line.encode("utf-8")
        ours = list(zip(tokens.starts[part].tolist(), tokens.ends[part].tolist(), strict=True))
        assert sorted(ours) == ours, "neither begins nor ends fall"
        byte = [vocabulary.bytes.get(token) for token in ids]
        plain = theirs.normalize(line).replace("▁", " ").strip(" ") == line.strip(" ")
        for i, token, offset, (start, end) in zip(ids, byte, offsets, ours, strict=True):
            shared = offset[1] + len(raw[offset[1] :].decode()[:1].encode())
            if token is None:
                assert start == offset[0]
                assert end in (offset[1], shared)
                assert start < end or not Marks.strip(vocabulary.tokens[i]) or not plain
            elif plain and end - start == 1:
                assert raw[start:end] == bytes([token])
        covered = {place for start, end in ours for place in range(start, end)}
        assert covered == {place for start, end in offsets for place in range(start, end)}


@pytest.mark.ci
def test_published_examples(shared: Path, golden: dict[str, Any]) -> None:
    vocabulary = loaded(shared, TEST)
    case = golden["sentencepiece-test-model"]
    texts, expected = case["input"]["texts"], case["expected"]
    for text, ids, pieces in zip(texts, expected["ids"], expected["pieces"], strict=True):
        assert cut(vocabulary, [text]).ids.tolist() == ids
        assert [shown for shown, *_ in spans(vocabulary, text)] == pieces


@pytest.mark.ci
@pytest.mark.parametrize("name", MODELS)
def test_ids_and_surfaces_are_the_librarys(
    shared: Path, name: str, hostile: list[str], twelve_languages: list[list[str]]
) -> None:
    few = [line for lines in twelve_languages for line in lines[:4]]
    check_lines(loaded(shared, name), hostile[::2] + few)


@pytest.mark.ci
def test_what_is_special_in_xlnet(shared: Path) -> None:
    vocabulary = loaded(shared, XLNET)
    control = ["<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>"]
    assert [vocabulary.tokens[i] for i in vocabulary.special] == control
    assert vocabulary.unknown == 0
    assert (vocabulary.size, vocabulary.declared) == (32_000 - len(control) - 1, 32_000)
    # A user-defined symbol is a token that text is cut into; a control symbol is not.
    assert spans(vocabulary, "a<eop>") == [("▁a", 0, 1), ("<eop>", 1, 6)]
    assert vocabulary.ids["<sep>"] not in cut(vocabulary, ["a<sep>"]).ids


@pytest.mark.ci
def test_byte_tokens_of_mistral(shared: Path) -> None:
    vocabulary = loaded(shared, MISTRAL)
    assert len(vocabulary.bytes) == 256
    assert vocabulary.raw(vocabulary.ids["<0xE2>"]) == b"\xe2"
    # ① has no token of its own: its three bytes lie one after another.
    assert spans(vocabulary, "a①") == [
        ("▁a", 0, 1),
        ("<0xE2>", 1, 2),
        ("<0x91>", 2, 3),
        ("<0xA0>", 3, 4),
    ]


@pytest.mark.ci
def test_normalisation_maps_back_to_the_text(shared: Path) -> None:
    vocabulary = loaded(shared, XLNET)
    # NFKC writes the ligature ﬁ (three bytes) as fi; of several spaces one is left.
    assert spans(vocabulary, "ﬁne  day ") == [("▁fine", 0, 5), ("▁day", 5, 10)]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # NFKC writes ㍱ (three bytes) as hPa, ⅞ as 7⁄8, ㈝ as (오전), the sign ŉ as ʼn.
        ("㍱", [("▁", 0, 0), ("h", 0, 3), ("Pa", 0, 3)]),
        ("x ⅞", [("▁x", 0, 1), ("▁7", 1, 5), ("⁄", 2, 5), ("8", 2, 5)]),
        ("㈝", [("▁", 0, 0), ("(", 0, 3), ("<unk>", 0, 3), (")", 0, 3)]),
        # A token that goes on after the character has it too.
        ("ŉa", [("▁", 0, 0), ("<unk>", 0, 2), ("na", 0, 3)]),
    ],
)
def test_tokens_of_one_character_share_it(
    shared: Path, line: str, expected: list[tuple[str, int, int]]
) -> None:
    assert spans(loaded(shared, XLNET), line) == expected


@pytest.mark.ci
def test_the_space_of_a_word_is_a_mark_and_others_are_text(shared: Path) -> None:
    vocabulary = loaded(shared, MISTRAL)
    assert vocabulary.marks.bow.kind == "separate"
    assert vocabulary.marks.bow.text == "▁"
    assert vocabulary.tokens[259] == BOW + " ", "the piece ▁▁"
    assert BOW not in "".join(token[1:] for token in vocabulary.tokens)
    assert SEGMENTER.decode(cut(vocabulary, ["low"]).ids.tolist(), vocabulary) == "low"


@pytest.mark.ci
def test_merges_of_a_bpe_model(shared: Path) -> None:
    vocabulary = loaded(shared, MISTRAL)
    assert vocabulary.learned[0].parts == (BOW, "t")
    assert vocabulary.learned[1].parts in {("i", "n"), ("e", "r")}
    assert BOW in vocabulary.alphabet
    assert loaded(shared, XLNET).learned == ()


SMALL: dict[str, tuple[type[ModelTrainer], dict[str, Any]]] = {
    "bpe": (SentencePieceBpe, {}),
    "unigram": (SentencePieceUnigram, {}),
    "single spaces": (SentencePieceBpe, {"remove-extra-whitespaces": True}),
    "no space before": (
        SentencePieceBpe,
        {"add-dummy-prefix": False, "remove-extra-whitespaces": True},
    ),
    "space after": (
        SentencePieceBpe,
        {"treat-whitespace-as-suffix": True, "remove-extra-whitespaces": True},
    ),
    "bytes": (SentencePieceUnigram, {"byte-fallback": True}),
    "nfkc": (
        SentencePieceBpe,
        {"normalisation": "nmt_nfkc", "remove-extra-whitespaces": True, "byte-fallback": True},
    ),
}


@cache
def learned(name: str) -> Vocabulary:
    learner, options = SMALL[name]
    return learner.configure(**options).learn(WORDS, Size(learned=12))


@pytest.fixture(params=SMALL)
def small(request: pytest.FixtureRequest) -> Vocabulary:
    return learned(request.param)


# Every category, so lone surrogates too; and what tokenizers use as marks.
hard = st.text(st.characters(exclude_characters="\ufdd0\ufdd1\ufdd2"), max_size=20)
MARKS = ("</w>", "▁", "##", "<unk>", "<s>", "<0x41>", "\x00", "▅", "\t", "\u2028", "  ")
LETTERS = ("low", "newest", " ", "🙂", "한", "ﬁ", "e\u0301", "\u200d", " low", "ﷺ", "①")
spelled = st.lists(st.sampled_from(MARKS + LETTERS)).map("".join)


@pytest.mark.ci
@given(st.lists(st.one_of(hard, spelled), max_size=4))
def test_hard_unicode(small: Vocabulary, lines: list[str]) -> None:
    check_lines(small, [re.sub("[\ud800-\udfff]", "", line) for line in lines])


@pytest.mark.ci
def test_lone_surrogates_are_cut_as_replacement_characters(small: Vocabulary) -> None:
    with_surrogates, without = (
        cut(small, ["low \ud800\udfff x"]),
        cut(small, ["low \ufffd\ufffd x"]),
    )
    assert with_surrogates.ids.tolist() == without.ids.tolist()
    assert with_surrogates.ends.tolist() == without.ends.tolist()


@pytest.mark.ci
def test_unknown_characters_are_one_token_with_their_bytes() -> None:
    vocabulary = SentencePieceBpe().learn(WORDS, Size(learned=0))
    assert spans(vocabulary, "l한q안") == [
        ("▁", 0, 0),
        ("l", 0, 1),
        ("한", 1, 4),
        ("<unk>", 4, 8),
    ]
    assert SEGMENTER.decode(cut(vocabulary, ["q"]).ids.tolist(), vocabulary) == "\ufffd"


@pytest.mark.ci
def test_other_vocabularies_are_refused() -> None:
    with pytest.raises(InputError, match="needs a vocabulary of the learner sentencepiece"):
        SEGMENTER.prepare(Vocabulary(("a", "b")))
    vocabulary = SentencePieceBpe().learn(WORDS, Size(learned=5))
    with pytest.raises(InputError, match=r"has \d+ tokens and its SentencePiece model \d+"):
        SEGMENTER.prepare(vocabulary.cut(Size(learned=2)))
