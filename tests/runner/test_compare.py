"""`tokbench compare`: numbers counted again, in pairs, and words that are cut differently."""

import csv
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokbench_commands.two_runs import different_cuts

from tests.run_cli import tokbench_here as tokbench
from tokbench.api import Vocabulary
from tokbench.api.arrays import Segmentation, Words
from tokbench.api.segmentation import WHOLE, InContext
from tokbench.run_folder.tables import round_fields

pytestmark = pytest.mark.ci

CONFIG = """\
corpora:
  train: {train}
  test: {{held-out: test.txt, spaced: {{path: test.txt, words: whitespace}}}}
  gold: {{parts: gold.tsv}}
merges: [2, 6]
systems:
  - {{name: main, learner: {{use: bpe, ties: {ties}}}}}
  - char
  - {{name: bytes, learner: byte-bpe, merges: [4]}}
  {systems}
metrics: {metrics}
resamples: {resamples}
"""
TEXT = "low newer wide lowest\nlow\nwiden low newest\nwise newer lower slow\n"


def run(
    folder: Path, name: str, ties: str = "greatest", systems: str = "", resamples: int | str = 200,
    metrics: str = "[tokens, fertility, oov-words-running, boundary-f1-micro, vocabulary-use]",
    train: str = "train.txt",
) -> str:  # fmt: skip
    """Run the config in a folder of that name."""
    (folder / "train.txt").write_text("low lower lowest newest widest new slow wise\n" * 30)
    (folder / "other.txt").write_text("low lower lowest newest widest new slow wise widen\n" * 30)
    (folder / "gold.tsv").write_text("lower\tlow er\nnewest\tnew est\nwidest\twid est\n" * 1)
    if not (folder / "test.txt").exists():
        (folder / "test.txt").write_text(TEXT * 10)
    (folder / "c.yaml").write_text(
        CONFIG.format(ties=ties, systems=systems, resamples=resamples, metrics=metrics, train=train)
    )
    done = tokbench("run", "-q", "c.yaml", "-o", name, cwd=folder)
    assert done.returncode == 0, done.stderr
    return name


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of two runs, `first` and `second`, which break ties differently."""
    folder = tmp_path_factory.mktemp("compare")
    run(folder, "first")
    run(folder, "second", ties="smallest")
    return folder


@cache
def compared(folder: Path, *arguments: str) -> Any:
    done = tokbench("compare", *arguments, "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def results(folder: Path, name: str) -> dict[tuple[str, ...], str]:
    with (folder / name / "results.csv").open() as file:
        keys = ("system", "size", "corpus", "subset", "metric")
        return {tuple(row[key] for key in keys): row["value"] for row in csv.DictReader(file)}


def test_numbers_counted_again_are_those_of_the_runs(runs: Path) -> None:
    tables = results(runs, "first"), results(runs, "second")
    numbers = compared(runs, "first", "second")["numbers"]
    assert len(numbers) > 40
    for row in numbers:
        key = tuple(row[name] for name in ("system", "size", "corpus", "subset", "metric"))
        for table, name in zip(tables, ("first", "second"), strict=True):
            assert row[name] == pytest.approx(float(table[key]), rel=1e-11), key
        assert row["difference"] == pytest.approx(row["second"] - row["first"])
    defined = {key for table in tables for key, value in table.items() if value}
    assert len(defined) == len(numbers)


def test_differences_are_paired_as_those_of_two_systems_of_one_run(runs: Path) -> None:
    """The same two systems in one run have the same difference, interval and p."""
    systems = "- {name: other, learner: {use: bpe, ties: smallest}}"
    both = run(runs, "both", systems=systems)
    with (runs / both / "results.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["system"] == "other"]
    expected = {(row["size"], row["corpus"], row["subset"], row["metric"]): row for row in rows}
    tested = 0
    for row in compared(runs, "first", "second")["numbers"]:
        if row["system"] != "main":
            continue
        expected_row = expected[row["size"], row["corpus"], row["subset"], row["metric"]]
        assert row["difference"] == pytest.approx(float(expected_row["difference"]), abs=1e-11)
        shown = round_fields({name: row[name] for name in ("low", "high", "p")})
        for name, column in (("low", "difference-low"), ("high", "difference-high"), ("p", "p")):
            if row[name] is not None:
                assert shown[name] == float(expected_row[column])
                tested += 1
    assert tested > 10


def test_the_words_that_are_cut_differently_are_those_whose_tokens_differ(runs: Path) -> None:
    cuts = [
        cut
        for cut in compared(runs, "first", "second", "--words", "99")["cuts"]
        if (cut["system"], cut["size"], cut["corpus"]) == ("main", "merges:6", "spaced")
    ]
    words = dict.fromkeys(TEXT.split())
    tokens = []
    for name in ("first", "second"):
        command = ("segment", f"{name}:main@6", "--format", "json", "--words", "whitespace")
        done = tokbench(*command, cwd=runs, stdin="\n".join(words).encode())
        lines = done.stdout.splitlines()
        tokens.append({w: json.loads(line)[0] for w, line in zip(words, lines, strict=True)})
    different = {word for word in words if tokens[0][word] != tokens[1][word]}
    assert different
    assert {entry["word"] for entry in cuts[0]["words"]} == different
    assert cuts[0]["distinct"] == len(different)
    assert cuts[0]["running"] == 10 * sum(TEXT.split().count(word) for word in different)
    for word in cuts[0]["words"]:
        assert (word["first"], word["second"]) == (tokens[0][word["word"]], tokens[1][word["word"]])
        assert word["running"] == 10 * TEXT.split().count(word["word"])


def test_lengths_with_and_without_word_ends_are_not_tested(runs: Path, tmp_path: Path) -> None:
    """The same system with a mark in one run, without in the other."""
    run(tmp_path, "bare", ties="greatest, eow: absent")
    numbers = [
        row
        for row in compared(tmp_path, str(runs / "first"), "bare")["numbers"]
        if (row["system"], row["subset"]) == ("main", "all") and row["low"] is not None
    ]
    lengths = [row for row in numbers if row["metric"] in ("tokens", "fertility")]
    assert lengths
    assert all(row["difference"] for row in lengths)
    assert {row["p"] for row in lengths} == {None}


def test_a_run_is_the_same_as_itself(runs: Path) -> None:
    done = tokbench("compare", "first", "first", cwd=runs)
    assert "All settings are the same." in done.stdout
    numbers = len(compared(runs, "first", "first")["numbers"])
    assert f"{numbers:,} of {numbers:,} numbers" not in done.stdout, "only all and unseen are shown"
    assert done.stdout.count("Equal numbers: ") == 1
    assert "Segmentations with all words cut alike: 12 of 12." in done.stdout
    assert all(row["p"] is None for row in compared(runs, "first", "first")["numbers"])


def test_runs_that_cut_alike_differ_in_nothing(tmp_path: Path) -> None:
    """Ties change the ids of bytes, not these cuts, so sums in another order are equal."""
    metrics = "[shannon-efficiency-declared, oov-words-running, vocabulary-use]"
    first = run(tmp_path, "first", metrics=metrics)
    second = run(tmp_path, "second", metrics=metrics, systems="- word")
    document = json.loads((tmp_path / first / "run.json").read_text())
    assert document["resolved"]["repeats"] == 3
    numbers = compared(tmp_path, first, second)["numbers"]
    assert numbers
    assert {row["difference"] for row in numbers} == {0.0}
    for assertion in (
        "main shannon-efficiency-declared[held-out/unseen] >= 0",
        "main shannon-efficiency-declared[held-out/unseen] <= 0",
        "char oov-words-running[held-out] <= 2 %",
    ):
        done = tokbench("compare", first, second, "--assert", assertion, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, f"assertion holds: {assertion}\n")


def test_no_interval_is_made_up_where_the_runs_have_none(runs: Path) -> None:
    numbers = compared(runs, "first", "first")["numbers"]
    with_interval = {row["metric"] for row in numbers if row["low"] is not None}
    assert {"fertility", "tokens"} <= with_interval
    assert "vocabulary-use" not in with_interval  # it has none in a run either
    assert all((row["low"], row["high"]) == (0, 0) for row in numbers if row["low"] is not None)
    name = "main fertility[held-out]"
    for assertion, code in ((f"{name} <= 0 significantly", 0), (f"{name} == 0 % significantly", 0),
                            ("main vocabulary-use[held-out] <= 0 significantly", 5)):  # fmt: skip
        done = tokbench("compare", "first", "first", "--assert", assertion, cwd=runs)
        assert done.returncode == code, assertion


def test_a_number_that_one_run_lacks_is_empty(tmp_path: Path) -> None:
    """Where nothing is cut, no cut can be right: precision is undefined."""
    metrics = "[boundary-precision-micro, boundary-recall-micro]"
    first, second = (
        run(tmp_path, name, metrics=metrics, systems=f"- {{name: one, learner: {learner}}}")
        for name, learner in (("first", "word"), ("second", "bpe"))
    )
    undefined = [
        row
        for row in compared(tmp_path, first, second)["numbers"]
        if None in (row["first"], row["second"])
    ]
    assert undefined
    for row in undefined:
        assert (row["difference"], row["low"], row["p"]) == (None, None, None)
    tables = results(tmp_path, first), results(tmp_path, second)
    keys = ("system", "size", "corpus", "subset", "metric")
    halves = {
        key
        for key in tables[0]
        if key in tables[1] and bool(tables[0][key]) != bool(tables[1][key])
    }
    assert {tuple(row[key] for key in keys) for row in undefined} == halves


def test_a_name_that_neither_run_has_is_refused(runs: Path) -> None:
    for kind, name, near in (("system", "mian", "main"), ("metric", "fertilty", "fertility"),
                             ("subset", "unsene", "unseen")):  # fmt: skip
        done = tokbench("compare", "first", "first", f"--{kind}", name, cwd=runs)
        assert (done.returncode, done.stdout) == (2, "")
        assert (
            done.stderr
            == f"error: --{kind}: the run has no {kind} {name!r}; did you mean {near!r}?\n"
        )


def test_settings_that_differ_are_named(runs: Path, tmp_path: Path) -> None:
    second = run(
        tmp_path, "second", ties="first", resamples="100\nresample-by: line", systems="- word",
        metrics="[fertility]",
    )  # fmt: skip
    comparison = compared(tmp_path, str(runs / "first"), second)
    settings = {s["what"]: (s["first"], s["second"]) for s in comparison["settings"]}
    assert settings.pop("system main") == ("bpe", "bpe(ties=first)")
    assert settings.pop("resamples") == ("200", "100")
    assert settings.pop("resample-by") == ('"block"', '"line"')
    for text in ("held-out", "spaced"):
        before, after = settings.pop(f"text {text}")
        assert (before.partition(", resampled by ")[2], after.partition(", resampled by ")[2]) == (
            "block:2", "line",
        )  # fmt: skip
    assert settings.pop("system word") == ("", "word")
    assert settings.pop("sizes of word") == ("", "merges:2, merges:6")
    assert {name for name in settings if settings[name] == ("scored", "")} == {
        "metric tokens", "metric oov-words-running", "metric boundary-f1-micro",
        "metric vocabulary-use", "metric boundary-f1-chance",
    } == settings.keys()  # fmt: skip
    assert comparison["left-out"] == ["only the second run has word@merges:2, word@merges:6"]
    assert {row["metric"] for row in comparison["numbers"]} == {"fertility"}


def test_of_other_training_text_unseen_words_are_not_compared(runs: Path, tmp_path: Path) -> None:
    comparison = compared(tmp_path, str(runs / "first"), run(tmp_path, "second", train="other.txt"))
    assert {row["subset"] for row in comparison["numbers"]} == {"all"}
    assert any(
        "the runs learned from different texts" in reason for reason in comparison["left-out"]
    )
    assert {"training train", "training other"} <= {s["what"] for s in comparison["settings"]}


def test_another_test_text_is_refused_with_the_reason(runs: Path, tmp_path: Path) -> None:
    first = str(runs / "first")
    (tmp_path / "test.txt").write_text(TEXT * 11)
    second = run(tmp_path, "second")
    comparison = compared(tmp_path, first, second)
    assert "text held-out: its text is not the same in both runs" in comparison["left-out"]
    assert {row["corpus"] for row in comparison["numbers"]} == {"parts"}
    (tmp_path / "toy.yaml").write_text(
        "corpora: {train: train.txt, test: {mine: test.txt}}\nsystems: [char]\n"
    )
    tokbench("run", "-q", "toy.yaml", "-o", "toy", cwd=tmp_path)
    done = tokbench("compare", first, "toy", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the runs cannot be compared; text held-out: only the")
    (tmp_path / "toy.yaml").write_text(
        "corpora: {train: train.txt, test: {mine: test.txt}}\nsystems: [word]\nsizes: [5]\n"
    )
    tokbench("run", "-q", "toy.yaml", "-o", "toy2", cwd=tmp_path)
    done = tokbench("compare", "toy", "toy2", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "error: the runs have no system at the same size in common; only the first run has char; "
    )


def test_assertions_are_about_the_difference_and_its_share(runs: Path) -> None:
    (row,) = (
        row
        for row in compared(runs, "first", "second")["numbers"]
        if [*row.values()][:6] == ["main", "merges:6", "isolated", "held-out", "all", "fertility"]
    )
    share = 100 * row["difference"] / row["first"]
    assert share

    name = "main@6 fertility[held-out]"
    holding = (
        f"{name} <= {row['difference'] + 1e-9}",
        f"{name} <= {share + 1e-6} %",
        f"{name} <= {row['high'] + 1e-9} significantly",
        f"{name} >= {100 * row['low'] / row['first'] - 1e-6} % significantly",
        "char fertility[held-out] == 0",
    )
    others = (
        f"{name} <= {row['difference'] - 1e-9}",
        f"{name} <= {share - 1e-6}%",
        f"{name} <= {row['high'] - 1e-6} significantly",
        "nobody fertility[held-out] == 0",
    )
    for assertions, code in ((holding, 0), (others, 5)):
        options = [option for text in assertions for option in ("--assert", text)]
        done = tokbench("compare", "first", "second", *options, cwd=runs)
        assert done.returncode == code
        word = "holds" if code == 0 else "does not hold"
        messages = [line for line in done.stderr.splitlines() if f"assertion {word}: " in line]
        assert len(messages) == len(assertions), done.stderr


def test_markdown_can_be_pasted_into_a_pull_request(runs: Path) -> None:
    assertion = ("--assert", "main fertility[held-out] < 0")
    done = tokbench("compare", "first", "second", *assertion, "--format", "md", cwd=runs)
    shown = done.stdout
    assert shown.startswith("### Assertions\n\n| assertion | result | why not |\n")
    assert "| main fertility\\[held-out\\] \\< 0 | does not hold | main@merges:" in shown
    assert "### Settings\n\n| what | first | second |\n" in shown
    assert "| system main | bpe | bpe(ties=smallest) |\n" in shown
    assert "#### main@merges:6 on held-out\n\n| word | count | first | second |\n" in shown
    assert " | all | tokens per word | " in shown
    table = [
        *csv.DictReader(
            io.StringIO(tokbench("compare", "first", "second", "--format", "csv", cwd=runs).stdout)
        )
    ]
    assert len(table) == len(compared(runs, "first", "second")["numbers"])
    assert "fertility" in {line["metric"] for line in table}, "programs see the name"


def test_occurrences_that_are_cut_differently_are_counted_alone() -> None:
    """`ab ab ab`: the first run cuts only the second of them, the second run none."""
    vocabulary = Vocabulary(("a", "b", "ab"))
    order = np.zeros(3, dtype=np.uint32)
    words = Words(("ab",), order, np.array([0, 3]), np.zeros(1, dtype=np.int32), None, None)

    def cut(states: list[list[int]], of_running: list[int]) -> Segmentation:
        tokens = [token for state in states for token in state]
        starts = [place for state in states for place in range(len(state))]
        ends = [
            place + (2 if len(state) == 1 else 1) for state in states for place in range(len(state))
        ]
        return Segmentation(
            words=words,
            vocabulary=vocabulary,
            word=np.zeros(len(states), dtype=np.int64),
            row=np.cumsum([0, *map(len, states)]),
            ids=np.array(tokens),
            starts=np.array(starts),
            ends=np.array(ends),
            round_trip=np.ones(len(states), dtype=bool),
            context=InContext(
                order=np.array(of_running, dtype=np.uint32),
                part=np.full(len(tokens), WHOLE, dtype=np.int8),
                outside=np.zeros(1, dtype=np.int64),
                chars=np.array([8]),
                bytes=np.array([8]),
            ),
        )

    different = different_cuts(cut([[2], [0, 1]], [0, 1, 0]), cut([[2]], [0, 0, 0]))
    assert different == [("ab", 1, ("a", "b"), ("ab",))]
