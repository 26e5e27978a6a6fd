"""The character baseline."""

from tokbench_char import CharLearner, CharSegmenter

from tokbench.api import Marks, Size, Vocabulary
from tokbench.api.text import CONTINUATION, EOW


def test_knows_every_character_whatever_the_size() -> None:
    vocabulary = CharLearner().learn({"ba": 1, "b\ud800": 2, "가": 1}, Size(total=1))
    assert vocabulary.tokens == vocabulary.alphabet == ("a", "b", "가", "\ud800")
    assert vocabulary.segmenter == {"use": "char"}
    assert not CharLearner().sized


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
