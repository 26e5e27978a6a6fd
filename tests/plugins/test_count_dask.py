"""`tokbench count --dask`: real schedulers and workers, of which some are killed."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tokbench_commands.count_dask import count_on
from tokbench_commands.shared import Treatment

from tests.dask_cluster import Cluster
from tests.processes import processes_in, wait_until_none_is_in
from tests.run_cli import TOKBENCH, Done, names_in
from tests.run_cli import tokbench_here as tokbench
from tokbench.commands import shards_of

pytestmark = pytest.mark.nightly

TEXTS = {
    "a.txt": "low lower low\n",
    "b.txt": "newest low\n" * 3,
    "c.txt": "widest lower 새\n",
    "d.txt": "the last\n",
}


TREATMENT = Treatment()


@contextmanager
def two_workers() -> Iterator[Any]:
    """Connect to two workers of a scheduler in this process."""
    from distributed import Client, LocalCluster

    options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None}
    with (
        LocalCluster(n_workers=2, memory_limit=0, silence_logs=50, **options) as workers,
        Client(workers, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    dask_cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield dask_cluster
    dask_cluster.end()


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


PATIENT = "from tokbench import cluster\ncluster.ANSWER_SECONDS = 120.0\n" + TOKBENCH[2]


def begun(
    *arguments: str, cwd: Path, program: str = PATIENT, **options: Any
) -> "subprocess.Popen[str]":
    """Begin to count in another process."""
    command = [sys.executable, "-c", program, "count", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=cwd, stdout=pipe, stderr=pipe, encoding="utf-8", **options)


def ended(process: "subprocess.Popen[str]") -> Done:
    out, err = process.communicate(timeout=300)
    return Done(process.args, process.returncode, out, err)


def counted_here(*arguments: str, cwd: Path) -> bytes:
    assert tokbench("count", *arguments, "-o", "here.tsv", cwd=cwd).returncode == 0
    return (cwd / "here.tsv").read_bytes()


def until(holds: Callable[[], Any]) -> Any:
    """Wait until something holds, for two minutes at most; return it."""
    for _ in range(12_000):
        if result := holds():
            return result
        time.sleep(0.01)
    raise AssertionError("it never held")


@pytest.fixture
def port_is_taken() -> Iterator[None]:
    """Listen where another cluster on this machine has its dashboard."""
    with closing(socket.socket()) as dashboard:
        with suppress(OSError):  # there is one
            dashboard.bind(("127.0.0.1", 8787))
            dashboard.listen()
        yield


SPLITTER = """
from tokbench.api import Splitter, hookimpl
class Letters(Splitter):
    "Each letter is a word."
    def split(self, text):
        return [(i, i + 1) for i, letter in enumerate(text) if letter.isalpha()]
@hookimpl
def tokbench_splitters():
    return {"letters": Letters}
"""


@pytest.mark.usefixtures("port_is_taken")
@pytest.mark.parametrize(
    ("workers", "words"),
    [("1", ("gpt2", "--normalise", "lowercase")), ("3", ("letters", "-p", "letters.py"))],
    ids=["one", "three with a plugin file"],
)
def test_workers_here_give_the_same_bytes(
    texts: Path, workers: str, words: tuple[str, ...]
) -> None:
    (texts / "letters.py").write_text(SPLITTER)
    arguments = ("*.txt", "--words", *words)
    local = ("--dask", "local", "--workers", workers)
    done = ended(begun(*arguments, *local, "-o", "there.tsv", cwd=texts))
    assert (done.returncode, done.stderr) == (0, "")
    assert (texts / "there.tsv").read_bytes() == counted_here(*arguments, cwd=texts)


WAITING = """
import time
from pathlib import Path
from tokbench.api import Splitter, hookimpl
HERE = Path(__file__).parent
class Waiting(Splitter):
    "Each text is one word. One that begins with `wait` is held until there is a file `go`."
    def split(self, text):
        if text.startswith("wait"):
            (HERE / "begun").touch()
            while not (HERE / "go").exists():
                time.sleep(0.01)
        return [(0, len(text))]
@hookimpl
def tokbench_splitters():
    return {"waiting": Waiting}
"""


@pytest.fixture
def waiting(tmp_path: Path) -> tuple[str, ...]:
    """Options of a count that stops at a text that begins with `wait`, until there is `go`."""
    (tmp_path / "waiting.py").write_text(WAITING)
    return ("--words", "waiting", "-p", "waiting.py")


def test_shards_of_a_killed_worker_are_counted_again(
    cluster: Cluster, tmp_path: Path, waiting: tuple[str, ...]
) -> None:
    """Those that it had counted, and the one that it was counting."""
    for number in range(16):
        text = f"word{number}\nlow\n" if number < 8 else f"wait{number % 3}\n"
        (tmp_path / f"{number:02}.txt").write_text(text)
    for _ in range(2):
        cluster.worker(tmp_path)
    arguments = ("*.txt", *waiting)
    with cluster.watched(workers=2) as client:

        def working() -> list[str]:
            under_way, counted = client.processing(), client.has_what()
            return [worker for worker in counted if counted[worker] and under_way[worker]]

        process = begun(*arguments, "--dask", cluster.address, "-o", "there.tsv", cwd=tmp_path)
        until((tmp_path / "begun").exists)
        victim = client.run(os.getpid)[until(working)[0]]
        os.kill(victim, signal.SIGKILL)
        (killed,) = (worker for worker in cluster.started if worker.pid == victim)
        assert killed.wait() == -signal.SIGKILL
        (tmp_path / "go").touch()
    done = ended(process)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "there.tsv").read_bytes() == counted_here(*arguments, cwd=tmp_path)


def test_a_poison_file_fails_alone_with_its_name(cluster: Cluster, texts: Path) -> None:
    for _ in range(2):
        cluster.worker(texts)
    (texts / "bad.txt").write_bytes(b"low\nlow \xff\n")
    with cluster.watched(workers=2):
        arguments = ("*.txt", "--dask", cluster.address, "-o", "there.tsv")
        done = ended(begun(*arguments, cwd=texts))
        assert (done.returncode, done.stdout) == (4, "")
        failure, error = done.stderr.splitlines()
        bad = f"{texts / 'bad.txt'}:2"
        assert failure.startswith(f"failed: {bad}: not valid UTF-8: found byte 0xff")
        assert error == (
            "error: 1 of 5 files could not be counted: nothing was written; "
            "--skip-failed leaves them out"
        )
        assert not (texts / "there.tsv").exists()
        done = ended(begun(*arguments, "--skip-failed", cwd=texts))
    assert done.returncode == 1
    counts = "14 words, 7 distinct, of 4 files (punctuation counts as words)\n"
    assert done.stdout == f"there.tsv: {counts}"
    assert (texts / "there.tsv").read_bytes() == counted_here("[a-d].txt", cwd=texts)


def test_a_file_that_a_worker_cannot_read_fails_with_the_name_of_the_worker(
    cluster: Cluster, texts: Path
) -> None:
    """It sees a folder of its own there, as machines do that do not share a disk."""
    (texts / "there").mkdir()
    cluster.worker(texts / "there")
    (texts / "there" / "a.txt").write_text(TEXTS["a.txt"], encoding="utf-8")
    paths = [f"/proc/self/cwd/{name}" for name in ("a.txt", "d.txt")]
    with cluster.watched(workers=1):
        done = ended(begun(*paths, "--dask", cluster.address, "-o", "no.tsv", cwd=texts))
    assert done.returncode == 4
    message = "failed: /proc/self/cwd/d.txt: no such file (on the worker tcp://"
    assert done.stderr.startswith(message)
    assert "error: 1 of 2 files could not be counted" in done.stderr


def ends_workers(name: str) -> Any:
    """Make what ends each worker that begins to count a file of this name, also restarted ones."""
    from distributed import WorkerPlugin

    class Poison(WorkerPlugin):
        def setup(self, worker: Any) -> None:
            import tokbench_commands.count_dask as there

            count = there.count_shard

            def poisoned(shard: Any, treatment: Any) -> Any:
                if shard == name:
                    import os

                    os.abort()
                return count(shard, treatment)

            there.count_shard = poisoned

    return Poison()


def test_a_file_that_ends_each_worker_is_named_and_costs_no_other(texts: Path) -> None:
    """Neither the files that were under way on the same worker."""
    for number in range(12):
        (texts / f"x{number}.txt").write_text(f"low {number}\n")
    shards = shards_of([str(texts / "*.txt")])
    with two_workers() as client:
        client.register_plugin(ends_workers(str(texts / "b.txt")))
        total = count_on(client, shards, TREATMENT, lambda *_: None)
    assert [failed.reason for failed in total.failed] == [
        f"{texts / 'b.txt'}: it ends each worker that counts it"
    ]
    assert total.files == len(shards) - 1
    rows = counted_here("[!b]*.txt", cwd=texts).decode().splitlines()[1:]
    assert [f"{word}\t{count}" for word, count in total.words.items()] == rows


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["lost", "frozen"])
def test_a_scheduler_that_is_lost_or_frozen_is_a_message(
    cluster: Cluster, tmp_path: Path, waiting: tuple[str, ...], number: signal.Signals
) -> None:
    (tmp_path / "a.txt").write_text("wait\n")
    cluster.worker(tmp_path)
    program = "from tokbench import cluster\ncluster.IDLE_SECONDS = 2.0\n" + PATIENT
    with cluster.watched(workers=1):
        arguments = ("a.txt", *waiting, "--dask", cluster.address, "-o", "there.tsv")
        process = begun(*arguments, cwd=tmp_path, program=program)
        until((tmp_path / "begun").exists)
        cluster.scheduler.send_signal(number)
        done = ended(process)
        cluster.scheduler.send_signal(signal.SIGCONT)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == "error: the Dask scheduler was lost\n"
    assert not (tmp_path / "there.tsv").exists()


def test_lost_workers_are_a_message(
    cluster: Cluster, texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokbench.cluster.IDLE_SECONDS", 3.0)
    with cluster.watched(workers=0):
        arguments = ("a.txt", "--dask", cluster.address, "-o", "there.tsv")
        done = tokbench("count", *arguments, cwd=texts)
    assert done.returncode == 4
    assert done.stderr == ("error: the Dask scheduler has had no worker for 3 s\n")


def test_workers_here_end_with_ctrl_c(tmp_path: Path, waiting: tuple[str, ...]) -> None:
    """Which all processes of the terminal get."""
    (tmp_path / "a.txt").write_text("wait\n")
    local = ("--dask", "local", "--workers", "2", "-o", "there.tsv")
    process = begun("a.txt", *waiting, *local, cwd=tmp_path, start_new_session=True)
    until((tmp_path / "begun").exists)
    assert len(processes_in(tmp_path)) > 2, "the workers work there too"
    os.killpg(process.pid, signal.SIGINT)
    done = ended(process)
    assert (done.returncode, done.stderr.split()) == (130, ["interrupted"])
    assert names_in(tmp_path) == {"a.txt", "begun", "waiting.py"}
    wait_until_none_is_in(tmp_path)


@pytest.mark.parametrize("listens", [True, False], ids=["silent", "absent"])
def test_a_scheduler_that_does_not_answer_is_a_message_within_10_seconds(
    texts: Path, listens: bool
) -> None:
    """Beside the start of the program, which takes as long as the machine is busy."""

    def answered(address: str) -> tuple[Done, float]:
        before = time.monotonic()
        arguments = ("a.txt", "--dask", address, "-o", "there.tsv")
        done = ended(begun(*arguments, cwd=texts, program=TOKBENCH[2]))
        return done, time.monotonic() - before

    done, start = answered("nowhere")
    assert done.returncode == 2
    expected = r"error: --dask nowhere: .*: expected tcp://HOST:PORT or local\n"
    assert re.fullmatch(expected, done.stderr)
    with closing(socket.socket()) as silent:
        silent.bind(("127.0.0.1", 0))
        if listens:
            silent.listen()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        done, seconds = answered(address)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        f"error: --dask {address}: no Dask scheduler answers there within 5 s: start one "
        "(`dask scheduler`), or work on this machine (--dask local)\n"
    )
    assert seconds < start + 10


def test_an_interrupted_count_leaves_nothing(
    cluster: Cluster, tmp_path: Path, waiting: tuple[str, ...]
) -> None:
    (tmp_path / "a.txt").write_text("wait\n")
    cluster.worker(tmp_path)
    with cluster.watched(workers=1) as client:
        arguments = ("a.txt", *waiting, "--dask", cluster.address, "-o", "there.tsv")
        process = begun(*arguments, cwd=tmp_path)
        until((tmp_path / "begun").exists)
        process.send_signal(signal.SIGINT)
        done = ended(process)
        (tmp_path / "go").touch()  # else the worker would wait for ever
        until(lambda: not any(client.processing().values()))
    assert (done.returncode, done.stderr.split()) == (130, ["interrupted"])
    assert names_in(tmp_path) == {"a.txt", "begun", "go", "waiting.py"}
