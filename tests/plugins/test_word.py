"""The word baseline."""

from tokbench_word import WordLearner, WordSegmenter

from tokbench.api import Learned, Marks, Size, Vocabulary
from tokbench.api.text import BOW

WORDS = {"it": 2, "was": 3, "a": 2, "wet": 1, "day": 1}


def test_knows_the_most_frequent_words() -> None:
    vocabulary = WordLearner().learn(WORDS, Size(total=4))
    assert vocabulary.tokens == ("was", "a", "it", "day")
    assert vocabulary.alphabet == ()
    assert vocabulary.learned[0] == Learned(("was",), 3)
    assert WordLearner().learn(WORDS, Size(learned=4)) == vocabulary


def test_leaves_words_whole() -> None:
    segmenter = WordSegmenter()
    vocabulary = WordLearner().learn(WORDS, Size(total=1))
    prepared = segmenter.prepare(vocabulary)
    assert [segmenter.segment(word, prepared) for word in ("was", "it")] == [["was"], ["it"]]
    marked = Vocabulary(tokens=(), marks=Marks.model_validate({"bow": "separate"}))
    assert segmenter.segment("it", marked) == [BOW + "it"]
