"""Timelines in portions, and of listed sizes alone, are the same as whole ones."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from math import ceil
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe.learner import Bpe as BpeLearner
from tokbench_bpe.segmenters import BpeRank as Bpe

from tests.cutting import CORPUS, SYSTEM, Halves, made, run_with
from tests.timelines import same
from tests.tiny import FEWER_EXAMPLES
from tokbench.api import Learned, Size, Splitter, Vocabulary
from tokbench.corpora.words import build_words
from tokbench.cut import BoundSegmenter, replay, timeline

from .test_timeline import LETTERS, at

MOST = 500_000
"""The tokens of all states that a segmenter is asked for at once, of several words together."""


class Asked(Bpe):
    """Remembers the words of each timeline that it was asked for."""

    asked: ClassVar[list[list[str]]]

    def timeline(self, words: Sequence[str], prepared: Any, since: int = 0) -> Any:
        self.asked.append([*words])
        return super().timeline(words, prepared, since)


@pytest.mark.ci
def test_long_words_are_asked_for_in_portions(tmp_path: Path) -> None:
    """A word of n letters has at most n tokens in each of at most n, or all learned, states."""
    items = [("a", "b"), ("c", "c"), ("ab", "ab"), *[("d" * n, "d") for n in range(1, 10)]]
    vocabulary = Vocabulary.build(tuple("abcd"), map(Learned, items))
    pairs = [4_500 + number for number in range(100)]
    words = ["ab" * number for number in pairs]
    segmenter = made(Asked, asked=[])
    sizes = {0: 2, 1: 1, 2: 1, 12: 0.5}
    run = run_with(tmp_path, vocabulary, segmenter, [*words], merges=str([*sizes]))
    assert run.failures == ()
    for size, tokens in sizes.items():
        assert at(run, size).tokens.tolist() == [ceil(number * tokens) for number in pairs]
        assert at(run, size).round_trip.all()
    *portions, training = segmenter.asked
    assert (training, [*chain(*portions)]) == (["x"], words)
    cells = [[len(word) * 13 for word in part] for part in portions]
    assert len(cells) > 1
    assert all(sum(part) <= MOST for part in cells)
    for part, following in pairwise(cells):
        assert sum(part) + following[0] > MOST, "another word would have fitted"


def test_portions_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["ab", "abc", "b", "cab"]
    vocabulary = BpeLearner().learn({"ab": 2, "abc": 1}, Size(learned=2))
    words = build_words([(texts, 0, 0)])
    cut = []
    for cells in (4, timeline.STATE_CELLS):
        monkeypatch.setattr(timeline, "STATE_CELLS", cells)
        bound = BoundSegmenter(Bpe(), vocabulary)
        states = replay(bound, words, np.arange(3))
        assert states is not None
        cut.append([ids.tolist() for ids in (bound.tokens(texts).ids, states.word, states.ids)])
    assert cut[0] == cut[1]


@FEWER_EXAMPLES
@given(
    st.lists(LETTERS, min_size=1, max_size=8),
    st.lists(LETTERS, min_size=1, max_size=8),
    st.sets(st.integers(0, 6), min_size=1),
    st.sampled_from([None, Halves]),
)
def test_a_replay_of_the_sizes_wanted_is_the_whole_one(
    tmp_path_factory: pytest.TempPathFactory,
    training: list[str],
    tested: list[str],
    wanted: set[int],
    split: type[Splitter] | None,
) -> None:
    folder = tmp_path_factory.getbasetemp()
    learner = BpeLearner()
    vocabulary = learner.learn(Counter(training), Size(learned=6))
    sizes = sorted({min(m, len(vocabulary.learned)) for m in wanted})
    of_some, of_all = (
        run_with(folder, vocabulary, Bpe, [" ".join(tested)], split=split, merges=str([*merges]))
        for merges in (sizes, range(len(vocabulary.learned) + 1))
    )
    for m in sizes:
        assert same(at(of_some, m), at(of_all, m))
        size = f"merges:{m}"
        assert len(of_some.segmentation(SYSTEM, CORPUS, size)) == len(of_some.words(CORPUS))
