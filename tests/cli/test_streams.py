"""Streams and signals of a real process: closed, narrow, broken, ended."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.low import WAITING, printed, write_low
from tests.run_cli import TOKBENCH, names_in, tokbench_here
from tokbench.cli import run_command
from tokbench.cli.streams import open_streams

pytestmark = pytest.mark.ci

LOW = "low lower lowest\n"
LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (AT, AT)); " + TOKBENCH[2]


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell command in which `tokbench` is this one."""
    code = f'tokbench() {{ "{sys.executable}" -c "{TOKBENCH[2]}" "$@"; }}; {command}'
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", code],
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_output_is_utf8_whatever_the_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["tokbench", "metrics", "--format", "json"])
    with open(tmp_path / "written", "w", encoding="ascii") as written:
        monkeypatch.setattr(sys, "stdout", written)
        open_streams()
        assert run_command() == 0
    assert "²" in (tmp_path / "written").read_text(encoding="utf-8")


def test_closed_streams_are_no_reason_to_crash(low: Path) -> None:
    done = shell(f"tokbench segment {low / 'low.json'} <&- 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), "an empty text"


def test_output_that_goes_nowhere_is_a_failure() -> None:
    done = shell("tokbench --help >&-")
    assert done.returncode == 4
    assert done.stderr.startswith(b"error: standard output was cut short: ")


def test_a_reader_that_has_seen_enough_ends_it_quietly(low: Path, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(LOW * 100_000)
    done = shell(
        f"tokbench segment {low / 'low.json'} {tmp_path / 'long.txt'} | head -n 1; "
        "echo ${PIPESTATUS[0]}"
    )
    assert done.stderr == b""
    assert done.stdout == b"lo w</w> lo we r</w> lo we s t</w>\n4\n"


@pytest.fixture(scope="module")
def low(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text, a vocabulary and a config."""
    folder = write_low(tmp_path_factory.mktemp("low"), "", sizes="[9]", systems="[char]")
    (folder / "low.txt").write_text(LOW * 1000)
    printed(folder / "low.json", "learn", "--merges", "2", folder / "low.txt")
    assert tokbench_here("run", "-q", "low.yaml", "-o", "made", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize(
    ("arguments", "line_buffering"),
    [
        ("--help", True),
        ("run low.yaml -o out", False),
        ("segment low.json low.txt", True),
        ("show made", True),
        ("schema", True),
    ],
)
def test_a_full_disk_is_an_error(
    low: Path, arguments: str, line_buffering: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(low)
    monkeypatch.setattr(sys, "argv", ["tokbench", *arguments.split()])
    with (
        open("/dev/full", "w", buffering=1 if line_buffering else -1) as full,
        open(low / "errors", "w+") as errors,
    ):
        monkeypatch.setattr(sys, "stdout", full)
        monkeypatch.setattr(sys, "stderr", errors)
        open_streams()
        assert run_command() == 4
        errors.seek(0)
        *notes, message = errors.read().splitlines()
        assert message == "error: standard output was cut short: No space left on device"
        assert all(re.match(r"(note|warning): |char: \d+\.\d s$", note) for note in notes)


def test_output_that_a_limit_cuts_short_is_an_error(low: Path) -> None:
    with open(low / "written", "wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", LIMITED.replace("AT", "10_000"), "schema"],
            cwd=low,
            stdout=out,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    assert done.returncode == 4
    assert done.stderr == b"error: standard output was cut short: File too large\n"
    complete = tokbench_here("schema", cwd=low).stdout.encode()
    assert (low / "written").read_bytes() == complete[:10_000]


def test_where_messages_cannot_be_written_the_exit_code_is_left() -> None:
    commands = ("tokbench bogus 2>/dev/full", "tokbench run no.yaml 2>/dev/full")
    done = shell("; ".join(f"{command}; echo $?" for command in commands))
    assert done.stdout == b"2\n4\n"


@pytest.mark.ci
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])  # test_children: SIGINT
def test_signals_leave_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    write_low(tmp_path, WAITING, sizes="[3]", systems="[waiting]")
    before = names_in(tmp_path)
    process = subprocess.Popen(
        [*TOKBENCH, "run", "low.yaml", "-p", "mine.py", "-o", "out"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not (tmp_path / "learning").exists():
        assert process.poll() is None
        time.sleep(0.05)
    (tmp_path / "learning").unlink()
    process.send_signal(number)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert errors.strip() == b"interrupted"
    assert names_in(tmp_path) == before


def test_running_out_of_memory_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("a b ab\n" * 20_000)
    (tmp_path / "config.yaml").write_text(
        "corpora: {train: train.txt, test: train.txt}\nsizes: [3]\nsystems: [char]\n"
        "resamples: 1000000\n"
    )
    done = shell(f"ulimit -v 4000000; tokbench run -q -o {tmp_path}/out {tmp_path}/config.yaml")
    assert done.returncode == 4
    assert b"error: out of memory" in done.stderr
    assert b"Traceback" not in done.stderr


EARLY = """
import os, signal, sys
import tokbench.__main__ as program

class Pressed:
    "Presses Ctrl-C when the command line is imported."
    def find_spec(self, name, path=None, target=None):
        if name == "tokbench.cli":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Pressed())
program.main()
"""


def test_ctrl_c_before_anything_is_loaded_is_one_word() -> None:
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
