"""Word splits: exactly the format of course programs, and nothing lost on the way back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeRank
from tokbench_formats.word_splits import WordSplitsFormat

from tests.interchange.samples import export, imported, notes
from tokbench.api import InputError, Learned, Marks, Size, Vocabulary
from tokbench.api.text import EOW

WORDS = st.dictionaries(
    st.text("abć한</w>▁#", min_size=1, max_size=6), st.integers(1, 9), min_size=1
)
MARKS = st.fixed_dictionaries(
    {
        "eow": st.sampled_from(["absent", "fused", "separate", "fenced"]),
        "bow": st.sampled_from(["absent", "fused", "separate"]),
        "continuation": st.sampled_from(["absent", "fused", "display"]),
    }
)


@given(WORDS, MARKS, st.integers(0, 12))
def test_a_vocabulary_is_read_back_as_it_was_but_for_counts(
    words: dict[str, int], marks: dict[str, Any], merges: int
) -> None:
    """Symbols whose spelling would be read as another are refused, never changed."""
    vocabulary = Bpe.configure(**marks).learn(words, Size(learned=merges))
    segmenter = BpeRank()
    cuts = segmenter.segment_many(words, segmenter.prepare(vocabulary))
    splits = [([str(t) for t in cut], n) for cut, n in zip(cuts, words.values(), strict=True)]
    symbols = {part for item in vocabulary.learned for part in item.parts}
    symbols |= {*vocabulary.alphabet, *(token for tokens, _ in splits for token in tokens)}
    if any(vocabulary.marks.read(vocabulary.marks.show(s)) != s for s in symbols):
        with pytest.raises(InputError, match="word-splits cannot carry the token"):
            export(vocabulary, "word-splits", splits=splits)["vocab.txt"]
        return
    text = export(vocabulary, "word-splits", splits=splits)["vocab.txt"]
    assert WordSplitsFormat().recognise(text.encode())
    back = imported("word-splits", text).vocabulary
    assert back.marks == vocabulary.marks
    assert back.alphabet == vocabulary.alphabet
    assert [i.parts for i in back.learned] == [i.parts for i in vocabulary.learned]
    assert back.tokens == vocabulary.tokens


def test_a_plain_vocabulary_has_only_the_two_sections_of_the_format() -> None:
    vocabulary = Vocabulary.build(["l", "o", "w"], [Learned(("l", "o"), 7)])
    text = export(vocabulary, "word-splits", splits=[(["lo", "w"], 5)])["vocab.txt"]
    assert text == "==== Vocabulary ====\nlo w 5\n\n==== Merge Rules ====\nl o\n"


def test_letters_that_no_word_shows_stand_in_a_section_of_their_own() -> None:
    marks = Marks.model_validate({"eow": "fused"})
    vocabulary = Vocabulary.build(["w", "w" + EOW], (), marks=marks)
    text = export(vocabulary, "word-splits", splits=[(["w" + EOW], 5)])["vocab.txt"]
    assert "==== Alphabet ====\nw w</w>\n" in text
    assert imported("word-splits", text).vocabulary.tokens == vocabulary.tokens


def test_a_windows_file_with_a_byte_order_mark_is_read() -> None:
    text = "\ufeff==== Vocabulary ====\r\nl o 5\r\n\r\n==== Merge Rules ====\r\nl o\r\n"
    assert imported("word-splits", text).vocabulary.tokens == ("l", "o", "lo")


def test_an_export_tells_what_the_sections_have_no_place_for() -> None:
    vocabulary = Vocabulary(("[UNK]", "a"), ("a",), unknown=0, segmenter={"use": "wordpiece"})
    assert notes(vocabulary, "word-splits") == (
        "the file has no place for special and unknown tokens: '[UNK]' left out",
        "the file does not name the segmenter 'wordpiece': it is read back with bpe",
    )
