"""Failures: whatever is raised becomes one line, told once with its first place."""

from collections.abc import Mapping
from inspect import getsourcelines
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.conftest import ROOT
from tests.cutting import made
from tests.run_cli import tokbench_here
from tests.tiny import offering, scored, tiny_run
from tokbench.api import Learner, Metric, Vocabulary

pytestmark = pytest.mark.ci


class Raising(Learner):
    """Raises what a test says."""

    error: ClassVar[BaseException]

    def learn(self, words: Any, size: Any) -> Vocabulary:
        print("no data")
        raise self.error


def last_line(function: Any) -> str:
    """Return the place of a function's last line, as failures name it."""
    lines, first_line = getsourcelines(function)
    return f"{Path(__file__).relative_to(ROOT).as_posix()}:{first_line + len(lines) - 1}"


RAISED = last_line(Raising.learn)


def failures(folder: Path, error: BaseException) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Run a learner that raises beside char; return the failures, and the notes on systems."""
    run = tiny_run(
        folder, offering(raising=made(Raising, error=error)),
        systems="[{name: mine, learner: raising}, char]", sizes="[5]",
    )  # fmt: skip
    assert scored(run) == {"char"}
    return run.failures, tuple(note for note in run.notes if note.startswith("system"))


def test_ctrl_c_passes(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        failures(tmp_path, KeyboardInterrupt())


PRINTS = """
import os
from tokbench.api import *
class Prints(Learner):
    "Print, and fail or end the process."
    ends: bool
    def learn(self, words, size):
        open("attempts", "ab", 0).write(b".")
        os.write(1, b"first words\\n" + b"-" * 99_999 + b"\\n" + b"x" * 63_989 + b"\\n")
        os.write(2, b"last words")
        if self.ends:
            os._exit(0)
        raise KeyboardInterrupt
@hookimpl
def tokbench_learners():
    return {"prints": Prints}
"""


@pytest.mark.parametrize("ends", [pytest.param(False, marks=pytest.mark.ci), True])
def test_the_last_64_000_bytes_that_a_system_printed_are_shown_once(
    tmp_path: Path, ends: bool
) -> None:
    """A crash is tried once more; Ctrl-C in a child is a failure like others."""
    (tmp_path / "prints.py").write_text(PRINTS)
    for name in ("train.txt", "test.txt"):
        (tmp_path / name).write_text("ab\n")
    (tmp_path / "config.yaml").write_text(
        "corpora: {train: train.txt, test: {held-out: test.txt}}\nsizes: [5]\n"
        "metrics: [fertility]\n"
        f"systems: [char, {{name: mine, learner: {{use: prints, ends: {str(ends).lower()}}}}}]\n"
    )
    command = ("run", "-q", "config.yaml", "-o", "out", "-p", "prints.py")
    done = tokbench_here(*command, cwd=tmp_path, in_children=True)
    assert done.returncode == 1
    assert (tmp_path / "attempts").read_text() == (".." if ends else ".")
    shown = "x" * 63_989 + "\nlast words"
    assert len(shown) == 64_000
    before, *between, after = done.stderr.split(f"system mine printed:\n{shown}\n")
    assert between == [""] * ends
    for text in ("first words", "last words", "--", "xx", "printed"):
        assert text not in before + after
    message = "learner prints(" if ends else "KeyboardInterrupt (prints.py:13)"
    assert f"failed: system mine{'' if ends else ' at size 5'}: {message}" in after


def test_what_a_stranger_prints_in_a_run_does_not_mix_with_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failures(tmp_path, ValueError("no idea"))
    assert capsys.readouterr() == ("", "no data\n")


class Moody(Metric):
    """Fails with one message on most corpora, with another on the last."""

    formula, range = "1", (0, 1)

    def count(self, segmentation: Any) -> Mapping[str, Any]:
        raise ValueError("another" if "last" in segmentation.words.text else "no idea")

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        raise AssertionError


def test_a_failure_that_comes_up_again_is_counted_with_the_first(tmp_path: Path) -> None:
    registry = offering(moody=Moody, raising=made(Raising, error=ValueError("no idea")))
    run = tiny_run(
        tmp_path, registry, {"more": "ab\n", "end": "last\n"},
        corpora="{train: train.txt, test: {a: test.txt, b: more.txt, c: end.txt}}",
        systems="[char, {name: mine, learner: raising}]", metrics="[moody]", sizes="[5]",
    )  # fmt: skip
    moody = last_line(Moody.count)
    assert run.failures == (
        f"metric moody: ValueError: no idea ({moody}) (system char, corpus a, and 1 more times)",
        f"metric moody: ValueError: another ({moody}) (system char, corpus c)",
        f"system mine at size 5: ValueError: no idea ({RAISED})",
    )


def test_a_note_is_kept_once_in_its_place(tmp_path: Path) -> None:
    """A learner that is repeated says the same of each size again."""

    class Short(Learner):
        @property
        def deterministic(self) -> bool:
            return False

        def learn(self, words: Any, size: Any) -> Vocabulary:
            return Vocabulary(("a",), ("a",), segmenter={"use": "word"})

    run = tiny_run(tmp_path, offering(short=Short), systems="[short]", sizes="[5]")
    notes = [note.partition(":")[0] for note in run.notes if note.startswith("system")]
    assert notes == ["system short"]
    assert [note.partition(":")[0] for note in run.record.unreached] == ["system short at size 5"]
