"""What a run says while it works: nothing that is quick, one line on a terminal, plain lines else.

The learner of these tests waits for a file, so that no test depends on the clock.
"""

import os
import re
from contextlib import suppress
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest

from tests.cli.low import WAITING, write_low
from tests.run_cli import tokbench_here as tokbench
from tokbench.cli.progress import ShownProgress


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_low(tmp_path, WAITING, sizes="[9]", systems="[char, waiting]")


COMMAND = ("run", "low.yaml", "-o", "out", "-p", "mine.py")


def test_what_is_quick_is_not_shown(folder: Path) -> None:
    (folder / "go").touch()
    done = tokbench(*COMMAND, cwd=folder)
    assert done.returncode == 0
    assert not re.search("reading|waiting: learning", done.stderr)


def test_verbose_shows_each_step_with_its_seconds(folder: Path) -> None:
    (folder / "go").touch()
    done = tokbench(*COMMAND, "-v", cwd=folder)
    steps = re.findall(r"^ +\d+\.\d{3} s  (.*)$", done.stderr, re.MULTILINE)
    assert steps[0] == "reading corpora"
    assert "waiting: learning 9, size 1 of 1 (system 2 of 2)" in steps or (
        "waiting: learning 9 (system 2 of 2)" in steps
    )
    assert steps[-1] == "writing"
    learned = tokbench("learn", "low.txt", "--merges", "2", "-v", cwd=folder)
    assert re.findall(r" s  (.*)$", learned.stderr, re.MULTILINE) == [
        "reading", "learning", "writing",
    ]  # fmt: skip
    quiet = tokbench(*COMMAND, "-v", "-q", cwd=folder)
    assert "waiting: learning" not in quiet.stderr


def test_a_terminal_shows_the_step_on_one_line(folder: Path) -> None:
    terminal, inside = os.openpty()
    shown = bytearray()

    def read() -> None:
        with suppress(OSError):  # once the other end is closed
            while more := os.read(terminal, 1000):
                shown.extend(more)
                if b"waiting: learning 9 (system 2" in shown:
                    (folder / "go").touch()

    reader = Thread(target=read)
    reader.start()
    with open(inside, "w", encoding="utf-8") as screen:
        environment = {"TERM": "xterm", "COLUMNS": "35", "NO_COLOR": "1"}
        done = tokbench(*COMMAND, cwd=folder, stderr=screen, **environment)
    reader.join()
    os.close(terminal)
    assert done.returncode == 0
    lines = re.split(r"[\r\n]", re.sub(r"\x1b[^a-zA-Z]*[a-zA-Z]", "", shown.decode()))
    assert {len(line) for line in lines if "waiting: learning" in line} == {35}, "it is cropped"
    assert b"\x1b[3" not in shown, "no colours where NO_COLOR is set"


def shown_of(steps: list[tuple[float, float]]) -> list[str]:
    """Return what is shown at these seconds, at which so much is done."""
    clock = iter([0.0, *(seconds for seconds, _ in steps for _ in range(2))])
    progress = ShownProgress(verbose=False, clock=clock.__next__)
    shown = []
    for _, share in steps:
        progress("step", share)
        shown.append("".join(progress.text))
    return shown


def test_the_time_left_is_shown_once_two_estimates_agree_and_never_rises(
    capsys: pytest.CaptureFixture[str],
) -> None:
    steady = [(10, 0.1), (20, 0.2), (25, 0.2), (50, 0.5), (80, 0.8), (101, 0.8)]
    assert shown_of(steady) == [
        "step", "step, about 80 s left", "step, about 75 s left", "step, about 50 s left",
        "step, about 20 s left", "step",
    ]  # fmt: skip
    assert shown_of([(1, 0.25), (30, 0.5), (31, 0.75), (33, 1)]) == ["step"] * 4
    slower = [(10, 0.1), (20, 0.2), (30, 0.0), (60, 0.5), (88, 0.6), (100, 0.62), (130, 0.9)]
    assert shown_of(slower) == [
        "step", "step, about 80 s left", "step, about 70 s left", "step, about 60 s left",
        "step, about 59 s left", "step", "step, about 14 s left",
    ]  # fmt: skip
    assert capsys.readouterr() == ("", "")


def test_without_a_terminal_a_plain_line_is_printed_now_and_then(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Watched(StringIO):
        def write(self, text: str) -> int:
            if "waiting: learning 9 (system 2 of 2)" in text:
                (folder / "go").touch()
            return super().write(text)

    monkeypatch.setattr("tokbench.cli.progress.PLAIN_SECONDS", 0.01)
    shown = Watched()
    assert tokbench(*COMMAND, cwd=folder, stderr=shown).returncode == 0
    assert "waiting: learning 9 (system 2 of 2)" in shown.getvalue().splitlines()
    assert "\x1b" not in shown.getvalue()
