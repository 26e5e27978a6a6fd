"""`tokbench --traceback`, and `python -m tokbench`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.low import write_low
from tests.run_cli import tokbench_here

PLUGIN = """
from tokbench.api import Learner, hookimpl

class Mine(Learner):
    def learn(self, words, size):
        return self.inner(words)

    def inner(self, words):
        raise RuntimeError("no idea")

tokbench_learners = hookimpl(lambda: {"mine": Mine})
"""
LINE = "RuntimeError: no idea (mine.py:9)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a config whose second system fails, and a plugin that cannot be imported."""
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    keys = {"sizes": "[9, 10]", "systems": "[char, mine]", "metrics": "[fertility]"}
    return write_low(tmp_path, PLUGIN, **keys)


def test_a_failure_begins_with_its_cause_and_its_line(folder: Path) -> None:
    run = ("run", "low.yaml", "-p", "mine.py", "-o", "out")
    done = tokbench_here(*run, cwd=folder)
    assert done.returncode == 1
    failed = [line for line in done.stderr.splitlines() if line.startswith("failed: ")]
    assert failed == [f"failed: system mine at size {size}: {LINE}" for size in (9, 10)]
    assert "Traceback" not in done.stderr
    learn = ("learn", "low.txt", "--size", "9", "--learner", "mine", "-p", "mine.py")
    done = tokbench_here(*learn, cwd=folder)
    assert (done.returncode, done.stderr) == (1, f"error: learner mine: {LINE}\n")


def test_traceback_shows_what_a_run_lists_as_failed(folder: Path) -> None:
    run = ("run", "low.yaml", "-p", "mine.py", "-o", "out")
    done = tokbench_here("--traceback", *run, cwd=folder)
    assert done.returncode == 1
    assert done.stderr.count("Traceback (most recent call last):") >= 1
    assert 'mine.py", line 6, in learn\n' in done.stderr
    assert 'mine.py", line 9, in inner\n' in done.stderr
    assert done.stderr.count(f"failed: system mine at size 9: {LINE}\n") == 1


def test_traceback_shows_errors_and_broken_plugins(folder: Path) -> None:
    done = tokbench_here("--traceback", "plugins", "nothing", "-p", "broken.py", cwd=folder)
    assert done.returncode == 3
    assert 'broken.py", line 1, in <module>\n' in done.stderr
    assert "tokbench.errors.BrokenPluginError: plugin broken.py is broken: " in done.stderr
    *_, last = done.stderr.splitlines()
    assert last.startswith("error: plugin broken.py is broken: ModuleNotFoundError: No module ")


def test_the_package_is_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tokbench", "--help"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Usage: python -m tokbench [OPTIONS] ")
    assert "--traceback" in done.stdout
