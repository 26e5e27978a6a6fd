"""Learners that do not give the same twice: run several times, their spread beside the first."""

from functools import partial
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest

from tests.tiny import BPE, TinyRun, learned, steps, tiny_run
from tests.tiny import row as row_of

PLUGIN = (Path(__file__).parent.parent / "plugin_in_context.py").read_text("utf-8")
NOTE = (
    "system counter: its learner is not deterministic, so it is run {} times; values are "
    "those of the first run, `repeat-sd` is their spread"
)

approx = partial(pytest.approx, rel=1e-11)  # numbers have 12 digits
LATER = '("a", " b", " c")[: 1 + next(RUNS) % 3]'


def run(folder: Path, **keys: str | None) -> TinyRun:
    defaults = {"systems": f"[counter, {BPE}]", "sizes": "[4]", "metrics": "[oov-words-distinct]"}
    return tiny_run(folder, PLUGIN, {"test": "a b c a d\n"}, **{**defaults, **keys})


def row(of: TinyRun, system: str, subset: str = "all", metric: str = "oov-words-distinct") -> Any:
    return row_of(of, system, metric, subset=subset)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> TinyRun:
    """The run with the usual keys."""
    return run(tmp_path_factory.mktemp("repeating"))


def test_the_spread_by_hand(result: TinyRun) -> None:
    """Words a, b, c, d: a is known in the first run, b too in the second, c too in the third."""
    counter = row(result, "counter")
    assert counter.value == 3 / 4
    assert counter.repeats == 3
    assert counter.repeat_sd == approx(stdev([3 / 4, 2 / 4, 1 / 4]))
    assert counter.repeat_sd == approx(1 / 4)
    assert NOTE.format(3) in result.notes
    assert not result.failures


def test_what_is_deterministic_is_run_once(result: TinyRun) -> None:
    bpe = row(result, "bpe")
    assert (bpe.repeats, bpe.repeat_sd) == (None, None)


def test_the_config_says_how_often(tmp_path: Path) -> None:
    result = run(tmp_path, repeats="4")
    assert row(result, "counter").repeats == 4
    assert row(result, "counter").repeat_sd == approx(stdev([3 / 4, 2 / 4, 1 / 4, 3 / 4]))
    assert NOTE.format(4) in result.notes


def test_a_learner_that_varies_and_is_run_once_has_no_spread(tmp_path: Path) -> None:
    result = run(tmp_path, repeats="1")
    assert row(result, "counter").repeat_sd is None
    assert (
        "system counter: its learner is not deterministic, and was run once (`repeats: 1`): the "
        "spread of its values is not known"
    ) in result.notes


def test_where_a_value_is_not_defined_there_is_no_spread(tmp_path: Path) -> None:
    """No word of the test text is unseen, so the share of unseen words has no value."""
    texts = {"test": "ab abc\n"}
    result = tiny_run(
        tmp_path, PLUGIN, texts, systems="[counter]", sizes="[4]", metrics="[oov-words-distinct]"
    )
    unseen = row(result, "counter", "unseen")
    assert (unseen.value, unseen.repeats, unseen.repeat_sd) == (None, 3, None)


def test_only_the_first_run_is_shown(result: TinyRun) -> None:
    assert len({repr(row) for row in result.rows}) == len(result.rows)
    assert [row.system for row in result.rows if row.subset == "all"] == ["counter", "bpe"]
    assert learned(result)["counter@4"].tokens == result.vocabulary("counter", "4").tokens == ("a",)
    assert {system for system, _, _ in steps(result)} == {"counter", "bpe"}
    assert [step[:2] for step in steps(result)].count(("counter", "learn")) == 1


def test_each_size_has_a_spread_of_its_own(tmp_path: Path) -> None:
    """Six runs in turn: a for size 4, ab for size 5; then abc and a; then ab and abc."""
    result = run(tmp_path, sizes="[4, 5]", systems="[counter]")
    rows = [r for r in result.rows if r.subset == "all"]
    assert [(r.size, r.value, r.repeats, r.repeat_sd) for r in rows] == [
        ("4", 3 / 4, 3, approx(1 / 4)),
        ("5", 2 / 4, 3, approx(1 / 4)),
    ]


FAILING = """
from itertools import count
from tokbench.api import Learner, Vocabulary, hookimpl
RUNS = count()
class Failing(Learner):
    "Fail at the second run."
    @property
    def deterministic(self):
        return False
    def learn(self, words, size):
        if next(RUNS) == 1:
            raise ValueError("no luck")
        return Vocabulary(("a",), segmenter={"use": "word"})
tokbench_learners = hookimpl(lambda: {"failing": Failing})
"""


def test_a_run_that_fails_is_reported_and_the_others_count(tmp_path: Path) -> None:
    result = tiny_run(tmp_path, FAILING, systems="[failing]", sizes="[4]", metrics="[fertility]")
    assert result.failures == ("system failing at size 4: ValueError: no luck (plugin.py:12)",)
    failing = row(result, "failing", metric="fertility")
    assert (failing.value, failing.repeats, failing.repeat_sd) == (1, 2, 0)


def test_both_contexts_have_their_own_spread(tmp_path: Path) -> None:
    """Known are a, then ` b` too, then ` c`, which help only where a space stands before them."""
    plugin = PLUGIN.replace('segmenter={"use": "word"}', 'segmenter={"use": "spaced"}')
    plugin = plugin.replace('tuple("abc"[: 1 + next(RUNS) % 3])', LATER)
    assert LATER in plugin
    result = tiny_run(
        tmp_path, plugin, {"test": "a b c\n"}, sizes="[4]", metrics="[oov-words-distinct]",
        systems="[{learner: counter, context: both}]",
    )  # fmt: skip
    rows = {r.context: r for r in result.rows if r.subset == "all"}
    assert {c: (r.value, r.repeats, r.repeat_sd) for c, r in rows.items()} == {
        "in-context": (approx(2 / 3), 3, approx(1 / 3)),
        "isolated": (approx(2 / 3), 3, 0),
    }
