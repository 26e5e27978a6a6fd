"""One fresh process: its wall time and peak memory, measured from outside, and its answer.

The peak is that of the largest process among the child and its children, as the kernel counts it
(`ru_maxrss`); it cannot be below that of the process that starts it, so this one stays small.
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
from typing import IO, Any


@dataclass(frozen=True)
class Command:
    """What to start; `first_line` measures until it first shows anything on a terminal.

    `code` is the exit code that it must have, `answers` tells whether its last line is JSON.
    """

    argv: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    code: int = 0
    answers: bool = False
    first_line: bool = False


@dataclass(frozen=True)
class Measured:
    """Seconds, peak memory in MB (10^6 bytes), the answer, and what went wrong if anything."""

    seconds: float
    peak_mb: float
    answer: Any = None
    error: str | None = None


def measure(command: Command) -> Measured:
    """Start a process, wait for its end, and give what it took."""
    if command.first_line:
        return _until_first_line(command)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        process = _start(command, stdout=out, stderr=err)
        code, peak = _ended(process)
        seconds = time.perf_counter() - begin
        return _measured(command, seconds, peak, code, _read(out), _read(err))


def _start(command: Command, **streams: Any) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, **command.environment}
    return subprocess.Popen(command.argv, stdin=subprocess.DEVNULL, env=environment, **streams)


def _ended(process: "subprocess.Popen[bytes]") -> tuple[int, float]:
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        process.wait()
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, megabytes(usage)


def own_peak_mb() -> float:
    """Return the peak memory of this process, below which none can be measured."""
    return megabytes(resource.getrusage(resource.RUSAGE_SELF))


def megabytes(usage: resource.struct_rusage) -> float:
    """Return the peak memory in MB."""
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def _measured(
    command: Command, seconds: float, peak: float, code: int, out: str, err: str
) -> Measured:
    if code != command.code:
        said = (err or out).strip().splitlines() or ["nothing was said"]
        return Measured(seconds, peak, error=f"exit code {code}: {said[-1][:300]}")
    answer = json.loads(out.splitlines()[-1]) if command.answers else None
    return Measured(seconds, peak, answer)


def _until_first_line(command: Command) -> Measured:
    ours, theirs = pty.openpty()
    begin = time.perf_counter()
    process = _start(command, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = _some(ours)
    seconds = time.perf_counter() - begin
    while part := _some(ours):
        shown += part
    os.close(ours)
    code, peak = _ended(process)
    return _measured(command, seconds, peak, code, "", shown.decode("utf-8", "replace"))


def _some(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        # Linux says so when the last process has closed the terminal.
        return b""


def _read(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")
