"""Call a function in a process of its own: for libraries that exit, crash, print or hang."""

import json
import os
import selectors
import signal
import site
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from time import monotonic
from typing import IO, Any, cast

from tokbench.api import ChildError, InputError, SizeError

_PROGRAM = Path(__file__).with_name("childmain.py")
_KEPT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_CHUNK = 1 << 16
_LEFT_IN_PIPE = 1 << 20  # more than a pipe holds
_TAIL = 4096
_LINES, _LONGEST_LINE = 3, 300
_TICK = 0.05


def in_child(function: str, payload: Any, *, seconds: float) -> Any:
    """Call `"package.module:function"` with JSON data in a fresh process; return its answer.

    Nothing of this process is there but what it can import: the module is imported anew (without
    the packages around it, unless it imports them), the environment is clean, stdin is empty, the
    current and home folder is an empty one that is removed afterwards, and what is printed is
    kept out of the way. Texts may hold lone surrogates; tuples arrive as lists, and keys as text.

    Raises the function's own error if it is an InputError or SizeError.
    Everything else is one ChildError: any other exception, `sys.exit`, a crash, an answer that is
    no JSON, or more than `seconds` seconds. The process never outlives the call, nor do those that
    it started, unless they left its session.
    """
    with tempfile.TemporaryDirectory(prefix="tokbench-", ignore_cleanup_errors=True) as folder:
        home = Path(folder, "home")
        home.mkdir()
        call, outcome = Path(folder, "call.json"), Path(folder, "outcome.json")
        path = [os.path.abspath(entry) for entry in sys.path]
        call.write_bytes(_encode({"function": function, "path": path, "payload": payload}))
        ended, printed = _run([str(call), str(outcome)], home, seconds)
        if outcome.exists() and ended is not None:
            return _answer(function, outcome.read_text("utf-8", "surrogatepass"), printed)
    raise _error(function, _how(ended, seconds), printed)


def _encode(data: Any) -> bytes:
    # Escapes would join two lone surrogates to the character that they spell together.
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _environment(home: Path) -> dict[str, str]:
    """Return what Python and libraries need, and nothing that differs from user to user."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    fixed = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    # Another home hides the packages that were installed for this user alone.
    packages = {"PYTHONUSERBASE": site.getuserbase()}
    return {**kept, **fixed, **packages, "HOME": str(home), "TMPDIR": str(home)}


def _run(arguments: list[str], home: Path, seconds: float) -> tuple[int | None, bytes]:
    """Run the child to its end; return its exit code, None after the time, and what it printed."""
    reading, writing = os.pipe()
    try:
        with Popen(
            [sys.executable, "-P", str(_PROGRAM), *arguments, str(reading)],
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            bufsize=0,
            cwd=home,
            env=_environment(home),
            pass_fds=(reading,),
            start_new_session=True,
        ) as process:
            try:
                return _watch(process, monotonic() + seconds)
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
    finally:
        os.close(reading)
        os.close(writing)


def _watch(process: Popen[bytes], deadline: float) -> tuple[int | None, bytes]:
    """Keep the last of what a process prints until it ends, or until the time is over."""
    assert process.stdout
    assert process.stderr
    tails = {process.stdout: b"", process.stderr: b""}
    with selectors.DefaultSelector() as streams:
        for stream in tails:
            streams.register(stream, selectors.EVENT_READ)
        while process.poll() is None:
            left = deadline - monotonic()
            if left <= 0:
                break
            if streams.get_map():
                _read(streams, tails, min(left, _TICK))
            else:
                with suppress(TimeoutExpired):
                    process.wait(left)
        # A process that left the session may keep the streams open and go on printing.
        for _ in range(_LEFT_IN_PIPE // _CHUNK):
            _read(streams, tails, 0)
    return process.returncode, tails[process.stderr].strip() or tails[process.stdout]


def _read(streams: selectors.BaseSelector, tails: dict[IO[bytes], bytes], wait: float) -> None:
    for key, _ in streams.select(wait) if streams.get_map() else ():
        stream = cast(IO[bytes], key.fileobj)
        chunk = os.read(key.fd, _CHUNK)
        if not chunk:
            streams.unregister(stream)
        tails[stream] = (tails[stream] + chunk)[-_TAIL:]


def _answer(function: str, written: str, printed: bytes) -> Any:
    """Return the answer, or raise what the child says that happened instead."""
    outcome = json.loads(written)
    if "trouble" in outcome:
        raise _error(function, outcome["trouble"], printed)
    if outcome.get("error") == SizeError.__name__:
        raise SizeError(outcome["message"], outcome["minimum"])
    if outcome.get("error") == InputError.__name__:
        raise InputError(outcome["message"])
    if "error" in outcome:
        raise _error(function, f"raised {outcome['error']}: {outcome['message']}", printed)
    return outcome["answer"]


def _how(ended: int | None, seconds: float) -> str:
    """Describe how a process without an answer ended."""
    if ended is None:
        return f"took longer than {seconds:g} seconds and was stopped"
    if ended >= 0:
        return f"ended with exit code {ended} and no answer"
    try:
        name = signal.Signals(-ended).name
    except ValueError:
        name = f"signal {-ended}"
    return f"was ended by {name}" + (", perhaps for want of memory" if name == "SIGKILL" else "")


def _error(function: str, what: str, printed: bytes) -> ChildError:
    lines = [line.strip() for line in printed.decode("utf-8", "replace").splitlines()]
    last = " / ".join(line[-_LONGEST_LINE:] for line in list(filter(None, lines))[-_LINES:])
    message = f"{function} {what}" + (f"; its last output: {last}" if last else "")
    return ChildError("".join(c if c.isprintable() else _escape(c) for c in message))


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
