"""Assertions: their grammar with a place for each mistake, what they match, and exit codes."""

from pathlib import Path

import pytest

from tests.run_cli import tokbench_here as tokbench
from tokbench.assertions import AssertedNumber, Assertion

CONFIG = """\
corpora:
  train: train.txt
  test: {{held-out: test.txt}}
merges: [2, 6]
systems: [bpe, char]
metrics: [fertility, oov-words-running]
{keys}
"""


NUMBERS = [
    AssertedNumber("bpe", "merges:2", "held-out", "all", "fertility", 3.5, 3.0, 4.0),
    AssertedNumber("bpe", "merges:6", "held-out", "all", "fertility", 2.5, 2.0, 3.25),
    AssertedNumber("bpe", "merges:6", "held-out", "unseen", "fertility", None),
    AssertedNumber("char", "", "held-out", "all", "fertility", 4.0),
]


def why_not(assertion: str) -> list[str]:
    """Return why an assertion about the numbers does not hold; nothing where it holds."""
    return Assertion.parse(assertion).failures(NUMBERS)


def test_all_that_match_must_hold() -> None:
    assert not why_not("bpe@6 fertility[held-out] <= 2.5")
    assert not why_not("fertility[held-out] > 0")
    assert not why_not("fertility[held-out/all]>0")
    assert why_not("bpe fertility[held-out] <= 2.5") == ["bpe@merges:2: 3.5"]
    undefined = "bpe@merges:6: undefined"
    assert why_not("bpe fertility[held-out/unseen] < 9") == [undefined]


def test_without_a_corpus_all_corpora_must_hold() -> None:
    gold = AssertedNumber("char", "", "gold", "all", "fertility", 5.0)
    wrong = Assertion.parse("char fertility <= 4").failures([*NUMBERS, gold])
    assert wrong == ["char on gold: 5"]
    assert not why_not("char fertility <= 4")


def test_a_metric_may_lack_its_options_where_it_is_the_only_one_of_its_name() -> None:
    english, german = (
        AssertedNumber("char", "", "ko", "all", f"parity(reference={name})", 2.0)
        for name in ("en", "de")
    )
    assert not Assertion.parse("parity <= 2").failures([*NUMBERS, english])
    assert not Assertion.parse("parity(reference=de)[ko] <= 2").failures([english, german])
    assert Assertion.parse("parity <= 2").failures([english, german]) == [
        "it matches no number: 'parity' is several metrics here, name one: "
        "parity(reference=en), parity(reference=de)"
    ]


@pytest.mark.parametrize("sign", ["<", "<=", "==", ">=", ">"])
def test_each_sign_compares_as_it_says(sign: str) -> None:
    for number, holds in ((2.5, "=" in sign), (3.5, "<" in sign), (1.5, ">" in sign)):
        assert bool(why_not(f"bpe@6 fertility[held-out]{sign}{number}")) != holds


def test_the_worse_end_of_the_interval_counts_where_it_is_asked_for() -> None:
    name = "bpe@6 fertility[held-out]"
    assert not why_not(f"{name} <= 3")
    (why,) = why_not(f"{name} <= 3 significantly")
    assert why.endswith("but its interval is 2 to 3.25")
    assert not why_not(f"{name} <= 3.25 significantly")
    assert not why_not(f"{name} >= 2 significantly")
    assert why_not(f"{name} >= 2.25 significantly")


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ("bpe@7 fertility[held-out] < 9", "bpe has no size 7; there are: 2, 6"),
        ("@22 fertility[held-out] < 9", "no system has size 22; there are: 2, 6"),
        ("char@6 fertility[held-out] < 9", "char has no sizes"),
        ("fertility[held-out/unsen] < 9", "no subset is called 'unsen'; did you mean 'unseen'?"),
    ],
)
def test_what_there_is_is_named_where_nothing_matches(assertion: str, why: str) -> None:
    assert why_not(assertion) == [f"it matches no number: {why}"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.txt").write_text("low lower lowest newest widest\n" * 30)
    (tmp_path / "test.txt").write_text("low newer wide lowest\nlow\nwiden low\n" * 15)
    (tmp_path / "c.yaml").write_text(CONFIG.format(keys=""))
    return tmp_path


def test_without_a_match_it_fails_and_a_wrong_name_is_said_before(folder: Path) -> None:
    done = tokbench("run", "c.yaml", "-o", "out", "--assert", "bppe fertilty[held] < 9", cwd=folder)
    assert done.returncode == 5
    warning, *_, failed = done.stderr.splitlines()
    why = "it matches no number: no system is called 'bppe'; did you mean 'bpe'?"
    assert warning == f"warning: assert: bppe fertilty[held] < 9: {why}"
    assert failed == f"assertion does not hold: bppe fertilty[held] < 9: {why}"


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


def test_a_config_may_hold_assertions_which_do_not_change_the_run(folder: Path) -> None:
    plain = tokbench("run", "c.yaml", cwd=folder).stdout.rpartition("Report: ")[2]
    keys = "assert: ['bpe@6 fertility[held-out] < 9 significantly', 'char fertility[held-out] < 0']"
    (folder / "c.yaml").write_text(CONFIG.format(keys=keys))
    done = tokbench("run", "c.yaml", cwd=folder)
    assert (done.returncode, done.stdout.rpartition("Report: ")[2]) == (5, plain)
    lines = done.stderr.splitlines()
    holding, failing = (line for line in lines if line.startswith("assertion "))
    assert holding == "assertion holds: bpe@6 fertility[held-out] < 9 significantly"
    assert failing.startswith("assertion does not hold: char fertility[held-out] < 0: char: ")
    quiet = tokbench("run", "-q", "c.yaml", "-o", "out", cwd=folder)
    assert "assertion holds" not in quiet.stderr
    assert "assertion does not hold" in quiet.stderr
