"""`PYTHONOPTIMIZE=2` strips docstrings and asserts: results, reports and pages stay the same."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.low import write_low
from tests.run_cli import fresh, tokbench_here
from tokbench.api import Learner
from tokbench.cli import COMMANDS
from tokbench.docstrings import docstring

pytestmark = pytest.mark.nightly

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


Answers = Mapping[tuple[str, ...], tuple[int, str, str]]
"""The exit code, the output and the errors of each command."""
PAGES = [("metrics", "--format", "json"), ("plugins", "--components", "--format", "json")]
RUN = ("run", "low.yaml", "-q", "-p", "mine.py", "-o")
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.run_cli import tokbench_here
told = [tokbench_here(*command) for command in json.loads(sys.argv[2])]
print(json.dumps([(done.returncode, done.stdout, done.stderr) for done in told]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a config, a plugin and a text."""
    keys = {"sizes": "[9]", "systems": "[char]", "metrics": "[fertility, mine]"}
    return write_low(tmp_path_factory.mktemp("low"), PLUGIN, **keys)


@pytest.fixture(scope="module")
def stripped(folder: Path, root: Path) -> Answers:
    """Run all commands in one process without docstrings; return what each said."""
    commands = [(*RUN, "stripped"), *PAGES, ("run", "--help"), ("--help",)]
    told = fresh(PROGRAM, root, json.dumps(commands), cwd=folder, PYTHONOPTIMIZE="2")
    return dict(zip(commands, map(tuple, json.loads(told)), strict=True))


def test_a_run_gives_the_same_results_and_report(folder: Path, stripped: Answers) -> None:
    usual = tokbench_here(*RUN, "usual", cwd=folder)
    code, _, errors = stripped[*RUN, "stripped"]
    assert (usual.returncode, usual.stderr) == (code, errors)
    for name in ("report.md", "metrics.md", "results.csv"):
        assert (folder / "usual" / name).read_bytes() == (folder / "stripped" / name).read_bytes()
    assert "The number three. " in (folder / "usual" / "metrics.md").read_text()


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_say_the_same(stripped: Answers, page: tuple[str, ...]) -> None:
    assert stripped[page] == (0, tokbench_here(*page).stdout, "")


def test_help_goes_without_its_text(stripped: Answers) -> None:
    code, page, errors = stripped["run", "--help"]
    assert (code, errors) == (0, "")
    assert "--quiet" in page
    _, page, _ = stripped["--help",]
    assert all(text.split(";")[0].split(",")[0] in page for text in COMMANDS.values())


def test_a_class_without_a_docstring_has_none_of_its_own() -> None:
    class Bare(Learner):
        pass

    assert docstring(Bare) == ""
