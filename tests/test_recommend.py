"""The rules of docs/reference/answer.md, on runs whose numbers are written by hand.

A real run gives the record; values, pairs and outcomes are replaced. tests/recomputed.py decides
shipped configs a second time, from nothing but their files.
"""

import gzip
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_views.answer import answer
from tokbench_views.tables import bullet, fitting

from tests.lengths import Lengths, made
from tests.recomputed import agrees_with_csv_files
from tests.shipped import TEXTS, ShippedRun
from tests.tiny import tiny_run
from tokbench.recommend import Recommendation, recommend
from tokbench.run_folder import CoverageRow, CurveSteps, Run


def recommended(lengths: Lengths, half: float | None = 0.001, **more: Any) -> Recommendation:
    recommendation = recommend(made(lengths, half, **more))
    assert recommendation is not None
    return recommendation


def verdicts(recommendation: Recommendation) -> dict[str, str]:
    return {other.system: other.verdict for other in recommendation.ranking.others}


def test_the_first_place_ties_losers_and_the_undecided() -> None:
    """Within 0.01: a tie surely needs at most 2 % more; what surely needs more is worse."""
    lengths = {"a": {1000: 1.0}, "b": {1000: 1.01}, "c": {1000: 1.05}, "d": {1000: 1.05}}
    halves = {"ab": 0.009, "ac": 0.04, "ad": 0.06}
    taken = recommended(lengths, halves=halves)
    assert (taken.take, taken.value, taken.size) == (("a", "b"), 1.0, "1000")
    assert verdicts(taken) == {"b": "tie", "c": "worse", "d": "undecided"}
    narrow = recommended(lengths, halves=halves, wish={"within": 0.001})
    assert verdicts(narrow)["b"] == "worse"
    untested = recommended(lengths, None)
    assert untested.take == ("a",)
    assert {*verdicts(untested).values()} == {"untested"}


def test_a_value_that_is_no_number_beats_nothing() -> None:
    """As a table may hold that somebody edited."""
    lengths = {"a": {1000: 1.0}, "b": {1000: math.nan}, "c": {1000: 2.0}}
    assert recommended(lengths).ranking.leader == "a"


def test_two_are_compared_at_the_largest_size_that_both_reached() -> None:
    lengths = {"a": {1000: 1.5, 2000: 1.2}, "b": {1000: 1.4, 2000: 1.3}, "c": {1000: 1.3}}
    taken = recommended(lengths)
    # c beats a at 1,000, where b is compared with both.
    assert taken.ranking.leader == "c"
    assert {o.system: o.size for o in taken.ranking.others} == {"a": "1000", "b": "1000"}


def test_in_a_circle_the_fewest_at_the_largest_common_size_is_first() -> None:
    """a beats b at 4,000, b beats c at 2,000, and c beats a at 1,000, which all three have."""
    lengths = {
        "a": {1000: 1.5, 4000: 1.0},
        "b": {1000: 1.6, 2000: 1.2, 4000: 1.1},
        "c": {1000: 1.4, 2000: 1.3},
        "worse": {1000: 3.0, 8000: 2.9},
    }
    taken = recommended(lengths)
    assert (taken.take, taken.size) == (("c",), "2000")
    assert verdicts(taken) == {"a": "worse", "b": "ahead", "worse": "worse"}
    assert [*taken.changes] == [("2000", "b")]


def test_a_tie_holds_at_the_size_that_is_taken() -> None:
    """Doubling 1,000 saves a 1.3 %; there b is surely ahead, with which it ties at 2,000."""
    taken = recommended({"a": {1000: 1.5, 2000: 1.48}, "b": {1000: 1.3, 2000: 1.479}})
    assert (taken.take, taken.size) == (("a",), "1000")
    assert [*taken.changes] == [("1000", "b")]


def test_who_ties_only_at_the_size_that_is_taken_is_named_without_another_reason() -> None:
    """Without gold nothing is said of gold; b is worse at 2,000, where both are compared."""
    run = made({"a": {1000: 1.5, 2000: 1.48}, "b": {1000: 1.5, 2000: 1.6}})
    texts = {fact.topic: fact.text for fact in answer(run)}
    assert texts["recommendation"].startswith("Take a with 1,000 tokens")
    assert texts["sizes"] == "At 1,000 tokens, b ties."
    assert "outdone" not in texts


def test_of_systems_that_tie_one_with_several_sizes_tells_the_size() -> None:
    taken = recommended({"a": {1000: 1.0}, "b": {1000: 0.999, 2000: 0.99}})
    assert (taken.take, taken.size) == (("b", "a"), "1000")


def test_systems_without_a_common_size_are_not_compared() -> None:
    taken = recommended({"a": {1000: 1.5}, "b": {1000: 1.4}, "c": {500: 1.6}})
    assert taken.take == ("b",)
    assert taken.ranking.apart == ("c",)


SIZES = st.lists(st.sampled_from([500, 1000, 2000, 4000, 8000]), min_size=1, unique=True)


CONTEXTS = st.sampled_from(["isolated", "in-context"])
LENGTHS = st.dictionaries(
    st.sampled_from([500, 1000, 2000, 4000, 8000]), st.floats(1, 3), min_size=1
)


@given(st.lists(st.tuples(LENGTHS, CONTEXTS), min_size=1, max_size=4), SIZES, CONTEXTS, st.data())
def test_a_clearly_worse_system_changes_neither_name_nor_size(
    systems: list[tuple[dict[int, float], str]], sizes: list[int], context: str, data: Any
) -> None:
    drawn = {f"s{i}": lengths for i, (lengths, _) in enumerate(systems)}
    contexts = {f"s{i}": context_of for i, (_, context_of) in enumerate(systems)}
    before = recommended(drawn, contexts=contexts)
    named = [*drawn.items()]
    place = data.draw(st.integers(0, len(named)))
    named.insert(place, ("worse", {size: 9 - size / 10_000 for size in sizes}))
    after = recommended(dict(named), contexts={**contexts, "worse": context})
    assert (after.take, after.size) == (before.take, before.size)


def test_the_context_is_that_of_most_systems_and_others_have_their_own_first_place() -> None:
    contexts = {"c": "in-context", "d": "in-context"}
    lengths = {"a": {1000: 1.5}, "b": {1000: 1.4}, "c": {1000: 1.2}, "d": {1000: 1.1}}
    taken = recommended(lengths, contexts=contexts)
    assert (taken.ranking.context, taken.ranking.leader) == ("in-context", "d")
    worse = recommended({**lengths, "e": {1000: 1.6}}, contexts=contexts)
    assert (worse.take, worse.ranking.context) == (taken.take, "in-context")
    more = recommended({**lengths, "e": {1000: 1.4}}, contexts=contexts)
    assert (more.ranking.context, more.ranking.leader) == ("isolated", "b")
    assert [(one.context, one.leader) for one in more.elsewhere] == [("in-context", "d")]


def test_ready_made_tokenizers_are_ranked_apart() -> None:
    lengths = {"a": {1000: 1.5, 2000: 1.4}, "x": {0: 1.1}, "y": {0: 1.05}}
    taken = recommended(lengths, ready=frozenset("xy"))
    assert (taken.take, [one.leader for one in taken.ready]) == (("a",), ["y"])
    alone = recommended({"x": {0: 1.1}, "y": {0: 1.05}}, ready=frozenset("xy"))
    assert (alone.take, alone.size, alone.learned_here) == (("y",), "", False)


@pytest.mark.parametrize(
    ("tokens", "size", "enough", "saving"),
    [
        # Doubling 2,000 saves 1 - 1.17 / 1.2, 2.5 %; doubling 1,000 saves 20 %.
        ({1000: 1.5, 2000: 1.2, 4000: 1.17}, "2000", True, 0.025),
        # No doubling saves so little: the largest, with what the last one saved.
        ({1000: 1.5, 2000: 1.2, 4000: 1.02}, "4000", False, 0.15),
        # 2 x 1,000 lies between, half-way on a log scale: 1.35 there.
        ({1000: 1.38, 4000: 1.32}, "1000", True, 1 - 1.35 / 1.38),
        # 3,000 has no double; from half of it, between 1,000 and 3,000, to it.
        (
            {1000: 1.5, 3000: 1.2}, "3000", False,
            1 - 1.2 / (1.5 - 0.3 * math.log(1.5) / math.log(3)),
        ),
    ],
)  # fmt: skip
def test_the_size_is_the_smallest_whose_doubling_saves_little(
    tokens: dict[int, float], size: str, enough: bool, saving: float
) -> None:
    choice = recommended({"a": tokens}).choice
    assert choice is not None
    assert (choice.size, choice.is_enough) == (size, enough)
    assert choice.saving == pytest.approx(saving)


def test_a_size_that_was_not_reached_does_not_count() -> None:
    run = made({"a": {1000: 1.5, 2000: 1.4, 8000: 1.4}})
    outcomes = [
        replace(o, vocabulary_size=2100) if o.size == "8000" else o for o in run.record.outcomes
    ]
    short = replace(run, record=replace(run.record, outcomes=tuple(outcomes)))
    recommendation = recommend(short)
    assert recommendation is not None
    assert recommendation.choice is not None
    assert (recommendation.size, recommendation.choice.is_enough) == ("2000", False)
    assert recommendation.choice.most == 2100


def test_a_curve_knows_what_doubling_saves() -> None:
    run = made({"a": {1000: 1.5, 4000: 1.2}})
    texts = [f"{1.5 - 0.3 * (size - 1000) / 3000:.12g}" for size in range(1000, 4001)]
    curve = CurveSteps("a", "held-out", "all", "fertility", "", np.arange(1000, 4001), texts)
    recommendation = recommend(replace(run, curves=(curve,)))
    assert recommendation is not None
    assert recommendation.choice is not None
    # From 2,000, where it is 1.4, to 4,000.
    assert recommendation.choice.saving == pytest.approx(1 - 1.2 / 1.4)


def test_another_system_ahead_at_a_smaller_size_is_named() -> None:
    """At 2,000, which is enough for a, b is ahead; b takes 1,000 to be enough."""
    lengths = {
        "a": {1000: 1.6, 2000: 1.3, 4000: 1.28},
        "b": {1000: 1.25, 2000: 1.24, 4000: 1.29},
    }
    taken = recommended(lengths, wish={"within": 0.001})
    assert (taken.take, taken.size) == (("a",), "2000")
    assert [*taken.changes] == [("1000", "b"), ("2000", "b")]
    assert taken.second is not None
    assert (taken.second[0], taken.second[1].size) == ("b", "1000")


def test_what_cannot_write_the_text_or_loses_word_ends_is_barred() -> None:
    run = made({"a": {1000: 1.0}, "b": {1000: 1.1}, "c": {1000: 1.2}})
    outcomes = [replace(o, told_edge="none") if o.system == "a" else o for o in run.record.outcomes]
    gated = CoverageRow("b", "1000", "isolated", "held-out", 0.02, 0.03, "yes", 0.5, 9, 1)
    run = replace(
        run, record=replace(run.record, outcomes=tuple(outcomes)), coverage=(gated,)
    )  # fmt: skip
    recommendation = recommend(run)
    assert recommendation is not None
    assert recommendation.take == ("c",)
    assert [*recommendation.barred] == [
        ("a", "word-ends", None, ""), ("b", "words", 0.03, "held-out")
    ]  # fmt: skip
    everything = replace(
        run, record=replace(run.record, resolved={"recommend": {"for": "morphology"}})
    )
    assert recommend(everything) is None, "there is no gold file"
    nobody = replace(run, record=replace(run.record, outcomes=tuple(outcomes[:2])))
    assert recommend(nobody) is None


def test_several_texts_count_by_their_geometric_mean() -> None:
    run = made({"a": {1000: 1.0}, "b": {1000: 1.0}}, texts=("en", "ko"))
    values = {("a", "en"): 1.0, ("a", "ko"): 4.0, ("b", "en"): 1.5, ("b", "ko"): 2.0}
    rows = tuple(replace(row, value=values[row.system, row.corpus]) for row in run.rows)
    recommendation = recommend(replace(run, rows=rows, comparisons=()))
    assert recommendation is not None
    assert recommendation.take == ("b",)
    assert recommendation.value == pytest.approx(math.sqrt(3))


def test_in_context_all_tokens_count() -> None:
    """Tokens of spaces are of no word: a has the fewest in words, b in all; 200 words are there."""
    run = made(
        {"a": {1000: 1.2}, "b": {1000: 1.3}}, contexts={"a": "in-context", "b": "in-context"}
    )
    (words,) = (test.running for test in run.record.tests)
    counts = {"a": 500, "b": 400}
    rows = [replace(row, metric="tokens", value=counts[row.system]) for row in run.rows]
    pairs = [
        replace(pair, metric="tokens", own_low=80, own_high=120) for pair in run.comparisons
    ]  # fmt: skip
    recommendation = recommend(replace(run, rows=(*run.rows, *rows), comparisons=tuple(pairs)))
    assert recommendation is not None
    assert (recommendation.take, recommendation.ranking.metric) == (("b",), "tokens")
    assert recommendation.value == 400 / words
    (other,) = recommendation.ranking.others
    assert (other.excess, other.low, other.high) == pytest.approx((0.25, 0.2, 0.3))


def test_of_a_system_that_reached_no_size_all_that_the_text_gave_counts() -> None:
    run = made({"a": {8000: 1.2}, "b": {8000: 1.3}})
    outcomes = [
        replace(o, vocabulary_size=2100) if o.system == "a" else o for o in run.record.outcomes
    ]
    recommendation = recommend(replace(run, record=replace(run.record, outcomes=tuple(outcomes))))
    assert recommendation is not None
    assert (recommendation.take, recommendation.size) == (("a",), "8000")


def gold(run: Run, kappa: Mapping[str, float], half: float) -> Run:
    """Return a run with a gold file, and intervals of kappa's differences."""
    (text,) = run.record.tests
    corpora = (*run.record.corpora, replace(text, name="gold", kind="gold", gold=True))
    rows = [
        replace(row, corpus="gold", metric="boundary-kappa", value=kappa[row.system])
        for row in run.rows
    ]
    pairs = [
        replace(
            pair, corpus="gold", metric="boundary-kappa",
            own_low=kappa[pair.system] - kappa[pair.other] - half,
            own_high=kappa[pair.system] - kappa[pair.other] + half,
        )
        for pair in run.comparisons
    ]  # fmt: skip
    return replace(
        run,
        record=replace(run.record, corpora=corpora),
        rows=(*run.rows, *rows),
        comparisons=(*run.comparisons, *pairs),
    )


def test_gold_boundaries_break_a_tie_where_they_surely_differ() -> None:
    run = made({"a": {1000: 1.0}, "b": {1000: 1.001}, "c": {1000: 1.002}})
    kappa = {"a": 0.2, "b": 0.5, "c": 0.48}
    sure, unsure = recommend(gold(run, kappa, 0.1)), recommend(gold(run, kappa, 0.5))
    assert sure is not None
    assert unsure is not None
    assert sure.take == ("b", "c")
    assert sure.outdone == ("a",)
    assert unsure.take == ("a", "b", "c")


def test_morphemes_decide_where_the_config_says_so() -> None:
    run = gold(made({"a": {1000: 1.0}, "b": {1000: 1.3}}), {"a": 0.2, "b": 0.5}, 0.1)
    wish = {"recommend": {"for": "morphology"}}
    recommendation = recommend(replace(run, record=replace(run.record, resolved=wish)))
    assert recommendation is not None
    assert (recommendation.by, recommendation.take) == ("morphemes", ("b",))
    assert recommendation.ranking.others[0].excess == pytest.approx(0.3)


def test_parity_decides_among_systems_with_few_tokens() -> None:
    lengths = {"a": {1000: 1.0}, "b": {1000: 1.005}, "c": {1000: 1.5}}
    run = made(lengths, wish={"by": "parity"})
    parity = [
        replace(
            row, metric="parity(reference=en)", value={"a": 2.0, "b": 1.2, "c": 1.0}[row.system]
        )
        for row in run.rows
    ]
    recommendation = recommend(replace(run, rows=(*run.rows, *parity)))
    assert recommendation is not None
    assert recommendation.take == ("b",)


def test_a_model_decides_by_bits_per_byte_where_the_config_says_so() -> None:
    """By tokens a is first, and b by bits; c ties with b. The size is that of their tokens."""
    lengths = {"a": {1000: 1.5, 2000: 1.2}, "b": {1000: 1.6, 2000: 1.59}, "c": {1000: 1.7}}
    run = made(lengths, wish={"by": "model"})
    bits = {"a": 2.5, "b": 2.0, "c": 2.01}
    rows = [replace(row, metric="bits-per-byte", value=bits[row.system]) for row in run.rows]
    pairs = [
        replace(
            pair, metric="bits-per-byte",
            own_low=bits[pair.system] - bits[pair.other] - 0.01,
            own_high=bits[pair.system] - bits[pair.other] + 0.01,
        )
        for pair in run.comparisons
    ]  # fmt: skip
    taken = recommend(replace(run, rows=(*run.rows, *rows), comparisons=(*run.comparisons, *pairs)))
    assert taken is not None
    assert (taken.by, taken.take, taken.values) == ("model", ("b", "c"), (2.0, 2.01))
    # Doubling 1,000 saves b fewer than 3 % of its tokens.
    assert taken.size == "1000"
    assert [(o.system, o.verdict, o.excess) for o in taken.at_size] == [("a", "worse", 0.25)]


CLOSE = st.sampled_from([1.0, 1.01, 1.2, 1.5])
BY_SIZE = st.dictionaries(st.sampled_from([500, 1000, 2000, 4000]), CLOSE, min_size=1)
OF_OWN_SIZE = st.dictionaries(st.just(0), CLOSE, min_size=1)
SYSTEMS = st.dictionaries(st.sampled_from("abcde"), BY_SIZE | OF_OWN_SIZE, min_size=1)


@given(
    SYSTEMS,
    st.sampled_from([None, 0.0, 0.001, 0.05, 1.0]),
    st.dictionaries(st.sampled_from("abcde"), st.sampled_from(["isolated", "in-context"])),
    st.frozensets(st.sampled_from("abcde")),
    st.sampled_from([{}, {"by": "parity"}, {"for": "morphology"}, {"by": "model"}]),
    st.booleans(),
)
def test_any_run_has_an_answer(
    lengths: Lengths,
    half: float | None,
    contexts: dict[str, str],
    ready: frozenset[str],
    wish: dict[str, object],
    merges: bool,
) -> None:
    run = made(lengths, half, contexts=contexts, ready=ready, wish=wish, merges_words=merges)
    run = gold(run, {name: number / 10 for number, name in enumerate("abcde")}, 0.15)
    facts = answer(run)
    assert all(fact.text for fact in facts)
    shown = fitting([fact for fact in facts if fact.part == "recommendation"])
    assert sum(len(bullet(fact, 80)) for fact in shown) <= 8
    recommendation = recommend(run)
    if recommendation is not None:
        first = recommendation.take[0]
        assert recommendation.size in {str(size or "") for size in lengths[first]}
        assert not {*recommendation.take} & {other.system for other in recommendation.at_size}


IN_CI = ("toy", "bpe", "oov", "pretrained")
BY_NIGHT = ("korean", "korean-morphemes", "oov-shakespeare", "shakespeare")


@pytest.mark.parametrize(
    "config",
    [
        *(pytest.param(config, marks=pytest.mark.ci) for config in IN_CI),
        *(pytest.param(config, marks=pytest.mark.nightly) for config in BY_NIGHT),
    ],
)
def test_shipped_configs_agree_with_their_csv_files(config: str, shipped_run: ShippedRun) -> None:
    agrees_with_csv_files(shipped_run(config))


@pytest.mark.nightly
@pytest.mark.parametrize("config", ["aaabdaaabac", "oov-korean"])
def test_of_some_shipped_configs_nobody_passes(config: str, shipped_run: ShippedRun) -> None:
    assert recommend(Run.load(shipped_run(config))) is None


@pytest.mark.ci
@pytest.mark.parametrize(
    ("text", "size", "sizes"),
    [
        ("dickens_pg.txt.gz", 300_000, [1000, 2000, 4000, 8000, 16_000]),
        pytest.param(
            "pg100_2018-06-14.txt.gz", 5_000_000, [4000, 8000, 16_000, 32_000, 64_000],
            marks=pytest.mark.nightly,
        ),
    ],
)  # fmt: skip
def test_the_size_rule_names_a_size_on_little_and_on_much_text(
    text: str, size: int, sizes: list[int], tmp_path: Path
) -> None:
    """Every doubling still saves 3 % or more, up to what the text gives: 11,228 or 46,000."""
    if not TEXTS[text].exists():
        pytest.skip("the shared data folder ../shared/data is not there")
    whole = gzip.decompress(TEXTS[text].read_bytes())
    train, test = (part.decode("utf-8", "ignore") for part in (whole[:size], whole[-60_000:]))
    run = tiny_run(
        tmp_path, texts={"train": train, "test": test}, systems="[bpe]", sizes=str(sizes),
        metrics="[fertility]",
    )  # fmt: skip
    recommendation = recommend(run)
    assert recommendation is not None
    choice = recommendation.choice
    assert choice is not None
    assert (choice.size, choice.is_enough) == ("8000" if size < 1_000_000 else "32000", False)
    assert choice.most is not None
    assert choice.most < sizes[-1]


@pytest.mark.ci
@pytest.mark.parametrize("config", ["oov-korean", "aaabdaaabac"])
def test_where_nothing_can_write_the_text_nothing_is_recommended(
    config: str, shipped_run: ShippedRun
) -> None:
    assert recommend(Run.load(shipped_run(config))) is None
