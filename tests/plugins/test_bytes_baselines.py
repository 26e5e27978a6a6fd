"""The baselines of single bytes and of single code points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bytes.baselines import CodePoints, CodePointSegmenter, Utf8Bytes
from tokbench_bytes.segmenter import ByteBpeSegmenter

from tokbench.api import InputError, Vocabulary

VOCABULARY = Utf8Bytes().load()
texts = st.text(st.one_of(st.sampled_from("aé안\U0001f469\ud800\0"), st.characters()), min_size=1)


def test_there_are_256_tokens() -> None:
    assert VOCABULARY.size == 256
    assert [VOCABULARY.raw(i)[0] for i in range(256)] == [*range(256)]


@given(texts)
def test_ids_are_the_bytes(text: str) -> None:
    raw = [*text.encode("utf-8", "surrogatepass")]
    assert VOCABULARY.segmenter == {"use": "byte-bpe", "split": "none"}
    segmenter = ByteBpeSegmenter(split="none")
    prepared = segmenter.prepare(VOCABULARY)
    assert segmenter.segment(text, prepared) == [(byte, 1) for byte in raw]
    assert segmenter.segment_lines([text], prepared).ids.tolist() == raw
    assert segmenter.decode(raw, VOCABULARY) == text


def test_the_ids_of_byt5_are_three_higher() -> None:
    # Xue et al. (2022), and the example of Hugging Face's page on ByT5: ids of the text plus 3.
    segmenter = ByteBpeSegmenter(split="none")
    tokens = segmenter.segment_lines(["Life"], segmenter.prepare(VOCABULARY))
    assert [i + 3 for i in tokens.ids.tolist()] == [79, 108, 105, 104]


@pytest.fixture(scope="module")
def everything() -> Vocabulary:
    """All of Unicode, which takes 150 MB, so not for longer than needed."""
    return CodePoints().load()


@given(text=texts)
def test_ids_of_code_points_are_their_numbers(everything: Vocabulary, text: str) -> None:
    """As CANINE's `ord` of each character (Clark et al. 2022, section 3.1)."""
    segmenter = CodePointSegmenter()
    tokens = segmenter.segment(text, segmenter.prepare(everything))
    assert [token for token, _ in tokens] == [ord(character) for character in text]
    assert [size for _, size in tokens] == [
        len(character.encode("utf-8", "surrogatepass")) for character in text
    ]
    assert segmenter.decode([ord(character) for character in text], everything) == text


def test_all_of_unicode_is_known_and_no_other_vocabulary_will_do(everything: Vocabulary) -> None:
    assert (everything.size, everything.unknown, everything.special) == (0x110000, None, ())
    with pytest.raises(InputError, match="cuts with the vocabulary of code-points only"):
        CodePointSegmenter().prepare(VOCABULARY)
