"""Systems on the workers of a Dask cluster, of which one is killed: `tokbench run --dask`."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.dask_cluster import Cluster
from tests.run_cli import TOKBENCH, contents, tokbench
from tests.tiny import prepare
from tokbench.errors import PluginError
from tokbench.runner.experiment import execute
from tokbench.runner.remote import on_cluster, versions_of

pytestmark = pytest.mark.ci

PLUGIN = """
import os, time
from pathlib import Path
from pydantic import Field
from tokbench.api import hookimpl
from tokbench_bpe.learner import Bpe

HERE = Path(__file__).parent

class Waiting(Bpe):
    "Say which process learns, and wait for the word to go on."
    name: str = Field("", description="what it calls itself")
    def learn(self, words, size):
        with (HERE / "learned").open("a") as file:
            file.write(f"{os.getppid()} {os.getpid()} {self.name}\\n")
        while not (HERE / "go").exists():
            time.sleep(0.01)
        return super().learn(words, size)

@hookimpl
def tokbench_learners():
    return {"waiting": Waiting}
"""
SYSTEMS = "[{name: one, learner: {use: waiting, name: one}}, bpe, char, hf-bpe]"
PATIENT = "from tokbench import cluster\ncluster.ANSWER_SECONDS = 120.0\n" + TOKBENCH[2]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.end()


@pytest.fixture(scope="module")
def client(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    for _ in range(2):
        cluster.worker(tmp_path_factory.mktemp("worker"))
    with cluster.watched(2) as client:
        yield client


@pytest.fixture
def begun(cluster: Cluster, client: Any, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A run on the cluster, one system of which waits."""
    prepare(tmp_path, PLUGIN, systems=SYSTEMS, sizes="[9, 12]")
    arguments = [
        "run",
        "-q",
        "tiny.yaml",
        "-p",
        "plugin.py",
        "-o",
        "out",
        "--dask",
        cluster.address,
    ]
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", PATIENT, *arguments]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True)
    yield process
    process.kill()
    (tmp_path / "go").touch()


def learning(folder: Path, times: int) -> list[tuple[int, int]]:
    """Wait until the waiting system has begun so often; return its workers and processes."""
    for _ in range(12_000):
        path = folder / "learned"
        lines = path.read_text().splitlines() if path.exists() else []
        if len(lines) >= times:
            return [(int(worker), int(child)) for worker, child, _ in map(str.split, lines)]
        time.sleep(0.01)
    raise AssertionError("it never learned")


def lives(process: int) -> bool:
    """Return whether a process runs; one that has ended and is not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_ctrl_c_frees_the_workers(begun: "subprocess.Popen[str]", tmp_path: Path) -> None:
    ((worker, child),) = learning(tmp_path, 1)
    begun.send_signal(signal.SIGINT)
    begun.communicate(timeout=120)
    assert begun.returncode == 130
    assert lives(worker)
    assert not lives(child)


def test_other_versions_are_refused_with_both(client: Any) -> None:
    expected = versions_of({"numpy": "0.1"})
    message = r"^tcp://.*: has numpy \d\S+, expected 0\.1 as here$"
    limits = (10.0, 1000)
    with pytest.raises(PluginError, match=message), on_cluster(client, expected, 1, limits):
        pass


def test_the_steps_of_workers_are_told_here(client: Any, tmp_path: Path) -> None:
    """Else each system would seem to have taken no time."""
    steps: list[tuple[Any, ...]] = []
    execute(*prepare(tmp_path, systems="[char]"), lambda *step: steps.append(step), client=client)
    assert steps[0] == ("char", "learning", 0.0)
    assert steps[-1] == ("char", None, 1.0)


def test_a_text_that_changes_meanwhile_fails_its_systems(client: Any, tmp_path: Path) -> None:
    prepared = prepare(tmp_path, systems="[char]")
    (tmp_path / "test.txt").write_text("other\n")
    run = execute(*prepared, lambda *_: None, client=client)
    (failure, *_) = run.record.failures
    assert "held-out: another file than where the run began (SHA-256 " in failure


def test_a_lost_worker_costs_one_more_try_and_no_byte(
    begun: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    ((worker, child),) = learning(tmp_path, 1)
    os.kill(worker, signal.SIGKILL)
    _, (next_worker, _) = learning(tmp_path, 2)
    assert next_worker != worker
    (tmp_path / "go").touch()
    _, messages = begun.communicate(timeout=300)
    assert begun.returncode == 0, messages
    assert not lives(child)
    assert len(learning(tmp_path, 2)) == 2
    here = tokbench("run", "-q", "tiny.yaml", "-p", "plugin.py", "-o", "here", cwd=tmp_path)
    assert here.returncode == 0
    assert contents(tmp_path / "out") == contents(tmp_path / "here")
