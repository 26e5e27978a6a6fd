"""Calls in a process of their own: real processes that exit, crash, print, hang, start others."""

import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tokbench_child import in_child

from tokbench.api import InputError, SizeError
from tokbench.errors import ChildError

FUNCTIONS = r"""
import atexit, os, resource, signal, stat, subprocess, sys, threading, time

class Panic(BaseException):
    pass

class Unreadable(Exception):
    def __str__(self):
        raise RuntimeError

def echo(value):
    return value

def surroundings(_):
    open("left-behind", "w").close()
    return {
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "files": os.listdir(),
        "stdin": sys.stdin.read(),
        "path": sys.path,
        "seed": hash("a"),
        "session": os.getsid(0) == os.getpid(),
        "open": sorted(map(int, os.listdir("/proc/self/fd"))),
        "inherited by a program": sorted(map(int, subprocess.check_output(
            [sys.executable, "-c", "import os; print(*os.listdir('/proc/self/fd'))"],
            close_fds=False).split())),
    }

def prints(_):
    print('{"answer": "wrong"}')
    os.write(1, b"\xff\x00\n")
    sys.stdout.close()
    os.close(1)
    return "done"

def exits(code):
    print("the reason", file=sys.stderr)
    sys.exit(code)

def raises(what):
    raise {"panic": Panic, "unreadable": Unreadable}.get(what, ValueError)(what)

def ends(code):
    os._exit(code)

def signals(number):
    os.kill(os.getpid(), number)

def aborts(_):
    os.write(2, b"loading\nassertion failed: \x1b[31mx\xe2\x80\xae > 0\r\n")
    os.abort()

def wants_memory(_):
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    bytearray(1 << 32)

def no_json(_):
    return {1}

def floods(megabytes):
    for _ in range(megabytes):
        os.write(2, b"." * (1 << 20))
        os.write(1, b"-" * (1 << 20))
    os.write(2, b"\nthe end\n")
    return "done"

def floods_and_dies(megabytes):
    floods(megabytes)
    os.abort()

def sleeps(file):
    child = subprocess.Popen(["sleep", "1000"])
    forked = os.fork()
    if not forked:
        time.sleep(1000)
        os._exit(0)
    with open(file + ".draft", "w") as pids:
        print(os.getpid(), child.pid, forked, os.getcwd(), file=pids)
    os.rename(file + ".draft", file)
    time.sleep(1000)

def leaves_a_sleeper(file):
    child = subprocess.Popen(["sleep", "1000"])
    with open(file, "w") as pids:
        print(child.pid, file=pids)
    return "done"

def leaves_a_runaway(_):
    return subprocess.Popen(["sleep", "1000"], start_new_session=True).pid

def ends_badly(_):
    atexit.register(os.abort)
    threading.Thread(target=time.sleep, args=(1000,)).start()
    return "done"

def closes_streams(_):
    os.close(1)
    os.close(2)
    time.sleep(0.2)
    return "done"

def locks_folder(_):
    os.mkdir("locked")
    open("locked/file", "w").close()
    os.chmod("locked", 0)
    return os.getcwd()
"""

OURS = """
from tokbench.api import InputError, SizeError, Vocabulary

class Worse(InputError):
    pass

def raises(kind):
    if kind == "size":
        raise SizeError("too small", 17)
    raise Worse("file.txt: line 3: \\ud800 found")
"""


@pytest.fixture(autouse=True)
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS, encoding="utf-8")
    (tmp_path / "ours.py").write_text(OURS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def call(name: str, payload: Any = None, seconds: float = 120) -> Any:
    return in_child(f"functions:{name}", payload, seconds=seconds)


def failure(name: str, payload: Any = None, seconds: float = 120) -> str:
    with pytest.raises(ChildError) as caught:
        call(name, payload, seconds)
    message = str(caught.value)
    assert message.isprintable(), "one line without control characters"
    return message.removeprefix(f"functions:{name} ")


def alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    # One that nobody waits for stays as a zombie.
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")


def comes_true(condition: Callable[[], bool], seconds: float = 120) -> bool:
    limit = time.monotonic() + seconds
    while not condition() and time.monotonic() < limit:
        time.sleep(0.01)
    return condition()


def assert_all_ended(file: Path, folder_left: bool = False) -> None:
    """Check that a sleeper and both its children ended, and that their folder was removed."""
    *pids, folder = file.read_text(encoding="utf-8").split()
    assert len(pids) == 3
    for pid in pids:
        assert comes_true(lambda pid=int(pid): not alive(pid))
    assert folder_left or not Path(folder).exists()


def test_json_arrives_and_returns() -> None:
    # The surrogates would spell a character if they were joined.
    texts = ["한글", "\x00\u2028\x1b", "\ud800", "a\udfffb", "\ud83d\ude00", "😀"]
    data = {"a": [1, -0.1, 1e308, None, True, *texts], "": {}}
    assert call("echo", data) == data


def test_nothing_is_inherited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET", "sesame")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere")
    with (tmp_path / "functions.py").open(encoding="utf-8") as file:
        os.set_inheritable(file.fileno(), True)
        found, again = call("surroundings"), call("surroundings")
    assert set(found["environment"]) <= {
        *("DYLD_LIBRARY_PATH", "HOME", "LC_ALL", "LD_LIBRARY_PATH", "PATH"),
        *("PYTHONHASHSEED", "PYTHONUSERBASE", "PYTHONUTF8", "TMPDIR"),
    }
    assert found["folder"] == found["environment"]["HOME"]
    assert found["files"] == ["left-behind"]
    assert not Path(found["folder"]).parent.exists()
    assert found["stdin"] == ""
    assert found["session"]
    assert found["seed"] == again["seed"]
    assert found["path"] == [os.path.abspath(entry) for entry in sys.path]
    # The standard streams, the pipe that ends with the parent, and the listed folder itself.
    assert found["open"][:3] == [0, 1, 2]
    assert len(found["open"]) <= 5
    assert len(found["inherited by a program"]) == 4


def test_only_the_module_itself_is_imported(tmp_path: Path) -> None:
    package = tmp_path / "outer" / "inner"
    package.mkdir(parents=True)
    (tmp_path / "outer" / "__init__.py").write_text("loaded = True", encoding="utf-8")
    (package / "__init__.py").write_text("", encoding="utf-8")
    source = "import sys\n\ndef names(_):\n    return [n for n in sys.modules if 'outer' in n]\n"
    (package / "alone.py").write_text(source, encoding="utf-8")
    (package / "wants.py").write_text(f"from outer import loaded\n{source}", encoding="utf-8")
    alone = in_child("outer.inner.alone:names", None, seconds=120)
    wants = in_child("outer.inner.wants:names", None, seconds=120)
    assert alone == ["outer.inner.alone"]
    assert set(wants) == {"outer.inner.wants", "outer"}


def test_no_such_function_and_no_such_module() -> None:
    assert failure("missing").startswith("raised AttributeError: module 'functions' has no")
    with pytest.raises(ChildError, match=r"ModuleNotFoundError: No module named 'nowhere\.a'"):
        in_child("nowhere.a:f", None, seconds=120)


@pytest.mark.parametrize(
    ("name", "payload", "message"),
    [
        ("exits", 3, "called sys.exit(3); its last output: the reason"),
        ("exits", "bad\nline", "called sys.exit('bad\\nline'); its last output: the reason"),
        ("raises", "panic", "raised Panic: panic"),
        ("raises", "unreadable", "raised Unreadable: a message that cannot be read"),
        ("raises", "two\nlines \x1b[31m\ud800", "raised ValueError: two\\nlines \\x1b[31m\\ud800"),
        ("raises", "x" * 1_000_000, "raised ValueError: " + "x" * 2_000),
        (
            "aborts",
            None,
            "was ended by SIGABRT; its last output: "
            "loading / assertion failed: \\x1b[31mx\\u202e > 0",
        ),
        ("ends", 3, "ended with exit code 3 and no answer"),
        ("signals", signal.SIGKILL, "was ended by SIGKILL, perhaps for want of memory"),
        ("wants_memory", None, "raised MemoryError"),
    ],
)
def test_each_end_is_one_clear_line(name: str, payload: Any, message: str) -> None:
    assert failure(name, payload) == message


def test_an_answer_that_is_no_json() -> None:
    assert failure("no_json").startswith("its answer is no JSON: ")


@pytest.mark.parametrize("name", ["prints", "closes_streams", "ends_badly"])
def test_an_answer_counts_whatever_is_printed_or_comes_after_it(name: str) -> None:
    assert call(name) == "done"


def test_the_errors_of_tokbench_arrive_as_they_are() -> None:
    with pytest.raises(SizeError, match=r"^too small$") as size:
        in_child("ours:raises", "size", seconds=120)
    assert size.value.minimum == 17
    with pytest.raises(InputError) as caught:
        in_child("ours:raises", "worse", seconds=120)
    assert str(caught.value) == "file.txt: line 3: \ud800 found"


def test_floods_neither_block_nor_fill_the_memory() -> None:
    tracemalloc.start()
    try:
        assert call("floods", 20) == "done"
        assert failure("floods_and_dies", 20).endswith("." * 300 + " / the end")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5 << 20


def test_the_time_is_limited_and_grandchildren_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time passes when all have begun."""
    file = tmp_path / "pids"
    monkeypatch.setattr("tokbench_child.calls.monotonic", lambda: 1000.0 * file.exists())
    assert failure("sleeps", str(file), 900) == "took longer than 900 seconds and was stopped"
    assert_all_ended(file)


def test_grandchildren_end_with_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    assert call("leaves_a_sleeper", str(file)) == "done"
    assert comes_true(lambda: not alive(int(file.read_text(encoding="utf-8"))))


def test_what_left_the_session_holds_nothing_up() -> None:
    runaway = call("leaves_a_runaway")
    # It sleeps on, with the streams of the child open.
    assert alive(runaway)
    os.kill(runaway, signal.SIGKILL)


def test_an_interrupt_ends_all(tmp_path: Path) -> None:
    file = tmp_path / "pids"

    def interrupt() -> None:
        comes_true(file.exists)
        os.kill(os.getpid(), signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    with pytest.raises(KeyboardInterrupt):
        call("sleeps", str(file))
    interrupter.join()
    assert_all_ended(file)


def test_a_killed_parent_leaves_no_child(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from tokbench_child import in_child;"
        "in_child('functions:sleeps', sys.argv[2], seconds=60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program, str(tmp_path), str(file)])
    assert comes_true(file.exists)
    parent.kill()
    parent.wait()
    assert_all_ended(file, folder_left=True)


def test_a_locked_folder_is_no_error() -> None:
    assert call("locks_folder")


def test_many_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(lambda n: call("echo", n), range(8))] == [*range(8)]


def test_no_descriptor_is_left_open() -> None:
    folder = Path("/proc/self/fd") if Path("/proc/self/fd").exists() else Path("/dev/fd")
    call("echo")
    before = len(os.listdir(folder))
    call("echo")
    failure("sleeps", "/dev/null/none", 5)
    assert len(os.listdir(folder)) == before
