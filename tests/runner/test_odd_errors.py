"""Whatever a plugin raises breaks nothing but its own part, and the whole folder is written."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tokbench_views.tables import summary

from tests.cutting import made
from tests.tiny import LISTED, documents, offering, tiny_run
from tokbench import Run
from tokbench.api import Learner, Metric, SizeError, Vocabulary
from tokbench.errors import TokbenchError
from tokbench.failures import tracebacks
from tokbench.run_folder import write_run


def fail(error: BaseException) -> Any:
    raise error


def odd(name: str, base: type[BaseException] = Exception, **parts: Any) -> BaseException:
    """Return an error of a class of its own."""
    return type(name, (base,), parts)()


def fails(error: BaseException) -> Callable[..., Any]:
    """Return a method that raises."""
    return lambda self: fail(error)


def in_a_circle() -> BaseException:
    error, cause = ValueError("one"), ValueError("two")
    error.__cause__, cause.__cause__ = cause, error
    return error


UNSHOWN = fails(KeyError("no message"))
UNSIZED = {"__init__": lambda self: None, "__str__": UNSHOWN}
ERRORS = {
    "fails-when-shown": (odd("FailsWhenShown", __str__=UNSHOWN), "FailsWhenShown"),
    "ends-when-shown": (odd("EndsWhenShown", __str__=fails(SystemExit(3))), "EndsWhenShown"),
    "ours-fails-when-shown": (odd("Ours", TokbenchError, __str__=UNSHOWN), "cannot be shown"),
    "size-fails-when-shown": (odd("Size", SizeError, **UNSIZED), ""),
    "no-text": (odd("NoText", __str__=lambda self: 3), "NoText"),
    "surrogates": (ValueError("a \udcff \ud800"), "ValueError: a \udcff \ud800"),
    "control-characters": (ValueError("a\x00\x1b[31m\u202e\u2028|`"), "ValueError: a\x00\x1b[31m"),
    "long": (ValueError("long " * 200_000), "ValueError: long long"),
    "in-a-circle": (in_a_circle(), "ValueError: one"),
}


class Raising(Learner):
    """Raises what a test says."""

    error: ClassVar[Callable[[], BaseException]]

    def learn(self, words: Any, size: Any) -> Vocabulary:
        raise self.error()


class Scoring(Metric):
    """Raises what a test says, when it scores."""

    formula, range = "1", (0, 1)
    error: ClassVar[Callable[[], BaseException]]

    def count(self, segmentation: Any) -> Mapping[str, Any]:
        return {"words": segmentation.tokens}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        raise self.error()


class Counting(Scoring):
    """Raises what a test says, when it counts."""

    def count(self, segmentation: Any) -> Mapping[str, Any]:
        raise self.error()


def test_the_folder_is_written_with_all_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also where tracebacks are asked for, which show each error whole."""
    components = {
        f"{base.__name__.lower()}-{kind}": made(base, error=staticmethod(lambda error=error: error))
        for base in (Raising, Counting, Scoring)
        for kind, (error, _) in ERRORS.items()
    }
    learners = [name for name in components if name.startswith("raising-")]
    metrics = [name for name in components if name not in learners]
    with tracebacks():
        run = tiny_run(
            tmp_path, offering(**components), {"novel": "ab\tblend\n", "gold": "abc\tab c\n"},
            corpora=LISTED, sizes="[5]", resamples="1",
            systems=f"[{', '.join(learners)}, char]", metrics=f"[{', '.join(metrics)}, fertility]",
        )  # fmt: skip
    assert "Traceback (most recent call last):" in capfd.readouterr().err
    lines = [*run.record.failures, *run.record.notes]
    reports = {re.split("[ :,]+", line)[1]: line for line in lines}
    for name in components:
        assert ERRORS[name.split("-", 1)[1]][1] in reports[name]
    written = documents(run)
    write_run(tmp_path / "out", run, written)
    loaded = Run.load(tmp_path / "out")
    assert (loaded.rows, loaded.record) == (run.rows, run.record)
    assert documents(loaded) == written
    assert summary(loaded) == summary(run)
    scored = {(row.system, row.metric) for row in loaded.rows if row.value is not None}
    assert scored == {("char", "fertility")}
    assert loaded.segmentation("char", "held-out").pieces(0) == ["a", "b"]
    json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
