"""`tokbench verify`: each kind of damage is named."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.low import run_example
from tests.run_cli import tokbench_here as tokbench

CHANGED = "changed since the run wrote it: its SHA-256 is not the one in run.json"
GONE = "cannot be read: No such file or directory"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_example(tmp_path_factory.mktemp("verify"))


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A run that a test may damage, in a copy of the folder of its texts and its config."""
    shutil.copytree(made.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / "out"


def test_a_whole_run(run: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in run.parent.rglob("*")}
    done = tokbench("verify", "out", cwd=run.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "out: all data is as the run wrote it\n"
    assert {path: path.stat().st_mtime_ns for path in run.parent.rglob("*")} == before


def test_the_documents_are_not_sealed(run: Path) -> None:
    """They can be made again."""
    before = (run / "report.md").read_bytes()
    (run / "report.md").write_text("changed")
    assert tokbench("verify", run).returncode == 0
    assert tokbench("report", run).returncode == 0
    assert (run / "report.md").read_bytes() == before
    assert tokbench("verify", run).returncode == 0


def edit(name: str, old: bytes, new: bytes) -> Callable[[Path], object]:
    def change(run: Path) -> None:
        data = (run / name).read_bytes()
        assert old in data
        (run / name).write_bytes(data.replace(old, new, 1))

    return change


def make_pipe(run: Path) -> None:
    (run / "data/sizes.csv").unlink()
    os.mkfifo(run / "data/sizes.csv")


def add_folder(run: Path) -> None:
    (run / "notes").mkdir()
    (run / "notes" / "one.txt").touch()


@pytest.mark.parametrize(
    ("change", "damages"),
    [
        (edit("results.csv", b"bpe", b"bqe"), [f"results.csv: {CHANGED}"]),
        (
            edit("data/vocabularies/bpe.json", b"a", b"b"),
            [f"data/vocabularies/bpe.json: {CHANGED}"],
        ),
        (
            edit("data/segmentations/bpe.npz", b"n", b"m"),
            [f"data/segmentations/bpe.npz: {CHANGED}"],
        ),
        (lambda run: (run / "data/words.npz").write_bytes(b""), [f"data/words.npz: {CHANGED}"]),
        (
            lambda run: (run / "data/vocabularies" / ".tokbench-b.json").touch(),
            ["data/vocabularies/.tokbench-b.json: does not belong there"],
        ),
        (add_folder, ["notes: does not belong there"]),
        (make_pipe, ["data/sizes.csv: cannot be read: is no file"]),
        (
            lambda run: (run / "data/coverage.csv").rename(run / "coverage.bak"),
            [f"data/coverage.csv: {GONE}", "coverage.bak: does not belong there"],
        ),
    ],
)
def test_each_damage_is_named(
    run: Path, change: Callable[[Path], object], damages: list[str]
) -> None:
    change(run)
    done = tokbench("verify", "out", cwd=run.parent)
    assert done.stdout.splitlines() == [f"out/{line}" for line in damages]
    many = "1 file is" if len(damages) == 1 else f"{len(damages)} files are"
    many += " not what the run wrote"
    assert (done.returncode, done.stderr) == (4, f"error: out: {many}\n")
