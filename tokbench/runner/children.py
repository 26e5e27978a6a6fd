"""Jobs in child processes, so that a plugin that crashes or hangs costs only its own job.

A child is `python -m tokbench.runner.children`, a fresh process in which nothing of the user's
program is loaded. It calls functions by name, one after another, with plain data (what JSON holds);
the answers are plain data too. In a file it says which component it is calling, and since when: if
it dies, or a call takes too long, that component is named.
"""

import ctypes
import faulthandler
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from contextvars import copy_context
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, BinaryIO, NamedTuple, TypeVar
from weakref import finalize

from tokbench import errors
from tokbench.errors import CrashError, TokbenchError
from tokbench.failures import described, tracebacks, tracebacks_are_shown
from tokbench.plugins import Plugin
from tokbench.plugins.calls import CallFile
from tokbench.plugins.loading import import_again
from tokbench.printing import printable

T = TypeVar("T")
Say = Callable[[str, float], None]
"""Is told what a job is doing, and which share of it is done."""

TICK_SECONDS = 0.2
END_SECONDS = 10.0
KEPT_BYTES = 64_000
"""The last bytes of what a child prints during a call; they are shown on stderr."""
IMPORT_SECONDS, IMPORT_MEGABYTES = 120, 1_000_000


class Child:
    """One child process, started with the first call and again after a crash.

    Each call of a component may take `seconds`, and the process `memory` MB.
    """

    def __init__(self, seconds: float, memory: int, hash_seed: int = 0) -> None:
        self._seconds, self._memory, self._hash_seed = seconds, memory, hash_seed
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def call(
        self, function: str, data: Any, say: Say = lambda text, share: None, name: str = ""
    ) -> Any:
        """Call `"package.module:function"` with data, and a `Here`; return its answer.

        What is printed meanwhile is shown under a `name`.

        Raises CrashError where the process ends without an answer, or is ended at a limit, and
        TokbenchError for what the function raises.
        """
        process = self._process
        if process is None:
            process = self._start()
        asked = {"call": function, "data": data, "tracebacks": tracebacks_are_shown()}
        try:
            return self._answer(process, asked, say)
        except TokbenchError:
            raise  # of a function that failed, after which the process goes on
        except BaseException:
            self.end()
            raise
        finally:
            self._show_printed(name)

    def close(self) -> None:
        """End the process, and refuse all later calls."""
        self._is_closed = True
        self.end()

    def end(self) -> None:
        """End the process with all that it started, if it runs; the next call starts another."""
        if self._process is not None:
            self._process = None
            self._end()

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise CrashError("", "was ended, and is not started again")

    def _start(self) -> "subprocess.Popen[bytes]":
        self._refuse_if_closed()
        made = tempfile.TemporaryDirectory(prefix="tokbench-", ignore_cleanup_errors=True)
        folder = Path(made.name)
        calls = folder / "calls"
        self._calls = CallFile.make(calls)
        self._printed = (folder / "printed").open("w+b")
        self._shown = 0
        path = [os.path.abspath(entry) for entry in sys.path]
        # Names and texts of files, and the order of sets, are the same in all processes.
        settings = {
            "PYTHONPATH": os.pathsep.join(path),
            "PYTHONHASHSEED": str(self._hash_seed),
            "PYTHONUTF8": "1",
            "TMPDIR": str(folder),  # temporary files of a killed child are removed with it
        }
        arguments = [str(calls), str(self._memory), str(os.getpid())]
        try:
            # In a session of its own: Ctrl-C is for the parent, which then ends all that it holds.
            process = subprocess.Popen(
                [sys.executable, "-u", "-P", "-m", "tokbench.runner.children", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
                env={**os.environ, **settings},
                start_new_session=sys.platform != "win32",
            )
        except OSError as error:
            raise CrashError("", f"could not be started: {error.strerror or error}") from error
        # A child that nobody holds any more is ended too.
        self._end = finalize(self, _end, process, made)
        self._process = process
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        reading = threading.Thread(
            target=_read_lines, args=(process.stdout, self._lines), daemon=True
        )
        reading.start()
        if self._is_closed:  # meanwhile, by another thread
            self.end()
        return process

    def _answer(
        self, process: "subprocess.Popen[bytes]", asked: Mapping[str, Any], say: Say
    ) -> Any:
        assert process.stdin is not None
        with suppress(OSError, ValueError):  # it has ended, which is read next
            process.stdin.write(_line(asked))
            process.stdin.flush()
        while True:
            line = self._next_line(process)
            if not line:
                raise self._crash(process)
            message = json.loads(line)
            if "says" in message:
                say(*message["says"])
            elif "error" in message:
                kind = getattr(errors, message["kind"], None)
                raised = kind(*message["arguments"]) if kind else TokbenchError(message["error"])
                raised.add_note(message["traceback"])
                raise raised
            else:
                return message["answer"]

    def _next_line(self, process: "subprocess.Popen[bytes]") -> bytes:
        """Wait for a line of the child; an empty one where it has ended."""
        while True:
            ended = process.poll() is not None
            try:
                return self._lines.get(timeout=0 if ended else TICK_SECONDS)
            except Empty:
                if ended:
                    return b""  # what it started may keep the pipe open
            call = self._calls.read()
            # An answer that has come is taken, however long it took.
            if call.component and monotonic() - call.begin > self._seconds and self._lines.empty():
                self.end()
                how = f"took longer than {self._seconds:g} s and was ended"
                raise CrashError(call.component, how, "seconds")

    def _crash(self, process: "subprocess.Popen[bytes]") -> CrashError:
        """Say how the process ended, and what it was calling."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)
        code, component = process.poll(), self._calls.read().component
        self.end()
        if code is None:
            return CrashError(component, "closed its connection and was ended")
        if code >= 0:
            what = "ended its process" if component else "ended"
            return CrashError(component, f"{what} with exit code {code}")
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        if name == "SIGKILL":
            name += ", perhaps for want of memory: it may not be the cause"
        return CrashError(component, f"was ended by {name}")

    def _show_printed(self, name: str) -> None:
        """Show the last of what was printed since it was shown."""
        with suppress(ValueError):  # another thread has ended the child
            end = self._printed.seek(0, os.SEEK_END)
            self._printed.seek(max(self._shown, end - KEPT_BYTES))
            text = self._printed.read().decode("utf-8", "replace").strip()
            self._shown = end
            if text:
                shown = printable(f"{name} printed:\n{text}" if name else text)
                print(shown, file=sys.stderr)


def _end(process: "subprocess.Popen[bytes]", folder: "tempfile.TemporaryDirectory[str]") -> None:
    """Kill a process, and on POSIX all of its group, wait for its end, and remove its folder."""
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(OSError):
        process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):
            stream.close()  # type: ignore[union-attr]
    folder.cleanup()


class Jobs:
    """Does jobs in children, at most so `many` at a time; on leaving it ends them all.

    A thread of an executor holds each child, which serves one job after another, as long as they
    need the same packages: what one leaves behind, such as threads or settings, changes no other's.
    """

    def __init__(self, many: int, make: Callable[[], Child]) -> None:
        """Open the executor; `make` makes a child."""
        self._make = make
        self._executor = ThreadPoolExecutor(many, "tokbench-job")
        self._of_thread = threading.local()
        self._children: list[Child] = []
        self._is_closed = False

    def __enter__(self) -> "Jobs":
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.close()
        self._executor.shutdown()

    def submit(self, packages: frozenset[str], job: Callable[[Child], T]) -> "Future[T]":
        """Do a job, which needs some packages, with a child."""
        context = copy_context()  # where tracebacks and what plugins print are to be shown
        return self._executor.submit(context.run, self._do, packages, job)

    def _do(self, packages: frozenset[str], job: Callable[[Child], T]) -> T:
        if getattr(self._of_thread, "packages", None) != packages:
            if (other := getattr(self._of_thread, "child", None)) is not None:
                other.end()
            self._of_thread.packages, self._of_thread.child = packages, self._make()
            self._children.append(self._of_thread.child)
        if self._is_closed:  # since this thread began
            self._of_thread.child.close()
        return job(self._of_thread.child)


class ImportTrial:
    """Imports plugins in a child, and says of each how that ended it; nothing if it did not."""

    def __init__(self) -> None:
        self._child = Child(IMPORT_SECONDS, IMPORT_MEGABYTES)

    def __call__(self, plugin: Plugin) -> str:
        """Import one."""
        try:
            self._child.call(
                "tokbench.runner.children:import_plugin", [plugin.name, plugin.package]
            )
        except CrashError as crash:
            return str(crash)
        except TokbenchError:
            pass  # which is raised in this process too
        return ""


def _read_lines(stream: BinaryIO, lines: "SimpleQueue[bytes]") -> None:
    with suppress(ValueError, OSError):  # closed
        for line in stream:
            lines.put(line)
    lines.put(b"")


def _line(message: Mapping[str, Any]) -> bytes:
    # Escapes would join two lone surrogates to the character that they spell together.
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


# What follows runs in a child.


class Here(NamedTuple):
    """Given to each function of a job: it says what is being done, and names what it calls."""

    say: Say
    calls: CallFile


def main() -> None:
    """Answer the calls of the parent until it has gone."""
    calls, memory, parent = sys.argv[1:]
    asked: BinaryIO = os.fdopen(os.dup(0), "rb")
    answers: BinaryIO = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what plugins print is no answer
    faulthandler.enable()  # writes the line at which a library crashes
    tie_to_parent(int(parent), int(memory))

    def tell(message: Mapping[str, Any]) -> None:
        answers.write(_line(message))
        answers.flush()

    here = Here(lambda text, share: tell({"says": [text, share]}), CallFile(Path(calls)))
    me = os.getpid()
    if sys.platform != "win32":
        os.register_at_fork(after_in_child=answers.close)  # a copy has nothing to say
    for line in _lines(asked):
        call = json.loads(line.decode("utf-8", "surrogatepass"))
        module, _, name = call["call"].partition(":")
        try:
            function = getattr(importlib.import_module(module), name)
            with tracebacks() if call["tracebacks"] else nullcontext():
                answer = {"answer": function(call["data"], here)}
        except BaseException as error:
            answer = _told(error)
        if os.getpid() != me:
            os._exit(1)  # a copy that a plugin made and did not end
        for stream in (sys.stdout, sys.stderr):
            with suppress(BaseException):  # closed, or replaced
                stream.flush()
        tell(answer)
    os._exit(0)


def import_plugin(plugin: Sequence[str], here: Here) -> None:
    """Import a plugin, which has a name and a package."""
    here.calls.named("its import", import_again)(*plugin)


def _told(error: BaseException) -> dict[str, Any]:
    """Describe an error; one of ours also by its class, so that the parent raises it."""
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == errors.__name__]
    is_whole = kinds[:1] == [type(error).__name__]  # else of a class that is defined elsewhere
    return {
        "error": described(error),
        "kind": kinds[0] if kinds else "",
        "arguments": error.args if is_whole else [str(error)],
        "traceback": "".join(traceback.format_exception(error))[-KEPT_BYTES:],
    }


def _lines(asked: BinaryIO) -> Iterator[bytes]:
    """Yield the parent's lines; where no signal says that it has gone, a thread waits for that."""
    if sys.platform == "linux":
        yield from asked
        return
    lines: SimpleQueue[bytes] = SimpleQueue()

    def wait() -> None:
        for line in asked:
            lines.put(line)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
    while True:
        yield lines.get()


def tie_to_parent(parent: int, memory: int) -> None:
    """End this process when its parent ends, and limit its memory, as far as the system can."""
    if sys.platform == "linux":
        death_signal = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
        ctypes.CDLL(None).prctl(death_signal, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)  # it has ended already
    if sys.platform != "win32":
        import resource

        # Of the address space, libraries may reserve more than they ever use.
        data = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        for kind, value in ((data, memory * 1_000_000), (resource.RLIMIT_CORE, 0)):
            most = resource.getrlimit(kind)[1]
            least = value if most == resource.RLIM_INFINITY else min(value, most)
            with suppress(OSError, ValueError):
                resource.setrlimit(kind, (least, least))


if __name__ == "__main__":
    from tokbench.runner import children  # under the name by which all others import it

    children.main()
