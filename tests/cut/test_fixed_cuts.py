"""Cuts that do not depend on the size: what every cut vocabulary gives, from one segmentation."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe.learner import Bpe
from tokbench_char import CharSegmenter
from tokbench_word import WordSegmenter

from tests.timelines import NoTimeline, by_cutting
from tests.tiny import tiny_run
from tokbench.api import Learned, Marks, Size, Vocabulary
from tokbench.api.arrays import Timeline
from tokbench.api.text import EOW
from tokbench.cut import BoundSegmenter, BrokenPromiseError
from tokbench.cut.checks import checked_words
from tokbench.cut.timeline import states_of_cuts

VOCABULARY = Vocabulary.build(
    ("a",), [Learned(("b",)), Learned(("a", "b")), Learned(("한" + EOW,))], marks=Marks()
)


CUTS = [["a", "b"], ["c", "한" + EOW]]


def states(cuts: list[list[str]], since: int) -> Timeline:
    """Return the states of words that are always cut so."""
    words = [Marks.strip("".join(tokens)) for tokens in cuts]
    return states_of_cuts(checked_words(cuts, words, VOCABULARY), VOCABULARY, since)


def columns(states: Timeline) -> dict[str, list[int]]:
    return {name: values.tolist() for name, values in vars(states).items()}


WHOLE = {
    "word": [0, 0, 1, 1],
    "row": [0, 2, 4, 6, 8],
    "ids": [0, -1, 0, 1, -1, -1, -1, 3],
    "ends": [1, 2, 1, 2, 1, 4, 1, 4],
    "since": [0, 1, 0, 3],
    "until": [1, 4, 3, 4],
}
LATER = {
    "word": [0, 1, 1],
    "row": [0, 2, 4, 6],
    "ids": [0, 1, -1, -1, -1, 3],
    "ends": [1, 2, 1, 4, 1, 4],
    "since": [2, 2, 3],
    "until": [4, 3, 4],
}


@pytest.mark.parametrize(("since", "expected"), [(0, WHOLE), (2, LATER)])
def test_states_by_hand(since: int, expected: dict[str, list[int]]) -> None:
    """The word ab changes when b is learned, 한 with its mark at the end; c is never known."""
    assert columns(states(CUTS, since)) == expected


def test_no_words_have_no_states() -> None:
    assert columns(states([], 0))["word"] == []


@given(
    st.dictionaries(st.text("ab\xe9한\ud800", min_size=1, max_size=6), st.integers(1, 3)),
    st.lists(st.text("abc\xe9한\ud800", min_size=1, max_size=9), max_size=4),
    st.sampled_from(["absent", "fused", "separate", "fenced"]),
    st.sampled_from(["absent", "fused", "display"]),
    st.integers(0, 9),
)
def test_states_are_those_of_every_cut(
    training: dict[str, int], words: list[str], mark: str, continuation: str, since: int
) -> None:
    marks: dict[str, Any] = {"bow": mark, "eow": mark, "continuation": continuation}
    learner = Bpe.configure(**marks)
    vocabulary = learner.learn(training, Size(learned=9))
    since = min(since, len(vocabulary.learned))
    for segmenter in (CharSegmenter(), WordSegmenter()):
        timeline = BoundSegmenter(segmenter, vocabulary).states(words, since)
        assert timeline is not None
        assert columns(timeline) == columns(by_cutting(segmenter, words, vocabulary, since))


def test_without_fixed_cuts_the_timeline_counts() -> None:
    assert BoundSegmenter(NoTimeline(), VOCABULARY).states([], 0) is None


class Pairs(CharSegmenter):
    """Says of each token how many bytes it covers."""

    def segment_many(self, words: Iterable[str], prepared: Any) -> Any:
        return ([(letter, 1) for letter in word] for word in words)


def test_tokens_that_are_no_texts_are_refused() -> None:
    message = r"its cuts are fixed, so that its tokens are texts, not \('a', 1\)"
    with pytest.raises(BrokenPromiseError, match=message):
        BoundSegmenter(Pairs(), VOCABULARY).states(["ab"], 0)
    with pytest.raises(BrokenPromiseError, match=message):
        BoundSegmenter(Pairs(), VOCABULARY).tokens(["ab"])


def test_a_letter_that_is_another_byte_is_not_given_back(tmp_path: Path) -> None:
    """The byte 0xEF is written ï, and is no ï: neither a replay nor one size takes it for one."""
    texts = {"train": "na\xefve\n", "test": "na\xefve\n"}
    system = "[{learner: byte-bpe, segmenter: char}]"
    for sizes in ("[256]", "[256, 257]"):
        run = tiny_run(tmp_path, sizes=sizes, systems=system, metrics="[round-trip]", texts=texts)
        values = {row.size: row.value for row in run.rows if row.metric == "round-trip"}
        assert set(values.values()) == {0.0}
