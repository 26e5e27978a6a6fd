"""What a run says while it works: a bar on a terminal, else a line for each system.

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_low(tmp_path, WAITING, sizes="[9]", systems="[char, waiting]")


COMMAND = ("run", "low.yaml", "-o", "out", "-p", "mine.py")


def test_verbose_shows_each_step_with_its_seconds(folder: Path) -> None:
    (folder / "go").touch()
    done = tokbench(*COMMAND, "-v", cwd=folder)
    steps = re.findall(r"^ +\d+\.\d{3} s  (.*)$", done.stderr, re.MULTILINE)
    assert steps[0] == "reading corpora"
    assert "waiting: learning 9" in steps
    assert steps[-1] == "writing"
    learned = tokbench("learn", "low.txt", "--merges", "2", "-v", cwd=folder)
    assert re.findall(r" s  (.*)$", learned.stderr, re.MULTILINE) == [
        "reading", "learning", "writing",
    ]  # fmt: skip
    quiet = tokbench(*COMMAND, "-v", "-q", cwd=folder)
    assert "waiting: learning" not in quiet.stderr


def test_a_terminal_shows_a_bar_and_the_step_on_one_line(folder: Path) -> None:
    terminal, inside = os.openpty()
    shown = bytearray()

    def read() -> None:
        with suppress(OSError):  # once the other end is closed
            while output := os.read(terminal, 1000):
                shown.extend(output)
                if b"waiting: learn" in shown:
                    (folder / "go").touch()

    reader = Thread(target=read)
    reader.start()
    with open(inside, "w", encoding="utf-8") as screen:
        environment = {"TERM": "xterm", "COLUMNS": "42", "NO_COLOR": "1"}
        done = tokbench(*COMMAND, cwd=folder, stderr=screen, **environment)
    reader.join()
    os.close(terminal)
    assert done.returncode == 0
    lines = re.split(r"[\r\n]|\x1b\[[0-9]*[A-Z]", shown.decode())
    bars = [line for line in lines if "waiting" in line and "/2" in line]
    assert re.fullmatch(r"[━╸╺]+ +1/2 0:00:\d\d +waiting.*", bars[0]), "nothing tells what is left"
    assert {len(bar) for bar in bars} == {42}, "it is cropped"
    assert any(re.search(r"char: \d+\.\d s$", line) for line in lines)
    assert b"\x1b[3" not in shown, "no colours where NO_COLOR is set"


def test_without_a_terminal_each_system_has_a_line_when_it_has_ended(folder: Path) -> None:
    (folder / "go").touch()
    shown = StringIO()
    assert tokbench(*COMMAND, cwd=folder, stderr=shown).returncode == 0
    lines = [re.sub(r"\d+\.\d", "n", line) for line in shown.getvalue().splitlines()]
    assert lines[:2] == ["char: n s", "waiting: n s"]
    assert not re.search("reading|learning|\x1b", shown.getvalue())
    quiet = StringIO()
    tokbench(*COMMAND, "-q", cwd=folder, stderr=quiet)
    assert "waiting: " not in quiet.getvalue()
