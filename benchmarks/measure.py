"""Measure one fresh process from outside: its wall time, its peak memory, and its answer.

The peak is that of the largest process among the child and its children, as the kernel counts it
(`ru_maxrss`). It is never below that of the process that starts the child, so this one stays small.
"""

import json
import os
import pty
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Command:
    """A program to start, and the exit code that it must have.

    If it `answers`, its last line is JSON. With `first_line`, the clock stops when the program
    first shows anything on a terminal.
    """

    argv: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    code: int = 0
    answers: bool = False
    first_line: bool = False


@dataclass(frozen=True)
class Measured:
    """Seconds, peak memory in MB (10^6 bytes), the answer, and an error message if it failed."""

    seconds: float
    peak_mb: float
    answer: Any = None
    error: str | None = None


def measure(command: Command) -> Measured:
    """Start a process, wait for its end, and return what it took."""
    if command.first_line:
        return _until_first_line(command)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        process = _start(command, out.fileno(), err.fileno())
        code, peak_mb = _wait(process)
        seconds = time.perf_counter() - begin
        out.seek(0)
        err.seek(0)
        return _measured(command, seconds, peak_mb, code, out.read(), err.read())


def measure_or_exit(command: Command) -> Measured:
    """Measure a command that must succeed; end this program if it fails."""
    measured = measure(command)
    if measured.error:
        sys.exit(f"{' '.join(command.argv)}: {measured.error}")
    return measured


def own_peak_mb() -> float:
    """Return the peak memory of this process, below which none can be measured."""
    return _megabytes(resource.getrusage(resource.RUSAGE_SELF))


def _start(command: Command, out: int, err: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command.argv,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        env={**os.environ, **command.environment},
    )


def _wait(process: "subprocess.Popen[bytes]") -> tuple[int, float]:
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        process.wait()
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, _megabytes(usage)


def _megabytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def _measured(
    command: Command, seconds: float, peak_mb: float, code: int, out: bytes, err: bytes
) -> Measured:
    if code != command.code:
        lines = (err or out).decode("utf-8", "replace").strip().splitlines() or ["no output"]
        return Measured(seconds, peak_mb, error=f"exit code {code}: {lines[-1][:300]}")
    answer = json.loads(out.splitlines()[-1]) if command.answers else None
    return Measured(seconds, peak_mb, answer)


def _until_first_line(command: Command) -> Measured:
    ours, theirs = pty.openpty()
    begin = time.perf_counter()
    process = _start(command, theirs, theirs)
    os.close(theirs)
    output = _read_terminal(ours)
    seconds = time.perf_counter() - begin
    while part := _read_terminal(ours):
        output += part
    os.close(ours)
    code, peak_mb = _wait(process)
    return _measured(command, seconds, peak_mb, code, b"", output)


def _read_terminal(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        # Linux raises it when the last process has closed the terminal.
        return b""
