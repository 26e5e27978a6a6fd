"""One writer a run folder: real processes, killed ones, other hosts, and file systems."""

import json
import os
import re
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.kernel import can_refuse, in_a_process, refuse
from tests.run_cli import TOKBENCH, tokbench, tokbench_here
from tests.tiny import config, prepare
from tokbench.errors import InputError
from tokbench.run_folder import Run, write_run
from tokbench.run_folder.lock import Holder, beside, locked

from .sample import RUN

SLOW = """
import time
from pathlib import Path
from tokbench.api import Learner, Vocabulary, hookimpl
class Slow(Learner):
    "Say that learning has begun, and wait for the word to go on."
    def learn(self, words, size):
        Path(__file__).with_name("learning").touch()
        while not Path(__file__).with_name("go").exists():
            time.sleep(0.01)
        return Vocabulary(tuple(words)[:size.number], segmenter={"use": "word"})
@hookimpl
def tokbench_learners():
    return {"slow": Slow}
"""
RUN_SLOWLY = ("run", "-q", "tiny.yaml", "-p", "plugin.py", "-o", "out")
ELSEWHERE = {"process": 1, "host": "elsewhere", "boot": "other", "since": "2020-01-01 00:00:00 UTC"}
WHO = rf"process \d+ on {re.escape(os.uname().nodename)}"
SINCE = r"since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"

Started = Callable[[], "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Started]:
    """Start a run that has begun to learn and waits."""
    prepare(tmp_path, SLOW, systems="[slow]", sizes="[4]")
    processes = []

    def started() -> "subprocess.Popen[str]":
        (tmp_path / "learning").unlink(missing_ok=True)
        command = [*TOKBENCH, *RUN_SLOWLY]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True)
        processes.append(process)
        while not (tmp_path / "learning").exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        return process

    yield started
    for process in processes:
        process.kill()
        process.communicate()


def said(stderr: str) -> list[str]:
    """Return what a run says beside the warning that so short a text always has."""
    return [line for line in stderr.splitlines() if not line.startswith("warning: ")]


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob(".tokbench-*"))


def test_the_second_of_two_runs_is_refused_and_the_first_is_not_disturbed(
    tmp_path: Path, start: Started
) -> None:
    first = start()
    before = {path: path.read_bytes() for path in tmp_path.glob(".tokbench-*")}
    for command in (RUN_SLOWLY, ("report", "out"), ("show", "out"), ("verify", "out")):
        done = tokbench_here(*command, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (4, ""), command
        who = rf"process {first.pid} on {re.escape(os.uname().nodename)}, {SINCE}"
        wait = "wait until it has ended, or name another folder"
        assert re.fullmatch(rf"error: out: is being written by {who}: {wait}\n", done.stderr)
    assert {path: path.read_bytes() for path in tmp_path.glob(".tokbench-*")} == before
    (tmp_path / "go").touch()
    out, err = first.communicate()
    assert (first.returncode, out, said(err)) == (0, "", [])
    assert Run.load(tmp_path / "out").record.systems[0].name == "slow"
    assert left(tmp_path) == []


@pytest.mark.parametrize("command", ["show", pytest.param("verify", marks=pytest.mark.nightly)])
def test_a_command_that_reads_says_what_an_ended_process_had_left(
    tmp_path: Path, command: str
) -> None:
    def action() -> None:
        with locked(tmp_path / "out"):
            write_run(tmp_path / "old", RUN)
            os.rename(tmp_path / "old", beside(tmp_path / "out", "old"))
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_a_process(action) == -signal.SIGKILL
    done = tokbench(command, "out", cwd=tmp_path)
    put = f"note: out: put in its place, as {WHO}, which has ended, had begun to\n"
    removed = f"note: out: removed the lock of {WHO}, which has ended\n"
    assert done.returncode == 0, done.stderr
    assert re.match(put + removed, done.stderr)
    assert left(tmp_path) == []


@pytest.mark.nightly
def test_a_dead_lock_where_no_run_is_to_be_read_is_removed_with_a_note(tmp_path: Path) -> None:
    name = "o\x1b[31m"
    facts = json.dumps(Holder.here()._asdict() | {"process": 1})
    (tmp_path / f".tokbench-{name}.lock").write_text(facts)
    done = tokbench("show", name, cwd=tmp_path)
    shown = re.escape("o\\x1b[31m")
    assert done.returncode == 4
    assert re.fullmatch(
        f"note: {shown}: removed the lock of {WHO}, which has ended\n"
        f"error: {shown}: there is no such folder\n",
        done.stderr,
    )
    assert left(tmp_path) == []


@pytest.mark.nightly
def test_another_folder_beside_it_is_free(tmp_path: Path, start: Started) -> None:
    first = start()
    (tmp_path / "other.yaml").write_text(config(systems="[char]"))
    done = tokbench_here("run", "-q", "other.yaml", "-o", "other", cwd=tmp_path)
    assert (done.returncode, said(done.stderr)) == (0, [])
    assert first.poll() is None
    assert left(tmp_path) == [".tokbench-out.lock"]


def test_the_lock_of_a_killed_run_is_free_at_once(tmp_path: Path, start: Started) -> None:
    first = start()
    first.kill()
    first.wait()
    assert left(tmp_path) == [".tokbench-out.lock"]
    (tmp_path / "go").touch()
    done = tokbench_here(*RUN_SLOWLY, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    who = f"process {first.pid} on {os.uname().nodename}, which has ended"
    assert said(done.stderr) == [f"note: out: removed the lock of {who}"]
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.nightly)]
)
def test_an_interrupted_run_leaves_no_lock(tmp_path: Path, start: Started, number: int) -> None:
    first = start()
    first.send_signal(number)
    assert first.communicate()[1].strip() == "interrupted"
    assert first.returncode == 130
    assert left(tmp_path) == []


def test_the_lock_of_another_host_is_respected(tmp_path: Path) -> None:
    """Nothing here can tell whether its process lives."""
    prepare(tmp_path)
    lock = tmp_path / ".tokbench-out.lock"
    lock.write_text(json.dumps(ELSEWHERE))
    command = ("run", "-q", "tiny.yaml", "-o", "out")
    done = tokbench_here(*command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        "error: out: is being written by process 1 on elsewhere, since "
        "2020-01-01 00:00:00 UTC: wait until it has ended, or name another folder; if that process "
        f"no longer runs, remove {lock}\n"
    )
    assert json.loads(lock.read_text()) == ELSEWHERE
    assert not (tmp_path / "out").exists()
    # Nor is it touched by a run beside it.
    assert tokbench_here(*command[:-1], "beside", cwd=tmp_path).returncode == 0
    assert lock.exists()
    lock.unlink()
    assert tokbench_here(*command, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("same", ["host", "boot"])
def test_a_lock_of_this_machine_that_the_kernel_has_freed_is_dead(
    tmp_path: Path, same: str
) -> None:
    """Whatever process has its number now; a container on this kernel has another host name."""
    here = Holder.here()._asdict()
    if not here[same]:
        pytest.skip("the kernel does not say which one it is")
    facts = ELSEWHERE | {"process": os.getpid(), same: here[same]}
    (tmp_path / ".tokbench-out.lock").write_text(json.dumps(facts))
    with locked(tmp_path / "out") as lock:
        who = f"process {os.getpid()} on {facts['host']}"
        assert lock.notes == [f"{tmp_path / 'out'}: removed the lock of {who}, which has ended"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "7", '{"process": 1}'])
def test_a_lock_that_says_nothing_is_dead_where_the_kernel_says_so(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / ".tokbench-out.lock").write_text(text)
    with locked(tmp_path / "out") as lock:
        assert lock.held
        assert Holder.of(lock.path.read_bytes()) is not None
    assert left(tmp_path) == []


def test_a_link_in_place_of_a_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "thesis").write_text("do not lose me")
    (tmp_path / ".tokbench-out.lock").symlink_to("thesis")
    with pytest.raises(InputError, match="out: cannot be written: "), locked(tmp_path / "out"):
        pass
    assert (tmp_path / "thesis").read_text() == "do not lose me"


def end_while_writing(folder: Path) -> int:
    """End a process without a word, which has the lock and has begun to write."""

    def action() -> None:
        with locked(folder):
            beside(folder, "new").mkdir()
            (beside(folder, "new") / "run.json").touch()
            os.kill(os.getpid(), signal.SIGKILL)

    return in_a_process(action)


@pytest.mark.parametrize("name", ["out", "[o]*", "x" * 250])
def test_left_over_folders_are_removed_also_those_of_other_runs_there(
    tmp_path: Path, name: str
) -> None:
    assert end_while_writing(tmp_path / name) == -signal.SIGKILL
    folder = tmp_path / (name if len(name) > 200 else "another")
    with locked(folder) as lock:
        (note,) = lock.notes
    assert note.startswith(f"{tmp_path / name}: removed .tokbench-")
    assert note.endswith("which has ended")
    assert left(tmp_path) == []


def test_what_a_living_process_writes_beside_is_left_alone(tmp_path: Path) -> None:
    with locked(tmp_path / "other"):
        beside(tmp_path / "other", "new").mkdir()
        write_run(tmp_path / "out", RUN)
        assert left(tmp_path) == [".tokbench-other.lock", ".tokbench-other.new"]


def test_a_forked_process_holds_no_lock(tmp_path: Path) -> None:
    """A process that a plugin forks may live on."""
    (told, tell), (ended, end) = os.pipe(), os.pipe()

    def action() -> None:
        with locked(tmp_path / "out") as lock:
            if os.fork():
                os.kill(os.getpid(), signal.SIGKILL)
            os.close(end)
            os.write(tell, b"held" if lock.held else b"free")
            os.read(ended, 1)  # until the test ends

    assert in_a_process(action) == -signal.SIGKILL
    assert os.read(told, 4) == b"free"
    with locked(tmp_path / "out") as lock:
        assert lock.held
    for handle in (told, tell, ended, end):
        os.close(handle)


def test_it_is_the_folder_that_is_locked_not_its_name(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to("out")
    with (
        locked(tmp_path / "out"),
        pytest.raises(InputError, match="is being written by"),
        locked(tmp_path / "link"),
    ):
        pass


@pytest.mark.skipif(not can_refuse(), reason="the kernel cannot be told to refuse a call")
def test_where_the_file_system_knows_no_locks_a_lock_that_stands_is_respected(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "out"

    def action() -> None:
        refuse("flock")
        write_run(folder, RUN)
        with locked(folder):
            assert left(tmp_path) == [".tokbench-out.lock"]
            with pytest.raises(InputError, match="if that process no longer runs, remove "):
                write_run(folder, RUN)
        assert left(tmp_path) == []

    assert in_a_process(action) == 0


def test_a_file_that_a_killed_report_left_is_removed(tmp_path: Path) -> None:
    """One that no run wrote is not: it may be somebody's."""
    write_run(tmp_path / "out", RUN, {"report.md": ""})
    for name in ("report.md", "run.json", "thesis.tex"):
        (tmp_path / "out" / f".tokbench-{name}").touch()
    with locked(tmp_path / "out") as lock:
        removed = sorted(note.split(" ")[2] for note in lock.notes)
    assert removed == [".tokbench-report.md", ".tokbench-run.json"]
    assert left(tmp_path / "out") == [".tokbench-thesis.tex"]


def test_a_lock_that_cannot_be_filled_does_not_stay(tmp_path: Path) -> None:
    """The disk is full, or a file may hold no more than nothing."""

    def action() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        with pytest.raises(InputError, match="out: cannot be written: File too large"):
            write_run(tmp_path / "out", RUN)
        assert left(tmp_path) == []

    assert in_a_process(action) == 0
