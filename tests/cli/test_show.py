"""`tokbench show RUN oov`: the section of the report, and the numbers behind it."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.run_cli import tokbench_here as tokbench

PLUGIN = Path(__file__).parent.parent / "plugin_in_context.py"
CONFIG = """\
corpora: {train: train.txt, test: {held-out: test.txt}, pairs: {typos: typos.txt}}
systems: [char, {learner: word, sizes: [3]}]
metrics: [fertility, lost-whole]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("show")
    (here / "train.txt").write_text("ab ab abc abc b\n", "utf-8")
    (here / "test.txt").write_text("ab abd cab\nabc abd\n", "utf-8")
    (here / "typos.txt").write_text("acb\tabc\tswap\n", "utf-8")
    (here / "config.yaml").write_text(CONFIG, "utf-8")
    done = tokbench("run", "-q", here / "config.yaml", "-o", here / "out")
    assert done.returncode == 0, done.stderr
    return here / "out"


def test_it_is_the_section_of_all_metrics(folder: Path) -> None:
    done = tokbench("show", folder, "oov")
    assert (done.returncode, done.stderr) == (0, "")
    report = (folder / "metrics.md").read_text("utf-8")
    assert done.stdout.startswith("## Unseen, rare and special words\n\n")
    assert done.stdout.strip() in report
    assert "### By frequency" in done.stdout
    assert "### Under noise" in done.stdout


def test_the_numbers_are_those_of_results(folder: Path) -> None:
    shown = tokbench("show", folder, "oov", "--format", "csv").stdout
    rows = [*csv.DictReader(io.StringIO(shown))]
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        every = [r for r in csv.DictReader(file) if r["metric"] and r["subset"] != "all"]
    assert rows == [{column: row[column] for column in rows[0]} for row in every]
    assert {row["subset"] for row in rows} >= {"unseen", "band:0", "perturbed:swap"}
    as_json = json.loads(tokbench("show", folder, "oov", "--format", "json").stdout)
    assert as_json["numbers"] == rows
    with (folder / "unseen.csv").open(encoding="utf-8", newline="") as file:
        assert as_json["unseen"] == [*csv.DictReader(file)] != []
    assert as_json["growth"] == []


def test_a_system_in_both_contexts_has_the_rows_of_both(tmp_path: Path) -> None:
    for name, text in (("train", "ab ab abc abc b\n"), ("test", "ab abd cab\nabc abd\n")):
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    (tmp_path / "config.yaml").write_text(
        "corpora: {train: train.txt, test: {held-out: test.txt}}\nmetrics: [fertility]\n"
        "systems: [{learner: ready, context: both}]\n",
        "utf-8",
    )
    done = tokbench("run", "-q", tmp_path / "config.yaml", "-o", tmp_path / "out", "-p", PLUGIN)
    assert done.returncode == 0, done.stderr
    shown = tokbench("show", tmp_path / "out", "oov", "--format", "csv").stdout
    rows = [row for row in csv.DictReader(io.StringIO(shown)) if row["subset"] == "unseen"]
    assert [row["context"] for row in rows] == ["in-context", "isolated"]


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (("missing", "oov"), 4, "missing: there is no such folder"),
        ((), 2, "Missing argument 'RUN'"),
        (
            ("missing", "size"),
            2,
            "no plugin offers a view 'size'; did you mean 'sizes' (of tokbench)?",
        ),
        (("missing", "oov", "--plugin", "gone.py"), 2, "'gone.py' does not exist"),
    ],
)
def test_other_arguments_are_refused(given: tuple[str, ...], code: int, message: str) -> None:
    done = tokbench("show", *given)
    assert done.returncode == code
    assert message in done.stderr
