"""Many words are cut in two threads, and the states do not tell how many there were."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe import states
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeLearnedOrder, BpeRank, LongestMatch

from tokbench.api import Segmenter, Size
from tokbench.api.arrays import Timeline

pytest.importorskip("tokbench_bpe._segment")

VOCABULARY = Bpe().learn({"abab": 3, "abba": 2, "b\u00e9": 2, "aaaa": 1}, Size(learned=9))


def columns(timeline: Timeline | None) -> dict[str, list[int]]:
    assert timeline is not None
    return {name: values.tolist() for name, values in vars(timeline).items()}


@pytest.mark.parametrize("segmenter", [BpeRank(), BpeLearnedOrder(), LongestMatch()])
@given(
    words=st.lists(st.text("abx\u00e9\ud800", min_size=1, max_size=8), min_size=20, max_size=60),
    since=st.integers(0, 9),
)
def test_states_do_not_depend_on_the_number_of_threads(
    segmenter: Segmenter, words: list[str], since: int
) -> None:
    prepared = segmenter.prepare(VOCABULARY)
    since = min(since, len(VOCABULARY.learned))
    alone = columns(segmenter.timeline(words, prepared, since))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(states, "LEAST", 1)
        assert columns(segmenter.timeline(words, prepared, since)) == alone


@pytest.mark.parametrize(("items", "parts"), [(1, 2), (50, 2), (51, 1)])
def test_few_words_are_cut_in_one_part(
    monkeypatch: pytest.MonkeyPatch, items: int, parts: int
) -> None:
    monkeypatch.setattr(states, "LEAST", 1)
    asked: list[int] = []

    def cut(text: bytes) -> Sequence[bytearray]:
        asked.append(len(text))
        return [bytearray(8)] * 6

    states.cut_in_threads(cut, ["a"] * 100, items)
    assert len(asked) == parts
    assert sum(asked) == 800


def test_what_fails_in_a_thread_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "LEAST", 1)

    def cut(text: bytes) -> Sequence[bytearray]:
        if b"b" in text:
            raise OverflowError("a word is too long")
        return [bytearray(8)] * 6

    with pytest.raises(OverflowError, match="too long"):
        states.cut_in_threads(cut, [*"a" * 100, "b"], 1)
