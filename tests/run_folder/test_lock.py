"""One writer a run folder: real processes, killed ones, other hosts, and file systems."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.run_cli import TOKBENCH, small_files, tokbench, tokbench_here
from tests.tiny import prepare
from tokbench.errors import InputError
from tokbench.run_folder import Run, write_run
from tokbench.run_folder.lock import beside, locked

from .sample import RUN

pytestmark = pytest.mark.ci

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


def messages(stderr: str) -> list[str]:
    """Return what a run says beside the warning that so short a text always has."""
    return [line for line in stderr.splitlines() if not line.startswith("warning: ")]


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob(".tokbench-*"))


def test_the_second_of_two_runs_is_refused_and_the_first_is_not_disturbed(
    tmp_path: Path, start: Started
) -> None:
    first = start()
    for command in (RUN_SLOWLY, ("report", "out")):
        done = tokbench_here(*command, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (4, ""), command
        wait = "wait until it has ended, or name another folder"
        assert done.stderr == f"error: out: is being written by another process: {wait}\n"
    assert left(tmp_path) == [".tokbench-out.lock"]
    (tmp_path / "go").touch()
    out, err = first.communicate()
    assert (first.returncode, out, messages(err)) == (0, "", [])
    assert Run.load(tmp_path / "out").record.systems[0].name == "slow"
    assert left(tmp_path) == []


def test_a_report_of_a_run_that_is_not_there_says_so(tmp_path: Path) -> None:
    done = tokbench_here("report", "nowhere", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (4, "error: nowhere: there is no such run\n")
    assert left(tmp_path) == []


@pytest.mark.nightly
def test_another_folder_beside_it_is_free(tmp_path: Path, start: Started) -> None:
    first = start()
    done = tokbench("run", "-q", "tiny.yaml", "-o", "other", "-p", "nothing.py", cwd=tmp_path)
    assert "being written" not in done.stderr
    first.kill()


HOLDER = """
import time
from pathlib import Path
from tokbench.run_folder.lock import locked
with locked(Path("out")):
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_lock_of_a_killed_process_is_free_at_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(InputError), locked(tmp_path / "out"):
            pass
        holder.kill()
    with locked(tmp_path / "out"):
        assert not caplog.records
    assert left(tmp_path) == []


@pytest.mark.parametrize("name", ["out", "[o]*"])
def test_what_a_killed_process_had_begun_is_removed_and_said(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / name
    for what in ("new-1", "new-2"):
        beside(folder, what).mkdir()
    (beside(folder, "new-1") / "run.json").touch()
    (tmp_path / ".tokbench-other.new-1").mkdir()
    with locked(folder):
        assert [log.getMessage().startswith("note: ") for log in caplog.records] == [True, True]
    assert left(tmp_path) == [".tokbench-other.new-1"], "what belongs to another folder stays"


def test_it_is_the_folder_that_is_locked_not_its_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "out")
    with (
        locked(tmp_path / "out"),
        pytest.raises(InputError, match="is being written by another process"),
        locked(tmp_path / "link"),
    ):
        pass


def test_a_report_that_cannot_be_written_leaves_a_whole_run(tmp_path: Path) -> None:
    """As on a full disk, no file may be larger than a few bytes."""
    write_run(tmp_path / "out", RUN, {"report.md": "written by an older version\n"})
    with small_files(2000):
        done = tokbench_here("report", "out", cwd=tmp_path)
    assert done.returncode == 4
    assert "cannot be written" in done.stderr
    assert tokbench_here("verify", "out", cwd=tmp_path).returncode == 0
