"""`PYTHONOPTIMIZE=2` strips docstrings and asserts: results, reports and pages stay the same."""

from pathlib import Path

import pytest

from tests.run_cli import tokbench, tokbench_here
from tokbench.api import Learner
from tokbench.cli import COMMANDS
from tokbench.docstrings import docstring

PLUGIN = '''
from tokbench.api import WholeMetric, hookimpl

if True:
    class Mine(WholeMetric):
        """The number three.

        In full: 3.
        """

        formula = "3"
        range = (0.0, 9.0)

        def measure(self, segmentation):
            return 3.0

@hookimpl
def tokbench_metrics():
    return {"mine": Mine}
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a config, a plugin and a text."""
    (tmp_path / "mine.py").write_text(PLUGIN)
    (tmp_path / "low.txt").write_text("low lower lowest\n" * 5)
    (tmp_path / "low.yaml").write_text(
        "corpora: {train: low.txt, test: low.txt}\nsizes: [9]\n"
        "systems: [char]\nresamples: 100\nmetrics: [fertility, mine]\n"
    )
    return tmp_path


def test_a_run_gives_the_same_results_and_report(folder: Path) -> None:
    run = ("run", "low.yaml", "-q", "-p", "mine.py", "-o")
    usual = tokbench(*run, "usual", cwd=folder)
    stripped = tokbench(*run, "stripped", cwd=folder, PYTHONOPTIMIZE="2")
    assert (usual.returncode, usual.stderr) == (stripped.returncode, stripped.stderr)
    for name in ("report.md", "results.csv"):
        assert (folder / "usual" / name).read_bytes() == (folder / "stripped" / name).read_bytes()
    assert "The number three. " in (folder / "usual" / "report.md").read_text()


@pytest.mark.parametrize(
    "arguments",
    [("metrics", "--format", "json"), ("plugins", "--components", "--format", "json")],
)
def test_the_pages_say_the_same(arguments: tuple[str, ...]) -> None:
    stripped = tokbench(*arguments, PYTHONOPTIMIZE="2")
    assert (stripped.returncode, stripped.stderr) == (0, "")
    assert stripped.stdout == tokbench_here(*arguments).stdout


def test_help_goes_without_its_text() -> None:
    done = tokbench("run", "--help", PYTHONOPTIMIZE="2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--quiet" in done.stdout
    done = tokbench("--help", PYTHONOPTIMIZE="2")
    assert all(text.split(";")[0].split(",")[0] in done.stdout for text in COMMANDS.values())


def test_a_class_without_a_docstring_has_none_of_its_own() -> None:
    class Bare(Learner):
        pass

    assert docstring(Bare) == ""
