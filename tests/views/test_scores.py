"""Scores of the user beside the metrics: the file, the correlation, and when there is a verdict."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from tokbench_views.scores import (
    FALL,
    RISE,
    UNKNOWN,
    comparable_values,
    correlations,
    rank_interval,
    read_scores,
    scores_view,
    spearman,
)
from tokbench_views.views import OwnScores

from tests.run_cli import tokbench_here
from tests.tiny import BPE, TinyRun, tiny_run
from tokbench.api import InputError, InputFile
from tokbench.run_folder import write_run

MARKED = "{name: marked, learner: bpe, sizes: [6, 8]}, {name: two, learner: bpe, sizes: [6]}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> TinyRun:
    metrics = "[fertility, kept-whole-running, renyi-efficiency-declared]"
    return tiny_run(
        tmp_path_factory.mktemp("scores"), systems=f"[{BPE}, {MARKED}, char]", metrics=metrics
    )


def written(folder: Path, text: str) -> InputFile:
    (folder / "my.csv").write_text(text, encoding="utf-8")
    return InputFile("my.csv", folder / "my.csv")


@pytest.mark.parametrize("decimals", [0, 1, 9], ids=["many ties", "ties", "none"])
def test_the_rank_correlation_is_that_of_scipy(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    for n in (3, 10, 40):
        first, second = rng.normal(size=(2, n)).round(decimals).tolist()
        ours, theirs = spearman(first, second), spearmanr(first, second).statistic
        assert ours is None if math.isnan(theirs) else ours == pytest.approx(theirs)


def test_nineteen_of_twenty_intervals_hold_the_true_correlation() -> None:
    rng, draws, pearson = np.random.default_rng(1), 1000, 0.7
    truth = 6 / math.pi * math.asin(pearson / 2)  # of two normal variables
    for n in (10, 30):
        pairs = rng.multivariate_normal([0, 0], [[1, pearson], [pearson, 1]], size=(draws, n))
        intervals = [rank_interval(spearman(*pair.T.tolist()) or 0, n) for pair in pairs]
        share = sum(low <= truth <= high for low, high, _ in intervals) / draws
        assert 0.93 < share < 0.98


def test_a_perfect_correlation_is_not_certain() -> None:
    low, high, p = rank_interval(1, 10)
    assert 0.9 < low < high == 1
    assert 0 < p < 1e-6


@pytest.mark.parametrize(("systems", "verdict"), [(10, RISE), (9, UNKNOWN)])
def test_there_is_a_verdict_from_ten_systems_on(systems: int, verdict: str) -> None:
    """Two sizes of a system count once."""
    places = [(f"s{i}", size) for i in range(systems) for size in ("8", "9")]
    scores = {place: [i - 0.5, i + 0.5] for i, place in enumerate(places)}
    up = {place: float(i) for i, place in enumerate(places)}
    down = {place: -value for place, value in up.items()}
    alike = dict.fromkeys(places, 1.0)
    values = {("up", "t"): up, ("down", "t"): down, ("alike", "t"): alike}
    first, second, third = correlations(scores, values)
    assert (first.correlation, first.systems, first.vocabularies) == (1, systems, 2 * systems)
    assert [first.verdict, third.verdict] == [verdict, UNKNOWN]
    assert (second.verdict == FALL) is (systems == 10) is (first.low is not None)
    assert third.correlation is None


def test_like_is_compared_with_like(run: TinyRun) -> None:
    """bpe and char tell no word ends; marked and two do."""
    places = {(o.system, o.size): 0 for o in run.record.outcomes if o.size in ("5", "6", "8", "")}
    values = comparable_values(run, places)
    assert [*values["fertility", "held-out"]] == [("marked", "6"), ("marked", "8"), ("two", "6")]
    assert [*values["kept-whole-running", "held-out"]] == [*places]
    of_one_size = tuple(replace(metric, across_sizes=False) for metric in run.record.metrics)
    restricted = replace(run, record=replace(run.record, metrics=of_one_size))
    assert not comparable_values(restricted, places)
    assert comparable_values(restricted, {("marked", "6"): 0, ("two", "6"): 0})


def test_a_file_is_read_and_seeds_are_kept_apart(run: TinyRun, tmp_path: Path) -> None:
    file = written(tmp_path, "seed,system,size,score\n1,bpe,5,0.5\n2,bpe,5,1e-1\n,char,,3\n")
    assert read_scores(run, file) == {("bpe", "5"): [0.5, 0.1], ("char", ""): [3]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,score\n", "my.csv:1: found columns name, score; expected system, size, score and"),
        ("", "my.csv:1: found columns none; expected system, size, score and"),
        ("system,size,score\n", "my.csv: holds no score: `tokbench show RUN scores --format csv`"),
        ("system,size,score\nbep,5,1\n", "my.csv:2: the run has no system 'bep'; did you mean"),
        ("system,size,score\nbpe,9,1\n", "my.csv:2: 'bpe' at size '9': the run has it at 4, 5"),
        ("system,size,score\nchar,9,1\n", "my.csv:2: 'char' at size '9': leave its size empty"),
        ("system,size,score\nbpe,5,0,7\n", "my.csv:2: found 4 columns, expected 3: write decimals"),
        ('system,size,score\n"bpe,5,1\n', "my.csv:2: the run has no system 'bpe,5,1"),
        ("system,size,score\nbpe,5,\n", "my.csv:2: found no score, expected a number"),
        ("system,size,score\nbpe,5,1\nbpe,5,2\n", "my.csv:3: bpe@5 has two scores with the seed"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_refused(
    text: str, message: str, run: TinyRun, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as error:
        read_scores(run, written(tmp_path, text))
    assert str(error.value).startswith(message)


def test_the_file_is_looked_for_at_its_path_only(
    run: TinyRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "system,size,score\nbpe,5,1\n")
    monkeypatch.setenv("TOKBENCH_MODELS", str(tmp_path))
    with pytest.raises(InputError, match=r"^my\.csv: cannot be read: No such file"):
        OwnScores.configure(**{"from": "my.csv"}).text(run, "md")


def test_a_line_says_where_the_metrics_are_that_are_not_shown(
    run: TinyRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, line = written(tmp_path, "system,size,score\nbpe,4,1\nbpe,5,2\n"), "--format json has all"
    assert line not in scores_view(run, file, "md")
    monkeypatch.setattr("tokbench_views.scores.MOST_METRICS", 1)
    assert line in scores_view(run, file, "md")


@pytest.mark.parametrize(
    ("scores", "metric"),
    [
        ("bpe,4,1\n", "fertility"),
        ("bpe,4,1\nbpe,5,1\n", "fertility"),
        ("bpe,4,1\nmarked,6,2\n", "fertility"),
        ("bpe,4,1\nbpe,5,2\n", None),
        ("bpe,4,1\nmarked,8,2\n", "kept-whole-running"),
    ],
)
def test_a_line_says_why_no_metric_is_shown(
    scores: str, metric: str | None, run: TinyRun, tmp_path: Path
) -> None:
    rows = tuple(replace(row, gated="yes" if metric is None else "") for row in run.rows)
    of_metric = tuple(row for row in rows if metric in (None, row.metric))
    file = written(tmp_path, f"system,size,score\n{scores}")
    text = scores_view(replace(run, rows=of_metric), file, "md")
    assert "\nNo metric can be shown: that needs two different scores, and two different " in text
    assert "rank correlation |" not in text


def test_the_view_writes_a_table_to_fill_in_and_reads_it(run: TinyRun, tmp_path: Path) -> None:
    write_run(tmp_path / "run", run)
    empty = tokbench_here("show", "run", "scores", "--format", "csv", cwd=tmp_path).stdout
    assert empty.startswith("system,size,score,seed\nbpe,4,,\nbpe,5,,\n")
    lines = empty.removesuffix("\n").split("\n")
    filled = [f"{line.removesuffix(',')}{i}," for i, line in enumerate(lines[1:])]
    (tmp_path / "my.csv").write_text("\n".join([lines[0], *filled]))
    options = ("show", "run", "scores", "--from", "my.csv")
    text = tokbench_here(*options, cwd=tmp_path).stdout
    assert "\nBrackets: 95 % intervals. Below 10 systems there is no interval" in text
    assert "| system | score | sd of seeds | tokens per word, held-out |" in text
    assert "| marked@8 | 3.000 |  |  |" in text, "its length is compared with its like only"
    both = json.loads(tokbench_here(*options, "--format", "json", cwd=tmp_path).stdout)
    assert {row["verdict"] for row in both["correlations"]} == {"cannot tell"}
    assert both["scores"][0]["scores"] == [0]
