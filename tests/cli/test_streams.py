"""Streams and signals of a real process: closed, narrow, broken, ended."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run_cli import TOKBENCH, tokbench


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell command in which `tokbench` is this one."""
    code = f'tokbench() {{ "{sys.executable}" -c "{TOKBENCH[2]}" "$@"; }}; {command}'
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", code],
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_output_is_utf8_whatever_the_locale(encoding: str) -> None:
    done = tokbench("metrics", "--format", "json", PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert "²" in done.stdout


def test_closed_streams_are_no_reason_to_crash() -> None:
    for command in ("tokbench --help >&-", "tokbench metrics 2>&-", "tokbench --version <&-"):
        done = shell(command)
        assert (done.returncode, done.stderr) == (0, b""), command


def test_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "low.txt").write_text("low lower lowest\n" * 200_000)
    done = shell(
        f"cd {tmp_path}; tokbench learn --merges 2 low.txt > low.json; "
        "tokbench segment low.json low.txt | head -n 1; echo ${PIPESTATUS[0]}"
    )
    assert done.stderr == b""
    assert done.stdout == b"lo w</w> lo we r</w> lo we s t</w>\n4\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_leave_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "train.txt").write_text("a b ab\n" * 30)
    (tmp_path / "config.yaml").write_text(
        "corpora: {train: train.txt, test: train.txt}\nsizes: [3]\nsystems: [slow]\n"
    )
    (tmp_path / "slow.py").write_text(
        "import sys, time\n"
        "from tokbench.api import Learner, hookimpl\n"
        "class Slow(Learner):\n"
        "    def learn(self, words, size):\n"
        "        print('learning', file=sys.stderr, flush=True)\n"
        "        time.sleep(60)\n"
        "tokbench_learners = hookimpl(lambda: {'slow': Slow})\n"
    )
    process = subprocess.Popen(
        [*TOKBENCH, "run", "config.yaml", "-p", "slow.py", "-o", "out"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"learning\n"
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.strip() == b"interrupted"
    left = {path.name for path in tmp_path.iterdir()} - {"__pycache__"}
    assert left == {"config.yaml", "slow.py", "train.txt"}


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
