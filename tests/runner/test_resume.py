"""Runs that were stopped go on from what the cache has; systems side by side change no byte."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models

from tests.processes import processes_in, wait_until_none_is_in
from tests.run_cli import TOKBENCH, contents, tokbench
from tests.tiny import prepare

pytestmark = pytest.mark.nightly

PLUGIN = """
import os, time
from pathlib import Path
from pydantic import Field
from tokbench.api import hookimpl
from tokbench_bpe.learner import Bpe

HERE = Path(__file__).parent

class Slow(Bpe):
    "Say that it learns, in a file; then wait, or fail."
    name: str = Field("", description="what it calls itself")
    waits: bool = Field(False, description="whether to wait for the word to go on")
    fails: bool = Field(False, description="whether to fail")
    def learn(self, words, size):
        with (HERE / "learned").open("a") as file:
            file.write(f"{self.name}\\n")
        if self.fails:
            raise ValueError("no")
        while self.waits and not (HERE / "go").exists():
            time.sleep(0.01)
        time.sleep(float(os.environ.get("SLEEP", "0")))
        return super().learn(words, size)

@hookimpl
def tokbench_learners():
    return {"slow": Slow}
"""
SYSTEMS = """
  - {name: first, learner: {use: slow, name: first}}
  - {name: second, learner: {use: slow, name: second}}
  - {name: waiting, learner: {use: slow, name: waiting, waits: true}}
  - bpe
"""


class Place:
    """A folder with a config of slow systems, and which of them learned since last asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.command = ("run", "-q", "tiny.yaml", "-p", "plugin.py", "-o", "out")

    def run(self, *options: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run the config to its end."""
        return tokbench(*self.command, *options, cwd=self.folder, **environment)

    def learned(self) -> list[str]:
        """Return who learned since this was asked for last."""
        path = self.folder / "learned"
        names = path.read_text().split() if path.exists() else []
        path.unlink(missing_ok=True)
        return names

    def start(self, until: str) -> "subprocess.Popen[str]":
        """Start a run, and wait until a system learns."""
        process = subprocess.Popen(
            [*TOKBENCH, *self.command], cwd=self.folder, stderr=subprocess.PIPE, text=True
        )
        return self.wait(process, until)

    def wait(self, process: "subprocess.Popen[str]", until: str) -> "subprocess.Popen[str]":
        """Wait until a system learns."""
        deadline = time.monotonic() + 300
        path = self.folder / "learned"
        while not path.exists() or until not in path.read_text().split():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return process

    def stopped(self, number: int = signal.SIGKILL) -> str:
        """Stop a run when its third system learns; return what it said."""
        process = self.start("waiting")
        process.send_signal(number)
        messages = process.communicate(timeout=300)[1]
        (self.folder / "go").touch()
        return messages


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    prepare(tmp_path, PLUGIN, systems=SYSTEMS, sizes="[9, 12]")
    yield Place(tmp_path)
    (tmp_path / "go").touch()


@pytest.mark.ci
def test_a_killed_run_does_only_what_is_missing_and_gives_the_same_bytes(place: Place) -> None:
    place.stopped()
    assert place.learned() == ["first", "second", "waiting"]
    done = place.run()
    assert (done.returncode, done.stdout) == (0, "")
    assert place.learned() == ["waiting"]
    resumed = contents(place.folder / "out")
    assert place.run("--fresh").returncode == 0
    assert place.learned() == ["first", "second", "waiting"]
    assert contents(place.folder / "out") == resumed


def test_an_interrupted_run_says_where_what_it_learned_lies(place: Place, own_cache: Path) -> None:
    messages = place.stopped(signal.SIGINT)
    note = f"note: {own_cache}: keeps what was learned and cut; the same command goes on from there"
    assert (
        messages.split("\n")[:3] == [note, "interrupted", ""]
        or messages == f"{note}\n\ninterrupted\n"
    )
    assert not [path for path in place.folder.iterdir() if path.name.startswith(".tok")]


def test_another_system_does_not_cost_what_others_have_learned(place: Place) -> None:
    """One that wraps a library, and one that reads a file."""
    place.stopped()
    place.learned()
    letters = {char: number for number, char in enumerate("abcd")}
    Tokenizer(models.BPE(letters, [])).save(str(place.folder / "letters.json"))
    config = place.folder / "tiny.yaml"
    read = "{use: hf, kind: tokenizer-json, path: letters.json}"
    systems = f"  - hf-bpe\n  - {{learner: {read}}}\n"
    config.write_text(config.read_text().replace("  - bpe\n", f"  - bpe\n{systems}"))
    done = place.run()
    assert done.returncode == 0, done.stderr
    assert place.learned() == ["waiting"]


def test_a_damaged_file_is_named_also_where_a_child_found_it(place: Place, own_cache: Path) -> None:
    place.stopped()
    place.learned()
    for path in own_cache.iterdir():
        os.truncate(path, path.stat().st_size // 2)
    done = place.run()
    assert done.returncode == 0
    assert place.learned() == ["first", "second", "waiting"]
    assert "is damaged, so this is done again" in done.stderr


def test_a_changed_table_of_a_package_is_a_change_of_its_code(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(place.folder))
    package = place.folder / "of_mine"
    package.mkdir()
    (package / "__init__.py").write_text(PLUGIN.replace(".parent", ".parents[1]"))
    (package / "table.json").write_text("{}")
    hook = PLUGIN.partition("@hookimpl")[2]
    head = "from tokbench.api import hookimpl\nfrom of_mine import Slow\n\n"
    (place.folder / "plugin.py").write_text(f"{head}@hookimpl{hook}")
    place.stopped()
    place.learned()
    (package / "table.json").write_text("[]")
    assert place.run().returncode == 0
    assert place.learned() == ["first", "second", "waiting"]


@pytest.mark.skipif(sys.platform != "linux", reason="mounts of Linux")
@pytest.mark.parametrize(
    ("mount", "why"),
    [
        ("mount --bind {0} {0} && mount -o remount,ro,bind {0}", "Read-only file system"),
        ("mount -t tmpfs -o size=4k,nr_inodes=1 tmpfs {0}", "No space left on device"),
    ],
    ids=["read-only", "full"],
)
def test_a_cache_that_cannot_be_written_costs_a_note(
    tmp_path: Path, own_cache: Path, mount: str, why: str
) -> None:
    prepare(tmp_path, PLUGIN, systems="[slow]", sizes="[9]")
    own_cache.mkdir()
    line = f'{mount.format(own_cache)} || exit 99; exec "$@"'
    inside = ["unshare", "-m", "sh", "-c", line, "sh"]
    if subprocess.run([*inside, "true"], cwd=tmp_path, capture_output=True).returncode:
        pytest.skip("this user may not mount")
    command = [*inside, *TOKBENCH, *Place(tmp_path).command]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"note: {own_cache}: nothing more is kept: {why}\n" in done.stderr
    assert done.stderr.count("note: ") == 1
    assert (tmp_path / "out" / "results.csv").exists()
    assert [*own_cache.iterdir()] == []


FAILING = """
  - {name: first, learner: {use: slow, name: first}}
  - {name: bad, learner: {use: slow, name: bad, fails: true}}
  - {name: second, learner: {use: slow, name: second}}
"""


def test_what_failed_is_not_tried_again(tmp_path: Path) -> None:
    """A child has failed, and the parent takes that as it is."""
    prepare(tmp_path, PLUGIN, systems=FAILING, sizes="[9, 12]", jobs="2")
    place = Place(tmp_path)
    done = place.run()
    assert done.returncode == 1
    assert "failed: system bad at size 12: ValueError: no (plugin.py:" in done.stderr
    assert sorted(place.learned()) == ["bad", "first", "second"]


ROOT = Path(__file__).parents[2]
EVERYTHING = """
corpora:
  train: {path: train.txt}
  test: {held-out: test.txt}
  pairs: {typos: {generate: keyboard, of: held-out}}
sizes: {from: 60, to: 120, list: [60, 90, 120], curve: true}
training-samples: 2
training-shares: [0.5, 1.0]
resamples: 50
repeats: 2
systems: [bpe, wordpiece, char, random-cuts, {learner: bpe, split: words, name: split}]
"""


@pytest.mark.parametrize("name", ["everything", "bpe", "oov", "korean", "korean-morphemes"])
def test_systems_side_by_side_change_no_byte(tmp_path: Path, name: str) -> None:
    config = tmp_path / "one.yaml"
    if name == "everything":
        text = EVERYTHING.replace("train.txt", f"{ROOT}/corpora/english.train.txt")
        config.write_text(text.replace("test.txt", f"{ROOT}/corpora/english.test.txt"))
    else:
        text = (ROOT / "configs" / f"{name}.yaml").read_text("utf-8")
        # Twice the sizes and resamples take twice as long, and do nothing that these do not.
        text = re.sub(r"resamples: \d+", "resamples: 150", text)
        text = text.replace("1800, 2000, 2400, 2800, 3200", "2400").replace("1800, 2000, ", "")
        config.write_text(text.replace("../corpora", f"{ROOT}/corpora"))
    ran = {}
    for jobs in ("1", "3"):
        config.write_text(f"{config.read_text().split('jobs:')[0]}jobs: {jobs}\n")
        done = tokbench("run", "-q", "one.yaml", "-o", f"out-{jobs}", "--fresh", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        ran[jobs] = done.stderr, contents(tmp_path / f"out-{jobs}")
    assert ran["1"] == ran["3"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.yaml", "out-1", "out-3"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_children_end_with_the_run(place: Place, number: int) -> None:
    config = place.folder / "tiny.yaml"
    config.write_text(f"{config.read_text()}\njobs: 4\n")
    process = place.start("waiting")
    assert len(processes_in(place.folder)) > 2
    process.send_signal(number)
    process.communicate(timeout=300)
    wait_until_none_is_in(place.folder)


GOES_AWAY = PLUGIN.replace("        if self.fails", "        os.chdir('/')\n        if self.fails")


def test_jobs_stay_in_one_place_where_a_plugin_goes_elsewhere(tmp_path: Path) -> None:
    systems = "[{name: one, learner: slow}, {name: other, learner: {use: slow, ties: smallest}}]"
    plugin = GOES_AWAY.replace("{self.name}", "learned")
    prepare(tmp_path, plugin, systems=systems, sizes="[9]", jobs="2")
    place = Place(tmp_path)
    done = place.run()
    assert done.returncode == 0
    assert len(place.learned()) == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_costs_are_those_of_the_process_that_did_the_work(tmp_path: Path, jobs: str) -> None:
    again = {"training-samples": "1", "training-shares": "[0.5, 1]"}
    systems = "[{name: one, learner: slow}]"
    prepare(tmp_path, PLUGIN, systems=systems, sizes="[9]", jobs=jobs, **again)
    assert Place(tmp_path).run(SLEEP="0.2").returncode == 0
    costs = json.loads((tmp_path / "out" / "run.json").read_text())["cost"]
    seconds = {
        step["step"]: step["seconds"] for step in costs if step["step"].startswith("training")
    }
    assert seconds["training sample 1"] > 0.2
    assert seconds["training-share 0.5"] > 0.2


LEAVES = """
        if self.name == "leaves" and not os.fork():
            os.closerange(0, 3)
            while not (HERE / "go").exists():
                time.sleep(0.01)
            os._exit(0)
        if self.fails:"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_process_that_a_plugin_leaves_behind_holds_up_no_run(tmp_path: Path, jobs: str) -> None:
    systems = "[char, {name: leaves, learner: {use: slow, name: leaves}}]"
    plugin = PLUGIN.replace("\n        if self.fails:", LEAVES)
    prepare(tmp_path, plugin, systems=systems, sizes="[9]", jobs=jobs)
    try:
        command = [*TOKBENCH, *Place(tmp_path).command]
        done = subprocess.run(command, cwd=tmp_path, timeout=300, env=os.environ | {"SLEEP": "0"})
        assert done.returncode == 0
    finally:
        (tmp_path / "go").touch()
