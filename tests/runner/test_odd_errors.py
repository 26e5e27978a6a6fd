"""Whatever a plugin raises breaks nothing but its own part, and the whole folder is written."""

import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tokbench_views.terminal import summary

from tests.cutting import made
from tests.tiny import LISTED, documents, offering, tiny_run
from tokbench import Run
from tokbench.api import AdditiveMetric, Learner, SizeError, Vocabulary
from tokbench.errors import TokbenchError
from tokbench.failures import tracebacks
from tokbench.run_folder import write_run


class FailsWhenShownError(Exception):
    def __str__(self) -> str:
        raise KeyError("no message")


class EndsWhenShownError(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class OursFailsWhenShownError(TokbenchError):
    def __str__(self) -> str:
        raise KeyError("no message")


class SizeFailsWhenShownError(SizeError):
    """Has no smallest size either."""

    def __init__(self) -> None:
        pass

    def __str__(self) -> str:
        raise KeyError("no message")


class NoTextError(Exception):
    def __str__(self) -> Any:
        return 3


class NoTraceError(Exception):
    __traceback__ = 3  # type: ignore[assignment]  # as it must not be


class FailsWhenTracedError(Exception):
    @property
    def __traceback__(self) -> Any:
        raise KeyError("no traceback")


class FailsWhenExplainedError(Exception):
    @property
    def __cause__(self) -> Any:
        raise KeyError("no cause")


def in_a_circle() -> BaseException:
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    return one


def no_file() -> BaseException:
    error = SyntaxError("no idea")
    error.filename, error.lineno = 3, "x"  # type: ignore[assignment]  # as it must not be
    return error


ERRORS = {
    "fails when shown": (FailsWhenShownError(), "FailsWhenShown"),
    "ends when shown": (EndsWhenShownError(), "EndsWhenShown"),
    "ours fails when shown": (OursFailsWhenShownError(), "cannot be shown"),
    "size fails when shown": (SizeFailsWhenShownError(), ""),
    "no text": (NoTextError(), "NoText"),
    "surrogates": (ValueError("a \udcff \ud800"), "ValueError: a \udcff \ud800"),
    "control characters": (ValueError("a\x00\x1b[31m\u202e\u2028|`"), "ValueError: a\x00\x1b[31m"),
    "long": (ValueError("long " * 200_000), "ValueError: long long"),
    "no trace": (NoTraceError(), "NoTrace"),
    "fails when traced": (FailsWhenTracedError(), "FailsWhenTraced"),
    "fails when explained": (FailsWhenExplainedError("x"), "FailsWhenExplained"),
    "in a circle": (in_a_circle(), "ValueError: one"),
    "no file": (no_file(), "SyntaxError"),
}


class Raising(Learner):
    """Raises what a test says."""

    error: ClassVar[Callable[[], BaseException]]

    def learn(self, words: Any, size: Any) -> Vocabulary:
        raise self.error()


class RaisingWhenCounted(AdditiveMetric):
    """Raises what a test says, when it counts."""

    formula, range = "1", (0, 1)
    error: ClassVar[Callable[[], BaseException]]

    def count(self, segmentation: Any) -> Mapping[str, Any]:
        raise self.error()

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        raise AssertionError


class RaisingWhenScored(RaisingWhenCounted):
    """Raises what a test says, when it scores."""

    def count(self, segmentation: Any) -> Mapping[str, Any]:
        return {"words": segmentation.tokens}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        raise self.error()


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("at", ["learner", "count", "score"])
@pytest.mark.parametrize("traceback", [False, True])
def test_the_folder_is_written_with_all_else(
    tmp_path: Path, traceback: bool, kind: str, at: str
) -> None:
    error, said = ERRORS[kind]
    component: Any = {
        "learner": Raising, "count": RaisingWhenCounted, "score": RaisingWhenScored,
    }[at]  # fmt: skip
    name = "raising-learner" if at == "learner" else "raising-metric"
    registry = offering(
        **{name.replace("-", "_"): made(component, error=staticmethod(lambda: error))}
    )
    texts: list[str] = []
    with tracebacks(texts.append) if traceback else nullcontext():
        run = tiny_run(
            tmp_path, registry, {"novel": "ab\tblend\n", "gold": "abc\tab c\n"},
            corpora=LISTED,
            systems="[raising-learner, char]" if at == "learner" else "[char]",
            metrics="[fertility]" if at == "learner" else "[raising-metric, fertility]",
            sizes="[5]",
        )  # fmt: skip
    assert bool(texts) == (traceback and bool(run.record.failures))
    reported = (*run.record.failures, *run.record.notes)
    assert any(said in text for text in reported if "raising" in text)
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
