"""`tokbench verify`: each kind of damage is named; the config of a run still gives its numbers."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.low import run_example
from tests.run_cli import tokbench_here as tokbench

CHANGED = "changed since the run wrote it: its SHA-256 is not the one in run.json"
GONE = "cannot be read: No such file or directory"
LEARNER = """
from pathlib import Path
from tokbench.api import Learner, Vocabulary, hookimpl
class Moody(Learner):
    "Know as many of the first words as a file says."
    def learn(self, words, size):
        many = int(Path(__file__).with_name("many").read_text())
        return Vocabulary(tuple(words)[:many], segmenter={"use": "word"})
tokbench_learners = hookimpl(lambda: {"moody": Moody})
"""


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
    ("change", "found"),
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
    run: Path, change: Callable[[Path], object], found: list[str]
) -> None:
    change(run)
    done = tokbench("verify", "out", cwd=run.parent)
    assert done.stdout.splitlines() == [f"out/{line}" for line in found]
    many = "1 file is" if len(found) == 1 else f"{len(found)} files are"
    many += " not what the run wrote"
    assert (done.returncode, done.stderr) == (4, f"error: out: {many}\n")
    # A damaged run is not run again.
    assert tokbench("verify", "out", "--again", cwd=run.parent).stdout == done.stdout


def test_a_changed_record(run: Path) -> None:
    edit("run.json", b'"seed": 0', b'"seed": 1')(run)
    done = tokbench("verify", "out", cwd=run.parent)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"error: out/run.json: {CHANGED}\n"


def test_again_the_numbers_are_the_same(run: Path) -> None:
    """Also where the config file is no longer there: the run holds it."""
    (run.parent / "tiny.yaml").unlink()
    done = tokbench("verify", "out", "--again", cwd=run.parent)
    assert (done.returncode, done.stderr) == (0, "")
    whole, equal = done.stdout.splitlines()
    assert whole == "out: all data is as the run wrote it"
    found = re.fullmatch(r"equal: ([\d,]+) numbers were compared", equal)
    assert found is not None
    rows = (run / "results.csv").read_text(encoding="utf-8").splitlines()
    assert int(found[1].replace(",", "")) > 10 * len(rows)
    assert {path.name for path in run.parent.iterdir()} == {"out", "train.txt", "test.txt"}


def test_curves_analyses_and_several_systems_are_the_same(tmp_path: Path) -> None:
    """From memory as from the folder."""
    keys = {"systems": "[bpe, char]", "sizes": "{from: 6, to: 8, curve: true}"}
    run_example(tmp_path, **keys, metrics="all")
    done = tokbench("verify", "out", "--again", cwd=tmp_path)
    assert (done.returncode, done.stdout.count("\n")) == (0, 2), done.stdout
    assert "\nequal: " in done.stdout


def moody(folder: Path) -> tuple[str, ...]:
    """Run a learner that gives something else when a file says so; return its options."""
    (folder / "plugin.py").write_text(LEARNER, encoding="utf-8")
    (folder / "many").write_text("4")
    run_example(folder, "-p", "plugin.py", systems="[char, moody]", sizes="[4]")
    return "verify", "out", "--again", "-p", "plugin.py"


def test_again_the_numbers_differ(tmp_path: Path) -> None:
    command = moody(tmp_path)
    assert tokbench(*command, cwd=tmp_path).returncode == 0
    (tmp_path / "many").write_text("1")
    done = tokbench(*command, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (5, "")
    _, *lines, last = done.stdout.splitlines()
    place = "results.csv: oov-words-running, moody, 4, isolated, held-out, all, "
    assert any(line.startswith(place) for line in lines)
    found = re.fullmatch(r"([\d,]+) differences; ([\d,]+) numbers were compared", last)
    assert found is not None
    many = int(found[1].replace(",", ""))
    assert many > 20
    assert len(lines) == 21
    assert lines[-1] == f"... and {many - 20} more"
    assert all(re.search(r": then .+, now .+", line) for line in lines[:-1])
    assert not any(re.match(r"results\.csv: \S+, char,", line) for line in lines), (
        "no row of the other system differs"
    )
    (tmp_path / "many").unlink()  # now the system fails
    done = tokbench(*command, cwd=tmp_path)
    assert done.returncode == 5
    assert "differences; " in done.stdout


@pytest.mark.parametrize(("name", "what"), [("train", "training train"), ("test", "text held-out")])
def test_a_changed_corpus_is_named(run: Path, name: str, what: str) -> None:
    with (run.parent / f"{name}.txt").open("a") as file:
        file.write("more\n")
    done = tokbench("verify", "out", "--again", cwd=run.parent)
    assert done.returncode == 4
    assert done.stderr == (
        f"error: tiny.yaml: not the same as when the run read it: {what}: the numbers of other "
        "texts cannot be compared; if the config lay elsewhere, name it with --config\n"
    )


def test_the_corpora_are_found_from_where_the_config_lay(run: Path) -> None:
    done = tokbench("verify", run, "--again", cwd=run)
    assert done.returncode == 4
    assert "train.txt" in done.stderr
    assert done.stderr.endswith("; if the config lay elsewhere, name it with --config\n")
    done = tokbench("verify", run, "--again", "--config", "../any.yaml", cwd=run)
    assert (done.returncode, done.stderr) == (0, "")
