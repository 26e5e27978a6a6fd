"""A corpus made ready: its subsets, its tables of units, and where metrics apply."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from scipy import sparse

from tokbench.api import AdditiveMetric, Metric, Segmentation, WholeMetric
from tokbench.corpora.load import TestCorpus
from tokbench.runner.bench import Bench, per_line, subsets

MakeCorpus = Callable[..., TestCorpus]


class ByWord(AdditiveMetric):
    """Counts words."""

    formula, range = "words", (0, 9)

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"words": np.ones(len(segmentation))}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return sums["words"]


class ByLine(ByWord):
    """Counts lines."""

    per = "line"


class Running(ByWord):
    """Tells of running text."""

    texts_only = True


class Gold(ByWord):
    """Needs gold boundaries."""

    needs = frozenset({"gold"})


class Whole(WholeMetric):
    """Measures at once."""

    formula, range = "1", (0, 9)

    def measure(self, segmentation: Segmentation) -> float:
        return 1.0


@pytest.fixture
def corpus(make_corpus: MakeCorpus) -> TestCorpus:
    """Lines `a b a` and `c b`, of which only b was seen in training."""
    return make_corpus("a b a", "c b", train={"b": 4})


def of_kind(corpus: TestCorpus, kind: Literal["list", "gold"]) -> TestCorpus:
    gold = ((), (), ()) if kind == "gold" else None
    words = replace(corpus.words, category=("x", "", "y"), gold=gold)
    return replace(corpus, kind=kind, words=words)


def test_subsets_are_all_unseen_and_each_category(corpus: TestCorpus) -> None:
    found = subsets(of_kind(corpus, "list").words)
    assert {name: mask.tolist() for name, mask in found.items()} == {
        "all": [True, True, True],
        "unseen": [True, False, True],
        "category:x": [True, False, False],
        "category:y": [False, False, True],
    }


def test_a_text_has_no_categories(corpus: TestCorpus) -> None:
    assert list(subsets(corpus.words)) == ["all", "unseen"]


def test_tables_count_the_words_of_a_subset_by_line_or_once_each(corpus: TestCorpus) -> None:
    bench = Bench.prepare(corpus, resamples=5, seed=0)
    tables = {key: table.toarray().tolist() for key, table in bench.by_unit.items()}
    assert tables == {
        ("line", "all"): [[2, 1, 0], [0, 1, 1]],
        ("line", "unseen"): [[2, 0, 0], [0, 0, 1]],
        ("word", "all"): [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        ("word", "unseen"): [[1, 0, 0], [0, 0, 0], [0, 0, 1]],
    }
    assert {key: total.tolist() for key, total in bench.total.items()} == {
        ("line", "all"): [2, 2, 1],
        ("line", "unseen"): [2, 0, 1],
        ("word", "all"): [1, 1, 1],
        ("word", "unseen"): [1, 0, 1],
    }


def test_units_are_those_that_hold_a_word_of_the_subset(make_corpus: MakeCorpus) -> None:
    bench = Bench.prepare(make_corpus("a b a", "b", train={"b": 4}), resamples=5, seed=0)
    assert dict(bench.units) == {
        ("line", "all"): 2,
        ("line", "unseen"): 1,
        ("word", "all"): 2,
        ("word", "unseen"): 1,
    }


def test_more_units_than_allowed_are_grouped_into_blocks(make_corpus: MakeCorpus) -> None:
    """Five lines make two blocks, of two and three; five distinct words likewise."""
    corpus = make_corpus("a b a", "c b", "a", "d d", "e", train={"b": 4, "e": 1})
    bench = Bench.prepare(corpus, resamples=5, seed=0, most=2)
    tables = {key: table.toarray().tolist() for key, table in bench.by_unit.items()}
    assert {unit: ends.tolist() for unit, ends in bench.blocks.items()} == {
        "line": [0, 2, 5],
        "word": [0, 2, 5],
    }
    assert tables == {
        ("line", "all"): [[2, 2, 1, 0, 0], [1, 0, 0, 2, 1]],
        ("line", "unseen"): [[2, 0, 1, 0, 0], [1, 0, 0, 2, 0]],
        ("word", "all"): [[1, 1, 0, 0, 0], [0, 0, 1, 1, 1]],
        ("word", "unseen"): [[1, 0, 0, 0, 0], [0, 0, 1, 1, 0]],
    }
    for key, table in bench.by_unit.items():
        assert bench.total[key].tolist() == table.sum(axis=0).tolist()
    assert set(bench.units.values()) == {2}
    assert {unit: next(w.chunks(1)).shape[1] for unit, w in bench.weights.items()} == {
        "line": 2,
        "word": 2,
    }


def test_rows_by_line_are_added_up_by_block(make_corpus: MakeCorpus) -> None:
    bench = Bench.prepare(make_corpus(*"abcde"), resamples=5, seed=0, most=2)
    by_line = np.array([1.5, 2, 3, 4, 5])
    assert bench.by_block(by_line).tolist() == [3.5, 12]
    table = sparse.csr_array(np.column_stack([by_line, by_line > 2]))
    assert bench.by_block(table).toarray().tolist() == [[3.5, 0], [12, 3]]


def test_weights_draw_as_many_units_as_there_are(corpus: TestCorpus) -> None:
    bench = Bench.prepare(corpus, resamples=50, seed=0)
    for unit, count in (("line", 2), ("word", 3)):
        drawn = np.concatenate(list(bench.weights[unit].chunks(1)))
        assert drawn.shape == (50, count)
        assert (drawn.sum(axis=1) == count).all()
        assert len(np.unique(drawn, axis=0)) > 1


def drawn(corpus: TestCorpus, seed: int) -> list[list[float]]:
    bench = Bench.prepare(corpus, resamples=50, seed=seed)
    return np.concatenate(list(bench.weights["word"].chunks(1))).tolist()


def test_weights_depend_on_seed_and_corpus_alone(corpus: TestCorpus) -> None:
    assert drawn(corpus, 0) == drawn(corpus, 0)
    assert drawn(corpus, 0) != drawn(corpus, 1)
    assert drawn(corpus, 0) != drawn(replace(corpus, name="other"), 0)


@pytest.mark.parametrize(
    ("metric", "text", "listed", "gold"),
    [
        (ByWord(), ["all", "unseen"], ["all", "unseen"], ["all", "unseen"]),
        (Running(), ["all", "unseen"], [], []),
        (ByLine(), ["all"], [], []),
        (Whole(), ["all"], ["all"], ["all"]),
        (Gold(), [], [], ["all", "unseen"]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Metric) else "",
)
def test_where_a_metric_applies(
    corpus: TestCorpus, metric: Metric, text: list[str], listed: list[str], gold: list[str]
) -> None:
    corpora = (corpus, of_kind(corpus, "list"), of_kind(corpus, "gold"))
    benches = [Bench.prepare(corpus, resamples=5, seed=0) for corpus in corpora]
    found = [[s for s in ("all", "unseen") if bench.applies(metric, s)] for bench in benches]
    assert found == [text, listed, gold]


def test_only_additive_metrics_count_lines() -> None:
    assert [per_line(metric) for metric in (ByLine(), ByWord(), Whole())] == [True, False, False]
