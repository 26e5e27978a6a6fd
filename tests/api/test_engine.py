"""Which engine is chosen, and what happens where the compiled one is asked for in vain."""

import os
from pathlib import Path

import pytest

from tests.run_cli import tokbench_here as tokbench
from tests.tiny import config
from tokbench.api.engine import VARIABLE, active, chosen, kernels, using
from tokbench.errors import PluginError, UsageError

BUILT = "math"  # a module that is always there stands for kernels that were built
MISSING = "tokbench.no_such_kernels"


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def test_compiled_code_is_taken_where_it_is_built() -> None:
    assert chosen() == "auto"
    assert kernels(BUILT) is not None
    assert kernels(MISSING) is None
    assert (active(BUILT), active(MISSING)) == ("compiled", "python")


def test_python_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    with using("python"):
        assert kernels(BUILT) is None
    assert kernels(BUILT) is not None
    monkeypatch.setenv(VARIABLE, "python")
    assert active(BUILT) == "python"
    with using("compiled"):
        assert active(BUILT) == "compiled"
    with using("auto"):
        assert active(BUILT) == "python"


def test_compiled_code_that_is_forced_must_be_there() -> None:
    with using("compiled"):
        assert active(MISSING) == "missing"
        with pytest.raises(PluginError, match=r"no_such_kernels was not built"):
            kernels(MISSING)


def test_the_variable_must_name_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "fast")
    message = "TOKBENCH_ENGINE: found 'fast', expected one of auto, compiled, python"
    with pytest.raises(UsageError, match=message):
        chosen()


def test_version_tells_the_engine_when_asked() -> None:
    plain = tokbench("--version")
    assert plain.stdout == "tokbench, version 0.1.0\n"
    forced = tokbench("--version", "-v", TOKBENCH_ENGINE="python")
    engines = [line for line in forced.stdout.splitlines() if line.startswith("engine ")]
    assert engines
    assert all(line.startswith("engine python: ") for line in engines)
    wrong = tokbench("-v")
    assert (wrong.returncode, "--version" in wrong.stderr) == (2, True)


def test_plugins_tell_the_engine() -> None:
    done = tokbench("plugins", "--format", "csv", TOKBENCH_ENGINE="python")
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert ["bpe", "tokbench", "0.1.0", "learner", "python", "bpe"] in rows


@pytest.mark.parametrize("by", ["key", "variable"])
def test_compiled_code_that_is_missing_is_found_before_anything_is_learned(
    tmp_path: Path, by: str
) -> None:
    (tmp_path / "train.txt").write_text("ab ab\n", encoding="utf-8")
    (tmp_path / "test.txt").write_text("ab\n", encoding="utf-8")
    plugin = tmp_path / "plugin.py"
    plugin.write_text(PLUGIN, encoding="utf-8")
    path = tmp_path / "config.yaml"
    keys = {"engine": "compiled"} if by == "key" else {}
    path.write_text(config(systems="[lone]", **keys), encoding="utf-8")
    environment = {} if by == "key" else {VARIABLE: "compiled"}
    for command in ("check", "run"):
        done = tokbench(command, path, "-p", plugin, cwd=tmp_path, **environment)
        assert done.returncode == 3
        assert "tokbench.no_such_kernels was not built" in done.stderr
        assert not (tmp_path / "runs").exists() or not os.listdir(tmp_path / "runs")


PLUGIN = '''
from tokbench.api import Learner, Vocabulary, hookimpl

class Lone(Learner):
    """Learns nothing."""
    kernels = "tokbench.no_such_kernels"
    def learn(self, words, size):
        return Vocabulary(tokens=("a",))

@hookimpl
def tokbench_learners():
    return {"lone": Lone}
'''
