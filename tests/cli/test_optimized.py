"""`PYTHONOPTIMIZE=2` strips docstrings and asserts: results, reports and pages stay the same."""

import json
from pathlib import Path

import pytest

from tests.cli.low import write_low
from tests.run_cli import fresh, tokbench_here
from tokbench.cli import COMMANDS

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

tokbench_metrics = hookimpl(lambda: {"mine": Mine})
'''
RUN = ("run", "low.yaml", "-q", "-p", "mine.py", "-o")
PAGES = [("metrics", "--format", "json"), ("plugins", "--components", "--format", "json")]
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.run_cli import tokbench_here
runs = [tokbench_here(*command) for command in json.loads(sys.argv[2])]
print(json.dumps([(done.returncode, done.stdout, done.stderr) for done in runs]))
"""


def test_all_but_the_text_of_help_is_the_same(tmp_path: Path, root: Path) -> None:
    keys = {"sizes": "[9]", "systems": "[char]", "metrics": "[fertility, mine]"}
    write_low(tmp_path, PLUGIN, **keys)
    commands = [(*RUN, "stripped"), *PAGES, ("--help",)]
    printed = fresh(PROGRAM, root, json.dumps(commands), cwd=tmp_path, PYTHONOPTIMIZE="2")
    ran, *shown, (code, listed, _) = json.loads(printed)
    usual = tokbench_here(*RUN, "usual", cwd=tmp_path)
    assert (usual.returncode, usual.stderr) == (ran[0], ran[2])
    for name in ("report.md", "metrics.md", "results.csv"):
        texts = [(tmp_path / folder / name).read_bytes() for folder in ("usual", "stripped")]
        assert texts[0] == texts[1]
    assert "The number three. " in (tmp_path / "usual" / "metrics.md").read_text()
    assert shown == [[0, tokbench_here(*page).stdout, ""] for page in PAGES]
    assert code == 0
    assert all(text.split(";")[0].split(",")[0] in listed for text in COMMANDS.values())
