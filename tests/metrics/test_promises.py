"""Check what every built-in metric promises, whatever the segmentation."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_metrics import tokbench_metrics

from tests.offered import offered
from tests.tiny import FEWER_EXAMPLES
from tokbench.api import Vocabulary
from tokbench.api.text import EOW

NAMES = tuple(tokbench_metrics())
OF_WORDS = tuple(name for name in NAMES if "pairs" not in offered("metric")[name].needs)
VOCABULARY = Vocabulary(
    ("<unk>", "<s>", "a", "t안", EOW, "<0xEC>"), (), (), special=(1,), unknown=0
)
KNOWN = st.sampled_from(VOCABULARY.tokens)


@st.composite
def cut_word(draw, word):
    """Cut a word's bytes anywhere: known tokens, unknown ones, dropped bytes, bare marks."""
    size = len(word.encode("utf-8", "surrogatepass"))
    inner = draw(st.frozensets(st.integers(1, size - 1))) if size > 1 else ()
    edges = [0, *sorted(inner), size]
    token = st.one_of(st.none(), st.just("zz"), KNOWN)
    tokens = [(draw(token), b - a) for a, b in pairwise(edges)]
    return tokens + [(EOW, 0)] * draw(st.integers(0, 1))


@st.composite
def corpora(draw):
    """Draw what `segment` takes: words with tokens, lines, training counts, gold, vocabulary."""
    words = draw(
        st.lists(st.text("at안é😀\ud800", min_size=1, max_size=4), min_size=1, unique=True)
    )
    gold = {w: draw(st.lists(spaced(w), max_size=2)) for w in words}
    return {
        "tokens": {word: draw(cut_word(word)) for word in words},
        "lines": draw(st.lists(st.lists(st.sampled_from(words), max_size=5), max_size=5)) or [[]],
        "train": {word: draw(st.integers(0, 1)) for word in words},
        "gold": gold,
        "vocabulary": VOCABULARY,
    }


@st.composite
def spaced(draw, word):
    """Draw a gold segmentation, written with spaces."""
    return "".join(c + draw(st.sampled_from(("", " "))) for c in word[:-1]) + word[-1]


@given(corpora(), st.randoms(use_true_random=False))
def test_values_lie_in_their_range_or_are_undefined_in_any_order_of_words(
    segment, value, built, metrics, corpus, random
):
    words = [*corpus["tokens"]]
    random.shuffle(words)
    shuffled = {**corpus, "tokens": {word: corpus["tokens"][word] for word in words}}
    cut, shuffled_cut = segment(**corpus), segment(**shuffled)
    for name in metrics:
        low, high = built(name).range
        number = float(value(name, cut))
        assert math.isnan(number) or low <= number <= high, name
        assert not math.isinf(number), name
        assert value(name, shuffled_cut) == pytest.approx(number, nan_ok=True), name


@given(corpora(), st.integers(0, 5))
def test_counts_add_up_over_shards(segment, sums, metrics, corpus, at):
    cut = segment(**corpus)
    cuts = {unit: [segment(**s) for s in shards(corpus, unit, at)] for unit in ("line", "word")}
    for name, metric in metrics.items():
        parts = [sums(name, shard) for shard in cuts[metric.unit]]
        for column, total in sums(name, cut).items():
            assert np.sum([part[column] for part in parts], axis=0) == pytest.approx(total), name


def shards(corpus, unit, at):
    """Cut a corpus in two: its lines, or its distinct words."""
    if unit == "line":
        parts = (corpus["lines"][:at], corpus["lines"][at:])
        return [{**corpus, "lines": part} for part in parts if part]
    words = [*corpus["tokens"]]
    return [
        {**corpus, "tokens": {w: corpus["tokens"][w] for w in part}, "lines": [part]}
        for part in (words[:at], words[at:])
        if part
    ]


@pytest.mark.ci
@FEWER_EXAMPLES
@given(corpora(), st.data())
def test_scoring_resamples_together_equals_one_by_one(segment, value, metrics, corpus, data):
    cut = segment(**corpus)
    for name, metric in metrics.items():
        units = len(corpus["lines"] if metric.unit == "line" else corpus["tokens"])
        row = st.lists(st.integers(0, 3), min_size=units, max_size=units)
        weights = np.array(data.draw(st.lists(row, min_size=1, max_size=3)))
        together = np.asarray(value(name, cut, weights))
        assert together.shape == (len(weights),), name
        assert [*together] == pytest.approx(
            [value(name, cut, row) for row in weights], nan_ok=True
        ), name


@pytest.mark.parametrize("name", OF_WORDS)
def test_the_denominator_is_a_plain_column(metrics, built, segment, name):
    cut = segment({"walked": ["walk", "ed"]}, gold={"walked": ["walk ed"]})
    column = built(name).count(cut)[metrics[name].denominator]
    assert np.asarray(column).shape == (1,)


def test_what_depends_on_the_types_seen_has_no_interval(metrics):
    without = {name for name, metric in metrics.items() if not metric.interval}
    assert without == {
        "vocabulary-use",
        "token-length",
        "renyi-efficiency-declared",
        "renyi-efficiency-observed",
        "shannon-efficiency-observed",
        "shannon-efficiency-declared",
    }


def test_running_and_distinct_say_their_unit(metrics):
    assert {m.unit for name, m in metrics.items() if name.endswith("-running")} == {"line"}
    assert {m.unit for name, m in metrics.items() if name.endswith("-distinct")} == {"word"}


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_says_what_is_known_of_it(built, name):
    evidence = built(name).evidence
    assert evidence.endswith(".")
    assert ". " not in evidence.replace("et al. ", ""), "one sentence"
