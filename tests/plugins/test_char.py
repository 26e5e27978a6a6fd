"""The character baseline."""

import pytest
import tokbench_char
from tokbench_char import CharLearner, CharSegmenter

from tokbench.api import CONTINUATION, EOW, Marks, Size, Vocabulary


def test_what_the_plugin_offers() -> None:
    assert list(tokbench_char.tokbench_learners()) == ["char"]
    assert list(tokbench_char.tokbench_segmenters()) == ["char"]


@pytest.mark.parametrize("size", [Size(total=1), Size(total=99), Size(learned=0)])
def test_knows_every_character_whatever_the_size(size: Size) -> None:
    vocabulary = CharLearner().learn({"ba": 1, "b\ud800": 2, "가": 1}, size)
    assert vocabulary.tokens == vocabulary.alphabet == ("a", "b", "가", "\ud800")
    assert vocabulary.segmenter == {"use": "char"}
    assert not CharLearner().sized


def test_the_order_of_words_has_no_effect() -> None:
    learner = CharLearner()
    assert learner.order_free
    one, other = ({"ba": 1, "ca": 1}, {"ca": 1, "ba": 1})
    assert learner.learn(one, Size(total=9)) == learner.learn(other, Size(total=9))


def test_without_words_there_is_nothing_to_know() -> None:
    assert CharLearner().learn({}, Size(total=9)).tokens == ()


def test_cuts_into_characters() -> None:
    segmenter = CharSegmenter()
    vocabulary = CharLearner().learn({"ab": 1}, Size(total=9))
    assert segmenter.segment("abx", segmenter.prepare(vocabulary)) == ["a", "b", "x"]


def test_writes_the_marks_of_another_learners_vocabulary() -> None:
    marks = Marks.model_validate({"eow": "fused", "continuation": "fused"})
    cut = CharSegmenter().segment("ab", Vocabulary(tokens=(), marks=marks))
    assert cut == ["a", CONTINUATION + "b" + EOW]
