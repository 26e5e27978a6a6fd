"""The parent's side of workers: starts them, makes calls within limits, and ends them."""

import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from weakref import finalize

from tokbench import errors
from tokbench.api.engine import VARIABLE, chosen
from tokbench.errors import DeadWorkerError, SizeError, TokbenchError, WorkerError
from tokbench.failures import described, show_printed
from tokbench.workers.limits import Limits
from tokbench.workers.parcel import ParcelError, take, write
from tokbench.workers.server import processes

KEPT = 64_000
"""The bytes kept of what a worker prints."""

_TICK = 0.25
_END, _LONG = 10.0, 60.0
_LOADED = ("tokbench.plugins.served", "tokbench.api.arrays", "numpy.lib.format", "regex")
_LONGEST_LINE = 1 << 22


class Call(NamedTuple):
    """A call of a method in a worker; one with a `key` is made once in each process."""

    method: str
    given: Sequence[Any] = ()
    named: Mapping[str, Any] = {}
    key: Hashable = None


class _Crash(NamedTuple):
    """How a process ended, and whether it is worth a second attempt."""

    how: str
    again: bool


class _Server:
    """A fork server, started when the first worker is."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        self._held = b""
        self._ended: dict[int, int] = {}
        with theirs:
            number = theirs.fileno()
            self._program = subprocess.Popen(
                [sys.executable, "-u", "-P", "-m", "tokbench.workers.server", str(number)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(number,),
                start_new_session=True,
                env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(_path())},
            )
        self.say({"path": _path(), "modules": _LOADED, "temporary": tempfile.gettempdir()})
        self.folder = Path(self.hear("ready"))
        finalize(self, _stop, os.getpid(), self.control, self._program, self.folder)

    def say(self, what: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Send a line, with descriptors; raises OSError where the server has gone."""
        data = json.dumps(what).encode() + b"\n"
        sent = socket.send_fds(self.control, [data], descriptors)
        self.control.sendall(data[sent:])

    def hear(self, key: str, seconds: float = _LONG) -> Any:
        """Wait for the line that has a key, and return its value.

        Raises OSError as `say` does, and where there is none in time.
        """
        self.control.settimeout(seconds)
        while True:
            while b"\n" in self._held:
                line, _, self._held = self._held.partition(b"\n")
                heard = json.loads(line)
                if "ended" in heard:
                    self._ended[heard["worker"]] = heard["ended"]
                if key in heard:
                    return heard[key]
            more = self.control.recv(1 << 16)
            if not more:
                raise ConnectionResetError("the fork server has ended")
            self._held += more

    def has_ended(self, worker: int) -> bool:
        """Take what the server has said, of any worker; raises OSError where it has gone."""
        with suppress(TimeoutError, BlockingIOError):
            self.hear("", seconds=0)
        return worker in self._ended

    def ended(self, worker: int, seconds: float = _LONG) -> int | None:
        """Wait until a worker has ended, and return its exit code, below 0 that of a signal.

        None where it has not ended in time; raises OSError where the server has gone.
        """
        with suppress(TimeoutError):
            while worker not in self._ended:
                self.hear("ended", seconds)
        return self._ended.pop(worker, None)


def _stop(
    parent: int, control: socket.socket, program: "subprocess.Popen[bytes]", folder: Path
) -> None:
    with control, suppress(OSError):
        if os.getpid() != parent:  # a copy of it has no server to stop
            return
        control.shutdown(socket.SHUT_RDWR)  # a copy that a plugin left behind has it open too
    try:
        program.wait(_END)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
    shutil.rmtree(folder, ignore_errors=True)


def _path() -> list[str]:
    return [os.path.abspath(entry) for entry in sys.path]


@cache
def _server(process: int) -> _Server:
    """Return the fork server of a process, started when first asked for; a copy has its own."""
    return _Server()


def temporary_folder() -> Path:
    """Return a folder that goes when this process has ended, however it ends."""
    return _server(os.getpid()).folder


_numbers = count()


class _Process:
    """One process of a worker."""

    def __init__(self, serve: str, limits: Limits) -> None:
        self.parent = os.getpid()
        self.server = _server(self.parent)
        self.number = next(_numbers)
        self.done: set[Hashable] = set()
        self.printed = b""
        self.bytes_printed = 0
        self._limits = limits
        self._files = count()
        self._held = b""
        self._seat, theirs = socket.socketpair()
        self._output, printing = os.pipe()
        os.set_blocking(self._output, False)
        asked = {
            "worker": self.number,
            "serve": serve,
            "folder": str(self.server.folder),
            "path": _path(),
            "cwd": os.getcwd(),
            "environment": {
                **os.environ,
                VARIABLE: chosen(),
                # What a killed process leaves behind goes with the server's folder.
                "TMPDIR": str(self.server.folder),
            },
            "memory": limits.memory_bytes,
            "output": limits.output_bytes,
        }
        try:
            self.server.say(asked, [theirs.fileno(), printing])
            self.pid: int = self.server.hear("pid")
        finally:
            theirs.close()
            os.close(printing)
        finalize(self, _close, self._seat, self._output)

    def call(self, call: Call) -> Any:
        """Make a call and return the answer; a _Crash where there is none."""
        path = self.server.folder / f"{self.number}-{next(self._files)}.call"
        functions = write(path, [call.method, [*call.given], dict(call.named)])
        try:
            self._send({"call": path.name})
            while True:
                heard = self._hear()
                if isinstance(heard, _Crash):
                    return heard
                if "ask" not in heard:
                    break
                self._answer(functions, heard["ask"])
        finally:
            for left in (path, path.with_suffix(".lines")):
                left.unlink(missing_ok=True)
        if "error" in heard:
            raise _error(heard)
        return take(self.server.folder, heard["answer"])

    def end(self) -> int | None:
        """End the process with all that it started; return its exit code."""
        self.server.say({"end": self.number})
        return self.server.ended(self.number)

    def _send(self, what: Mapping[str, Any]) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # it has ended, which is heard next
            self._seat.sendall(json.dumps(what).encode() + b"\n")

    def _answer(self, functions: Sequence[Callable[..., Any]], question: str) -> None:
        asked = take(self.server.folder, question)
        try:
            number, given = asked
            path = (self.server.folder / question).with_suffix(".reply")
            write(path, functions[number](*given))
            self._send({"answer": path.name})
        except Exception as error:  # what the plugin asks with is its own
            self._send({"error": described(error)})

    def _hear(self) -> Any:
        """Wait for a line of the worker within its limits."""
        begin = active = monotonic()
        used = None
        with selectors.DefaultSelector() as events:
            for source in (self._seat, self._output, self.server.control):
                events.register(source, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in events.select(_TICK)}
                if self._output in ready and self._drain():
                    active = monotonic()
                if self._seat in ready:
                    try:
                        more = self._seat.recv(1 << 16)
                    except ConnectionResetError:
                        more = b""
                    self._held += more
                    line, ended, rest = self._held.partition(b"\n")
                    if ended or len(line) > _LONGEST_LINE:
                        self._held = rest
                        self._drain()
                        return self._understood(line)
                    if not more:
                        return self._ended()
                if self.server.control in ready and self.server.has_ended(self.number):
                    return self._ended()
                now = monotonic()
                if self.bytes_printed > self._limits.output_bytes:
                    return self._at_limit(f"printed more than {self._limits.output} MB", "output")
                if now - begin > self._limits.seconds:
                    return self._at_limit(f"took longer than {self._limits.seconds:g} s", "seconds")
                if not ready and now - active > self._limits.idle_seconds / 4:
                    busy = _processor_time(self.pid)
                    if busy != used:
                        used, active = busy, now
                    elif now - active > self._limits.idle_seconds:
                        idle = self._limits.idle_seconds
                        what = f"neither computed nor printed for {idle:g} s"
                        return self._at_limit(what, "idle-seconds")

    def _understood(self, line: bytes) -> Any:
        with suppress(ValueError, TypeError, LookupError, RecursionError):
            heard = json.loads(line)
            told = [heard[key] for key in ("ask", "error", "answer") if key in heard]
            if isinstance(told[0], str):
                return heard
        self.end()
        return _Crash("gave an answer that cannot be read", again=True)

    def _at_limit(self, what: str, limit: str) -> _Crash:
        self.end()
        return _Crash(f"{what} and was ended (`limits`: {limit})", again=False)

    def _ended(self) -> _Crash:
        """Say how the process ended; one that only closed its socket is ended now."""
        code = self.server.ended(self.number, _END)
        if code is None:
            code = self.end()
        self._drain()
        if code is None or code >= 0:
            return _Crash(f"ended with exit code {code} and no answer", again=True)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        if name == "SIGKILL":
            name += ", perhaps for want of memory"
        return _Crash(f"was ended by {name}", again=True)

    def _drain(self) -> bool:
        """Keep the last of what was printed; return whether there was anything."""
        before = self.bytes_printed
        with suppress(BlockingIOError):
            # Not forever: it may print faster than this reads.
            for _ in range(64):
                more = os.read(self._output, 1 << 16)
                if not more:
                    break
                self.bytes_printed += len(more)
                self.printed = (self.printed + more)[-KEPT:]
        return self.bytes_printed > before


def _close(seat: socket.socket, output: int) -> None:
    seat.close()
    os.close(output)


class Worker:
    """A worker with a name, whose process is started when it is first called, and after a crash.

    `serve` names the function that answers its calls, as `package.module:function`.
    """

    def __init__(self, name: str, serve: str, limits: Limits) -> None:
        self.name = name
        self._serve = serve
        self._limits = limits
        self._process: _Process | None = None

    def run(self, calls: Sequence[Call]) -> Any:
        """Make calls in one process, and return the answer of the last one.

        A process that ends without an answer is tried once more, one at a limit is not. Raises the
        error that the call raised: one of ours as it was, any other as a WorkerError;
        DeadWorkerError where there is no answer.
        """
        answer, again = self._attempt(calls), ""
        if isinstance(answer, _Crash) and answer.again:
            answer, again = self._attempt(calls, last=True), ", as at its first attempt"
        if isinstance(answer, _Crash):
            raise DeadWorkerError(f"its process {answer.how}{again}")
        return answer

    def _attempt(self, calls: Sequence[Call], last: bool = False) -> Any:
        """Make the calls once; a _Crash, after which there is no process, if one has no answer."""
        try:
            answer = self._once(calls)
        except ParcelError as error:
            self.end()
            return _Crash(f"gave an answer, but {error}", again=True)
        except OSError as error:
            # The server was killed, which ends its workers; or nothing can be started.
            self._process = None
            _server.cache_clear()
            return _Crash(f"could not be asked: {error.strerror or error}", again=True)
        except TokbenchError:
            self._show_printed()
            raise
        except BaseException:
            self.end()
            raise
        if isinstance(answer, _Crash):
            if last or not answer.again:
                self._show_printed()
            self._process = None
        return answer

    def end(self) -> None:
        """End its process, if there is one."""
        process, self._process = self._process, None
        if process is not None and process.parent == os.getpid():
            with suppress(OSError):
                process.end()

    def _once(self, calls: Sequence[Call]) -> Any:
        if self._process is None or self._process.parent != os.getpid():
            self._process = _Process(self._serve, self._limits)
        answer, process = None, self._process
        for call in calls:
            if call.key is None or call.key not in process.done:
                answer = process.call(call)
                if isinstance(answer, _Crash):
                    return answer
                if call.key is not None:
                    process.done.add(call.key)
        return answer

    def _show_printed(self) -> None:
        """Show the last of what its process printed, and forget it."""
        process = self._process
        if process is None or not process.printed.strip():
            return
        text = process.printed.decode("utf-8", "replace")
        process.printed = b""
        show_printed(f"{self.name} printed:\n{text}".rstrip())


def without_key(error: WorkerError) -> str:
    """Return the message of an error without the key of a config that set the limit."""
    return str(error).partition(" (`limits`")[0]


def _error(heard: Mapping[str, Any]) -> TokbenchError:
    """Make the error that a worker tells of."""
    kind, minimum = getattr(errors, str(heard.get("kind")), None), heard.get("minimum")
    message = str(heard["error"])
    found: TokbenchError
    if not (isinstance(kind, type) and issubclass(kind, TokbenchError)):
        found = WorkerError(message)
    elif issubclass(kind, SizeError):
        found = SizeError(message, minimum if isinstance(minimum, int) else 0)
    elif issubclass(kind, errors.PluginError):
        found = errors.PluginError(message)  # its subclasses write their message themselves
    elif issubclass(kind, errors.InputError):
        found = errors.InputError(message)  # as above
    else:
        found = kind(message)
    if heard.get("traceback"):
        found.add_note(str(heard["traceback"]).rstrip())
    return found


def _processor_time(pid: int) -> int | None:
    """Return the processor time of a process and all below it; None where nothing tells."""
    times = {one: (int(stat[1]), sum(map(int, stat[11:15]))) for one, stat in processes()}
    if pid not in times:
        return None
    below, found = {pid}, 0
    while below:
        found += sum(times[one][1] for one in below)
        below = {one for one, (parent, _) in times.items() if parent in below}
    return found
