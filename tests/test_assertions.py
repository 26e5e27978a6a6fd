"""Assertions: their grammar with a place for each mistake, what they match, and exit codes."""

import csv
from pathlib import Path

import pytest

from tests.run_cli import tokbench_here as tokbench

CONFIG = """\
corpora:
  train: train.txt
  test: {{held-out: test.txt}}
merges: [2, 6]
systems: [bpe, char]
metrics: [fertility, oov-words-running]
{more}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.txt").write_text("low lower lowest newest widest\n" * 30)
    (tmp_path / "test.txt").write_text("low newer wide lowest\nlow\nwiden low\n" * 15)
    (tmp_path / "c.yaml").write_text(CONFIG.format(more=""))
    return tmp_path


def run(folder: Path, *assertions: str, code: int = 0) -> list[str]:
    """Run the config, and return what is said of assertions."""
    given = (part for one in assertions for part in ("--assert", one))
    done = tokbench("run", "c.yaml", "-o", "out", *given, cwd=folder)
    assert done.returncode == code, done.stderr
    lines = done.stderr.splitlines()
    return [line for line in lines if line.startswith("assertion ")]


def values(folder: Path, **wanted: str) -> list[float]:
    with (folder / "out" / "results.csv").open() as file:
        return [
            float(row["value"])
            for row in csv.DictReader(file)
            if row["value"] and all(row[key] == value for key, value in wanted.items())
        ]


def test_what_holds_and_what_does_not(folder: Path) -> None:
    run(folder)
    (small, large) = values(folder, system="bpe", metric="fertility", subset="all")
    assert small > large
    assert run(folder, f"bpe@6 fertility[held-out] <= {large}") == [
        f"assertion holds: bpe@6 fertility[held-out] <= {large}"
    ]
    said = run(folder, f"bpe fertility[held-out] <= {large}", code=5)
    assert said == [
        f"assertion does not hold: bpe fertility[held-out] <= {large}: bpe@merges:2: {small:.6g}"
    ]
    assert len(run(folder, "fertility[held-out] > 0", "fertility[held-out/all]>0")) == 2


@pytest.mark.parametrize("sign", ["<", "<=", "==", ">=", ">"])
def test_each_sign_compares_as_it_says(folder: Path, sign: str) -> None:
    run(folder)
    (large,) = values(folder, system="bpe", size="merges:6", metric="fertility", subset="all")
    for number, held in ((large, "=" in sign), (large + 1, "<" in sign), (large - 1, ">" in sign)):
        run(folder, f"bpe@6 fertility[held-out]{sign}{number!r}", code=0 if held else 5)


def test_the_worse_end_of_the_interval_counts_where_it_is_asked_for(folder: Path) -> None:
    run(folder)
    with (folder / "out" / "results.csv").open() as file:
        (row,) = (
            row
            for row in csv.DictReader(file)
            if (row["system"], row["size"], row["metric"], row["subset"])
            == ("bpe", "merges:6", "fertility", "all")
        )
    low, value, high = (float(row[key]) for key in ("low", "value", "high"))
    assert low < value < high
    middle = (value + high) / 2
    run(folder, f"bpe@6 fertility[held-out] <= {middle}")
    (said,) = run(folder, f"bpe@6 fertility[held-out] <= {middle} significantly", code=5)
    assert said.endswith(f"but its interval is {low:.6g} to {high:.6g}")
    run(folder, f"bpe@6 fertility[held-out] <= {high + 1e-9} significantly")
    run(folder, f"bpe@6 fertility[held-out] >= {low - 1e-9} significantly")
    run(folder, f"bpe@6 fertility[held-out] >= {(low + value) / 2} significantly", code=5)


def test_without_a_match_it_fails_and_a_wrong_name_is_said_before(folder: Path) -> None:
    done = tokbench("run", "c.yaml", "-o", "out", "--assert", "bppe fertilty[held] < 9", cwd=folder)
    assert done.returncode == 5
    warning, *_, failed = done.stderr.splitlines()
    why = "it matches no number: no system is called 'bppe'; did you mean 'bpe'?"
    assert warning == f"warning: assert: bppe fertilty[held] < 9: {why}"
    assert failed == f"assertion does not hold: bppe fertilty[held] < 9: {why}"


@pytest.mark.parametrize(
    ("assertion", "warned", "said"),
    [
        ("bpe@7 fertility[held-out] < 9", True, "bpe has no size 7; there are: 2, 6"),
        ("@22 fertility[held-out] < 9", True, "no system has size 22; there are: 2, 6"),
        ("char@6 fertility[held-out] < 9", True, "char has no sizes"),
        ("fertility[held-out/unsen] < 9", False, "no subset is called 'unsen'; did you mean 'unse"),
    ],
)
def test_what_there_is_is_named_where_nothing_matches(
    folder: Path, assertion: str, warned: bool, said: str
) -> None:
    done = tokbench("run", "c.yaml", "-o", "out", "--assert", assertion, cwd=folder)
    assert done.returncode == 5
    lines = done.stderr.splitlines()
    assert any(said in line for line in lines if line.startswith("warning: assert: ")) == warned
    assert f"{assertion}: it matches no number: {said}" in lines[-1]


def test_a_failure_wins_over_an_assertion(folder: Path) -> None:
    plugin = folder / "mine.py"
    plugin.write_text(
        "from tokbench.api import Learner, hookimpl\n"
        "class Mine(Learner):\n"
        "    'Fail.'\n"
        "    def learn(self, words, size): raise ValueError('no')\n"
        "@hookimpl\n"
        "def tokbench_learners(): return {'mine': Mine}\n"
    )
    text = (folder / "c.yaml").read_text().replace("[bpe, char]", "[bpe, char, mine]")
    (folder / "c.yaml").write_text(text)
    command = ("run", "c.yaml", "-o", "out", "-p", "mine.py", "--assert", "fertility[held-out] < 0")
    done = tokbench(*command, cwd=folder)
    assert done.returncode == 1
    assert "assertion does not hold" in done.stderr


def test_a_config_may_hold_assertions(folder: Path) -> None:
    more = "assert:\n  - bpe@6 fertility[held-out] < 9\n  - 'char fertility[held-out] < 0'"
    (folder / "c.yaml").write_text(CONFIG.format(more=more))
    held, failed = run(folder, code=5)
    assert held == "assertion holds: bpe@6 fertility[held-out] < 9"
    assert failed.startswith("assertion does not hold: char fertility[held-out] < 0: char: ")
    quiet = tokbench("run", "-q", "c.yaml", "-o", "out", cwd=folder)
    assert "assertion holds" not in quiet.stderr
    assert "assertion does not hold" in quiet.stderr


def test_assertions_do_not_change_the_run(folder: Path) -> None:
    def name() -> str:
        done = tokbench("run", "c.yaml", cwd=folder)
        return done.stdout.rpartition("Report: ")[2]

    plain = name()
    (folder / "c.yaml").write_text(CONFIG.format(more="assert: ['fertility[held-out] < 9']"))
    assert name() == plain


MISTAKES = [
    ("fertility", 10, "expected a metric with its corpus in brackets, as in"),
    ("", 1, "expected a metric with its corpus in brackets, as in"),
    ("fertility[a", 12, "expected a closing ], as in"),
    ("[a] < 3", 1, "expected a metric before the [, as in"),
    ("bpe fertility[/unseen] < 3", 22, "expected a corpus, and behind a / a subset, as in"),
    ("bpe fertility[a/] < 3", 17, "expected a corpus, and behind a / a subset, as in"),
    ("bpe fertility[a] =< 3", 18, "expected one of <= >= == < >"),
    ("bpe fertility[a]", 17, "expected one of <= >= == < >"),
    ("bpe fertility[a] < three", 20, "expected a number"),
    ("bpe fertility[a] < nan", 20, "expected a number"),
    ("bpe fertility[a] < 1e999", 20, "expected a number"),
    ("bpe fertility[a] < 3 %", 22, "expected no %: only a difference between two runs can be in"),
    ("bpe fertility[a] < 3 surely", 22, "expected `significantly` or nothing more"),
    ("bpe fertility[a] < 3 4", 22, "expected `significantly` or nothing more"),
]


@pytest.mark.parametrize(("text", "column", "what"), MISTAKES)
def test_a_mistake_has_a_caret_under_its_place(
    folder: Path, text: str, column: int, what: str
) -> None:
    done = tokbench("run", "c.yaml", "--assert", text, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    message, *shown = done.stderr.splitlines()
    assert message.startswith(f"error: --assert: {what}")
    if text:
        assert shown == [f"    {text}", f"    {' ' * (column - 1)}^"]
        (folder / "c.yaml").write_text(CONFIG.format(more=f"assert:\n  - '{text}'"))
        done = tokbench("check", "c.yaml", cwd=folder)
        assert done.returncode == 2
        assert done.stderr.startswith(f"error: c.yaml:8:{column + 5}: assert[0]: {what}")
        assert done.stderr.splitlines()[-1].index("^") == 4 + column + 4


def test_undefined_numbers_hold_nothing(folder: Path) -> None:
    (folder / "test.txt").write_text("low lower\n" * 30)
    said = run(folder, "bpe fertility[held-out/unseen] < 9", code=5)
    assert said[0].endswith(": bpe@merges:2: undefined; bpe@merges:6: undefined")
