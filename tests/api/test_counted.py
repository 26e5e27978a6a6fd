from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.api.arrays import CountedWords

HARD = st.text(
    st.one_of(st.sampled_from("aé한👩\x00\ud800\udfff\ufdd3"), st.characters()), max_size=9
)
COUNTED = st.dictionaries(HARD, st.integers(1, 2**40))


@given(COUNTED)
def test_it_reads_like_a_dict(words):
    counted = CountedWords.of(words)
    assert counted == words
    assert (len(counted), [*counted], [*counted.values()]) == (
        len(words),
        [*words],
        [*words.values()],
    )
    assert [*counted.items()] == [*words.items()]
    assert all(word in counted and counted[word] == count for word, count in words.items())


@given(COUNTED)
def test_its_columns(words):
    counted = CountedWords.of(words)
    spelled = [word.encode("utf-8", "surrogatepass") for word in words]
    assert counted.utf8 == b"".join(spelled)
    assert [*counted.ends] == [len(b"".join(spelled[: i + 1])) for i in range(len(spelled))]
    assert (counted.ends.format, counted.counts.format) == ("q", "q")


def test_columns_are_laid_out_once():
    counted = CountedWords.of({"a": 1})
    assert CountedWords.of(counted) is counted


def test_a_word_that_does_not_occur():
    counted = CountedWords.of({"a": 1})
    with pytest.raises(KeyError):
        counted["b"]
    assert counted.get("b", 0) == 0


def test_no_words():
    counted = CountedWords(b"", array("q"), array("q"))
    assert (len(counted), [*counted.items()], counted.among(["a"])) == (0, [], {})
    assert not counted.frequent(1)


@given(COUNTED, st.sets(HARD))
def test_the_counts_of_some_words(words, wanted):
    asked = [*wanted, *[*words][::2]]
    expected = {word: words[word] for word in asked if word in words}
    assert CountedWords.of(words).among(iter(asked)) == expected


@given(st.dictionaries(HARD, st.integers(1, 5)), st.integers(1, 6))
def test_frequent_words_keep_their_order(words, least):
    expected = [(word, count) for word, count in words.items() if count >= least]
    assert [*CountedWords.of(words).frequent(least).items()] == expected
