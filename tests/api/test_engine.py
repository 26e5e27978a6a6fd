"""Compiled code is taken where it was built, and what is said where it was not."""

import pytest

from tests.engines import using
from tests.run_cli import tokbench_here as tokbench
from tokbench.api.component import active, kernels
from tokbench.cli import options
from tokbench.cli.options import warn_of_plain_python

BUILT = "math"  # a module that is always there stands for kernels that were built
MISSING = "tokbench.no_such_kernels"


def test_compiled_code_is_taken_where_it_was_built() -> None:
    with using("compiled"):
        assert kernels(BUILT) is not None
        assert kernels(MISSING) is None
        assert (active(BUILT), active(MISSING)) == ("compiled", "python")


def test_python_can_be_forced() -> None:
    with using("python"):
        assert kernels(BUILT) is None
        assert active(BUILT) == "python"


def test_version_tells_what_was_compiled_when_asked() -> None:
    plain = tokbench("--version")
    assert plain.stdout == "tokbench, version 0.1.0\n"
    forced = tokbench("--version", "-v", TOKBENCH_ENGINE="python")
    engines = [line for line in forced.stdout.splitlines() if line.startswith("engine ")]
    modules = ("tokbench.corpora._count", "tokbench_bpe._learn", "tokbench_bpe._segment")
    assert engines == [f"engine python: {module}" for module in modules]
    wrong = tokbench("-v")
    assert (wrong.returncode, "--version" in wrong.stderr) == (2, True)


def test_plugins_tell_the_engine() -> None:
    done = tokbench("plugins", "--format", "csv", TOKBENCH_ENGINE="python")
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert ["bpe", "tokbench", "0.1.0", "learner", "python", "bpe"] in rows


def test_an_installation_without_compiled_code_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(options, "COUNTING", MISSING)
    with using("python"):
        warn_of_plain_python()
    assert capsys.readouterr().err == ""
    with using("compiled"):
        warn_of_plain_python()
    assert capsys.readouterr().err == (
        "warning: tokbench was installed without compiled code, so learning and segmenting take"
        " 10 to 20 times as long: see `tokbench doctor`\n"
    )
