"""Words are shared out over threads, and the states do not tell how many there were."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segment import threads
from tokbench_bpe.segmenters import BpeLearnedOrder, BpeRank, LongestMatch

from tokbench.api import Segmenter, Size, Timeline

pytest.importorskip("tokbench_bpe._segment")

VOCABULARY = Bpe().learn({"abab": 3, "abba": 2, "b\u00e9": 2, "aaaa": 1}, Size(learned=9))


def shared(patch: pytest.MonkeyPatch, number: int) -> None:
    """Share out even the fewest words over so many threads."""
    patch.setattr(threads, "THREADS", number)
    patch.setattr(threads, "LEAST", 1)
    patch.setattr(threads, "processors", lambda: number)


def columns(states: Timeline | None) -> dict[str, list[int]]:
    assert states is not None
    return {name: values.tolist() for name, values in vars(states).items()}


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
    found = []
    for number in (1, 2, 3):
        with pytest.MonkeyPatch.context() as patch:
            shared(patch, number)
            found.append(columns(segmenter.timeline(words, prepared, since)))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(("items", "parts"), [(1, 2), (50, 2), (51, 1)])
def test_few_words_are_cut_in_one_part(
    monkeypatch: pytest.MonkeyPatch, items: int, parts: int
) -> None:
    shared(monkeypatch, 2)
    asked: list[int] = []

    def cut(texts: Sequence[str]) -> list[bytes]:
        asked.append(len(texts))
        return [bytes(8)] * 6

    threads.share_out(cut, ["a"] * 100, items)
    assert len(asked) == parts
    assert sum(asked) == 100


def test_what_fails_in_a_thread_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    shared(monkeypatch, 2)

    def cut(texts: Sequence[str]) -> list[bytes]:
        if "b" in texts:
            raise OverflowError("a word is too long")
        return [bytes(8)] * 6

    with pytest.raises(OverflowError, match="too long"):
        threads.share_out(cut, [*"a" * 100, "b"], 1)


def test_parts_have_as_many_letters() -> None:
    assert threads.borders(["a"] * 3000 + ["aaa"] * 3000, 2) == [0, 4000, 6000]
