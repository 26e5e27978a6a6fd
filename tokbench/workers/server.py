"""The program of the fork server: starts workers, ends them with all that they started.

It loads what workers need once, and is then copied for each of them. It speaks with its parent by
lines of JSON over one socket; where that ends, the parent is gone, and everything is ended.
"""

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import resource
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

SEAT = 3
"""The descriptor of a worker's socket, which a plugin should find no reason to close."""

LINE = 1 << 20
_DEATH_SIGNAL, _SUBREAPER = 1, 36  # PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER of <sys/prctl.h>


def main(control: socket.socket) -> None:
    """Serve until the parent is gone."""
    (first,), _ = _heard(control)
    sys.path[:] = first["path"]
    for module in first["modules"]:
        importlib.import_module(module)
    gc.freeze()
    # Made here, so that it is removed here, whenever the parent is killed.
    folder = tempfile.mkdtemp(prefix="tokbench-", dir=first["temporary"])
    _say(control, {"ready": folder})
    _prctl(_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    workers: dict[int, int] = {}
    with selectors.DefaultSelector() as events:
        events.register(control, selectors.EVENT_READ)
        events.register(woken, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in events.select()}
            if woken in ready:
                with suppress(BlockingIOError):
                    os.read(woken, LINE)
                _reap(workers, control)
            if control not in ready:
                continue
            lines, descriptors = _heard(control)
            if not lines:
                break
            for asked in lines:
                if "end" in asked:
                    _end(workers, asked["end"])
                    _reap(workers, control)
                    continue
                pid = os.fork()
                if not pid:
                    control.close()
                    _work(asked, descriptors)
                workers[pid] = asked["worker"]
                for descriptor in descriptors:
                    os.close(descriptor)
                _say(control, {"worker": asked["worker"], "pid": pid})
    for pid, number in [*workers.items()]:
        _end(workers, number)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
    _end_orphans({})
    shutil.rmtree(folder, ignore_errors=True)


def _heard(control: socket.socket) -> tuple[list[dict[str, Any]], list[int]]:
    """Return lines of the parent, and the descriptors for the one that starts a worker, if any.

    There are none where the parent has gone. It waits for a worker before it starts the next.
    """
    text, descriptors = b"", []
    while not text.endswith(b"\n"):
        more, found = b"", list[int]()
        with suppress(ConnectionResetError):  # it has not heard all that we said
            more, found, _, _ = socket.recv_fds(control, LINE, 2)
        if not more:
            return [], []
        text += more
        descriptors += found
    return [json.loads(line) for line in text.splitlines()], descriptors


def _say(control: socket.socket, what: Mapping[str, Any]) -> None:
    with suppress(OSError):  # the parent may be gone
        control.sendall(json.dumps(what).encode() + b"\n")


def _end(workers: Mapping[int, int], number: int) -> None:
    """Kill a worker and all of its group."""
    for pid in [pid for pid, one in workers.items() if one == number]:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # it may not lead a group of its own yet


def _reap(workers: dict[int, int], control: socket.socket) -> None:
    """Say which workers have ended, once all that they started has ended too."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        number = workers.pop(pid, None)
        if number is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            _end_orphans(workers)
            ended = os.waitstatus_to_exitcode(status)
            _say(control, {"worker": number, "ended": ended})


def _end_orphans(workers: Mapping[int, int]) -> None:
    """Kill what workers left behind in other groups; it has become a child of this process."""
    while orphans := [pid for pid in _children() if pid not in workers]:
        for pid in orphans:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    return [pid for pid, stat in processes() if int(stat[1]) == os.getpid()]


def processes() -> Iterator[tuple[int, list[str]]]:
    """Yield each process with what its `stat` says behind the name, where there is one (Linux)."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name in brackets may hold anything.
            yield int(stat.parent.name), stat.read_text(errors="replace").rpartition(")")[2].split()


def _prctl(option: int, value: int) -> None:
    """Set an attribute of this process, where the kernel knows it."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def die_with_parent() -> None:
    """Have the kernel end this process with its parent (Linux)."""
    _prctl(_DEATH_SIGNAL, signal.SIGKILL)


def _work(asked: Mapping[str, Any], descriptors: list[int]) -> None:
    """Become a worker; does not return."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.setsid()
        die_with_parent()
        seat, output = descriptors
        nothing = os.open(os.devnull, os.O_RDONLY)
        high = [os.dup(one) for one in (nothing, output, output, seat)]
        for target, one in enumerate(high):
            os.dup2(one, target)
        os.closerange(SEAT + 1, max(high) + 1)
        os.environ.clear()
        os.environ.update(asked["environment"])
        sys.path[:] = asked["path"]
        with suppress(OSError):
            os.chdir(asked["cwd"])
        _limit(asked)
        with socket.socket(fileno=SEAT) as seated:
            pkgutil.resolve_name(asked["serve"])(seated, Path(asked["folder"]))
        code = 0
    except BaseException:
        traceback.print_exc()  # among what the worker printed
    finally:
        os._exit(code)


def _limit(asked: Mapping[str, Any]) -> None:
    # Of the address space, libraries may reserve more than they ever use.
    memory = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    wanted = {
        memory: asked["memory"],
        resource.RLIMIT_FSIZE: asked["output"],
        resource.RLIMIT_CORE: 0,
    }
    for kind, value in wanted.items():
        most = resource.getrlimit(kind)[1]
        least = value if most == resource.RLIM_INFINITY else min(value, most)
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (least, least))


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
