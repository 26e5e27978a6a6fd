"""A disk that fails, or a process that is killed, at any step: one whole run, and nothing lost.

To add a command: one more entry in CASES. A process is killed at every step; the disk fails at each
fourth, or with `TOKBENCH_FAULTS=1` at every one.
"""

import errno
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faults import KILL, Layer, can_fail, layer
from tests.run_cli import tokbench_here
from tests.tiny import BPE, TEXTS, config
from tokbench.run_folder.folder import damage

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.timeout(0),  # hundreds of steps
    pytest.mark.skipif(not can_fail(), reason="needs Linux and a C compiler"),
]

RUN = ("run", "-q", "tiny.yaml", "-o", "out")
EXPORT = ("export", "before:bpe@5", "--to", "hf", "-o", "exported")
SEVERAL = ("export", "bytes.json", "--to", "gpt2", "-o", "folder")
VARIES = {"cost.md", "run.json", "report.html"}
"""What has measured times in it; the seal says whether it is whole."""


@dataclass(frozen=True)
class Case:
    """A command, what it makes, and what stands there before: nothing, or an older run.

    It may have been killed at a step before.
    """

    command: tuple[str, ...]
    makes: str
    older: bool = False
    killed_at: int = 0


CASES = {
    "fresh run": Case(RUN, "out"),
    "older run replaced": Case(RUN, "out", older=True),
    "resumed run": Case(RUN, "out", killed_at=50),
    "export": Case(EXPORT, "exported"),
    "export of several files": Case(SEVERAL, "folder"),
}
WAYS = {"killed": KILL, "disk full": errno.ENOSPC, "disk error": errno.EIO}
SMALL = {"systems": f"[{BPE}, char]", "sizes": "[5]", "resamples": "20"}
CI = (1, 5, 40, 80, 120)
MOST = 2000
APART = int(os.environ.get("TOKBENCH_FAULTS", "4"))
SHARES = 4
"""Tests among which the steps of a long command are shared, so that they can run side by side."""


def every() -> Iterator[Any]:
    """Yield each command and way, with the first step and how far apart the steps are."""
    for name, case in CASES.items():
        for way in WAYS:
            # A disk error takes the way of a full disk; the two longest need not go it twice.
            if way == "disk error" and name in ("fresh run", "resumed run"):
                continue
            shares = SHARES if way == "killed" and case.command == RUN else 1
            apart = shares if way == "killed" else APART
            for first in range(1, shares + 1):
                yield pytest.param(name, way, first, apart, id=f"{name}-{way}-{first}")


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Layer]:
    with layer(tmp_path_factory.mktemp("layer")) as found:
        yield found


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory, faulty: Layer) -> Path:
    """A folder with a config, its texts, an older run, and one to export from."""
    folder = tmp_path_factory.mktemp("start")
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text)
    (folder / "tiny.yaml").write_text(config(seed="1", **SMALL))
    learn = ("learn", "--learner", "byte-bpe", "train.txt", "--size", "258")
    learned = tokbench_here(*learn, cwd=folder)
    assert learned.returncode == 0, learned.stderr
    (folder / "bytes.json").write_text(learned.stdout)
    assert faulty.run(folder, ("run", "-q", "tiny.yaml", "-o", "before")).code == 0
    (folder / "tiny.yaml").write_text(config(seed="0", **SMALL))
    return folder


def content(path: Path) -> dict[str, bytes]:
    """Return the files of what a command made that are the same each time."""
    if path.is_file():
        return {"": path.read_bytes()}
    files = (one for one in sorted(path.rglob("*")) if one.is_file() and one.name not in VARIES)
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def prepared(start: Path, faulty: Layer, folder: Path, case: Case) -> Path:
    shutil.copytree(start, folder)
    if case.older:
        shutil.copytree(folder / "before", folder / case.makes)
    if case.killed_at:
        assert faulty.run(folder, case.command, case.killed_at).code == -signal.SIGKILL
        assert [*folder.glob("*.partial/*")], "nothing to go on from"
    return folder


@pytest.fixture
def expected(start: Path, faulty: Layer, tmp_path: Path, request: pytest.FixtureRequest):
    """What a command makes when nothing fails; and what stood there before."""

    def found(case: Case) -> dict[str, bytes]:
        folder = prepared(start, faulty, tmp_path / "expected", case)
        done = faulty.run(folder, case.command)
        assert done.code == 0, done.stderr
        return content(folder / case.makes)

    return found


def check(start: Path, faulty: Layer, folder: Path, case: Case, way: str, step: int, expected):
    """Let one step fail; return whether there was such a step."""
    here = prepared(start, faulty, folder, case)
    made = here / case.makes
    before = content(made) if case.older else None
    done = faulty.run(here, case.command, step, WAYS[way])
    where = f"{way} at step {step}: {done}"
    if not done.hit:
        assert done.code == 0, where
        assert content(made) == expected, where
        shutil.rmtree(here)
        return False
    if way == "killed":
        assert done.code == -signal.SIGKILL, where
    else:
        # What could be done in another way, or was not needed, is no error.
        assert done.code in (0, 4), where
        assert "Traceback" not in done.stderr, where
        assert (done.code == 4) == ("error: " in done.stderr), where
    if done.code == 0:
        assert content(made) == expected, where
    elif made.exists():
        # One whole run stands there, the older or the new one; or whole files.
        whole = content(made)
        files = {name: text for name, text in expected.items() if name in whole}
        temporary = {name for name in whole if name.startswith(".tokbench-")}
        assert whole == before or {k: whole[k] for k in {*whole} - temporary} == files, where
        if case.command[0] == "run":
            assert not temporary, where
            assert damage(made) == [], where
            assert whole in (before, expected), where
    else:
        assert not case.older or way == "killed", where
    again = faulty.run(here, case.command)
    # An export writes over no file: a killed one had finished it.
    assert again.code == 0 or (again.code == 2 and "is there already" in again.stderr), again
    assert content(made) == expected, where
    left = [path.name for path in here.rglob(".tokbench-*")]
    assert left == [], where
    assert sorted(os.listdir(here)) == sorted({*os.listdir(start), case.makes}), where
    shutil.rmtree(here)
    return True


@pytest.mark.ci
def test_a_run_that_replaces_an_older_one_is_killed_at_five_steps(
    start, faulty, tmp_path: Path, expected
) -> None:
    case = CASES["older run replaced"]
    right = expected(case)
    assert all(check(start, faulty, tmp_path / str(n), case, "killed", n, right) for n in CI)


@pytest.mark.parametrize(("name", "way", "step", "apart"), [*every()])
def test_every_step(start, faulty, tmp_path, name, way, step, apart, expected, record_property):
    right = expected(CASES[name])
    while check(start, faulty, tmp_path / "case", CASES[name], way, step, right):
        step += apart
        assert step < MOST
    record_property("steps", step - 1)
    assert step > (3 if "export" in CASES[name].command else 100)
