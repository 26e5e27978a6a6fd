"""Machines that misbehave: full and read-only disks, corpora that go away, odd clocks and folders.

Every case ends with one message and a documented exit code, or with the results of a good machine.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.run_cli import TOKBENCH, Done, tokbench
from tests.tiny import TEXTS, config

pytestmark = pytest.mark.nightly

RUN = ("run", "-q", "tiny.yaml", "-o", "out")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a config and its corpora."""
    here = tmp_path / "here"
    here.mkdir()
    for name, text in TEXTS.items():
        (here / f"{name}.txt").write_text(text)
    (here / "tiny.yaml").write_text(config(resamples="50"))
    return here


def in_mounts(mount: str, command: Sequence[str | Path], cwd: Path) -> Done:
    """Run `tokbench` with mounts of its own, made by a line of shell; skip where none may be."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("this user may not mount")
    line = f'{mount} || exit 99; exec "$@"'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", line, "sh", *TOKBENCH, *map(str, command)],
        cwd=cwd, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    if done.returncode == 99:
        pytest.skip("this user may not mount")
    return done


def assert_refused(done: Done, *parts: str) -> None:
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    for part in parts:
        assert part in error


def left(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob(".tokbench-*")]


def same(folder: Path, *others: Path) -> bool:
    """Whether the results of runs are the same."""
    files = ("results.csv", "data/metrics.md", "report.md")
    contents = [
        [(run / f).read_bytes() for f in files if (run / f).exists()] for run in (folder, *others)
    ]
    assert len(contents[0]) >= 3
    return all(of_run == contents[0] for of_run in contents)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts of Linux")
def test_a_full_disk(folder: Path) -> None:
    (folder / "small").mkdir()
    done = in_mounts("mount -t tmpfs -o size=100k tmpfs small", (*RUN[:-1], "small/out"), folder)
    assert_refused(done, "small/out: cannot be written: No space left on device")


def test_a_limit_of_file_sizes(folder: Path) -> None:
    """As a full disk, it leaves nothing behind."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    done = subprocess.run(
        [*TOKBENCH, *RUN], cwd=folder, capture_output=True, encoding="utf-8", preexec_fn=limit
    )
    assert_refused(done, "out: cannot be written: File too large")
    assert not (folder / "out").exists()
    assert left(folder) == []


@pytest.mark.skipif(sys.platform != "linux", reason="mounts of Linux")
def test_a_read_only_folder(folder: Path) -> None:
    mount = 'mount --bind . . && mount -o remount,ro,bind . && cd "$PWD"'
    done = in_mounts(mount, RUN, folder)
    assert_refused(done, "out: cannot be written: Read-only file system")
    # What only reads works there.
    assert in_mounts(mount, ("check", "tiny.yaml"), folder).returncode == 0


MEDDLER = """
import time
from pathlib import Path
from tokbench.api import Learner, Vocabulary, hookimpl
class Meddler(Learner):
    "Do something to a corpus while the run goes on."
    def learn(self, words, size):
        train = Path({path!r})
        {what}
        return Vocabulary(("a", "b", "c"), segmenter={{"use": "char"}})
class Late(Learner):
    "Read the corpus, which was counted before, line by line."
    @property
    def reads(self):
        return "lines"
    def learn_lines(self, lines, size):
        return Vocabulary(tuple(sorted({{*"".join(lines)}})), segmenter={{"use": "char"}})
@hookimpl
def tokbench_learners():
    return {{"meddler": Meddler, "late": Late}}
"""


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("train.unlink(missing_ok=True)", "no such file"),
        ("train.write_text('other text\\n' * 9)", "changed"),
    ],
)
def test_a_corpus_that_goes_or_changes_while_the_run_reads_it(folder, what, message) -> None:
    """What was read counts; what must be read again fails with the place, and the rest is there."""
    path = folder / "train.txt"
    (folder / "meddler.py").write_text(MEDDLER.format(path=str(path), what=what))
    (folder / "tiny.yaml").write_text(config(resamples="50", systems="[char, meddler, late]"))
    done = tokbench(*RUN, "-p", "meddler.py", cwd=folder)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    failed = [line for line in done.stderr.splitlines() if line.startswith("failed: ")]
    assert failed
    assert all("late" in line and "train.txt" in line and message in line for line in failed), (
        failed
    )
    results = (folder / "out" / "results.csv").read_text()
    assert "\nchar," in results
    assert "\nmeddler," in results


def test_a_missing_folder_for_temporary_files(folder: Path) -> None:
    (folder / "plugin.py").write_text(MEDDLER.format(path="", what="pass"))
    none = {name: str(folder / "nowhere") for name in ("TMPDIR", "TEMP", "TMP")}
    (folder / "tiny.yaml").write_text(config(systems="[char, meddler]", resamples="50"))
    for command in (RUN, ("check", "tiny.yaml"), ("plugins",)):
        done = tokbench(*command, "-p", "plugin.py", cwd=folder, **none)
        # Python falls back to /tmp and others.
        assert done.returncode == 0, done.stderr
    assert not (folder / "nowhere").exists()


def test_ten_thousand_small_files(folder: Path) -> None:
    many = folder / "many"
    many.mkdir()
    text = TEXTS["train"].split()
    for number in range(10_000):
        (many / f"{number:05}.txt").write_text(f"{text[number % len(text)]} low\n")
    (folder / "one.txt").write_text(
        "".join(f"{text[number % len(text)]} low\n" for number in range(10_000))
    )
    limit = (256, 256)  # far fewer files may be open at once
    for name, train in (("many", "many/*.txt"), ("one", "one.txt")):
        keys = {"corpora": f"{{train: {train}, test: {{held-out: test.txt}}}}"}
        (folder / f"{name}.yaml").write_text(config(resamples="50", **keys))
        done = subprocess.run(
            [*TOKBENCH, "run", "-q", f"{name}.yaml", "-o", f"out-{name}"],
            cwd=folder, capture_output=True, encoding="utf-8",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    files = [folder / f"out-{name}" / "data/vocabularies" for name in ("many", "one")]
    of_many, of_one = ({f.name: f.read_bytes() for f in path.iterdir()} for path in files)
    assert of_many == of_one


def test_files_of_the_future(folder: Path) -> None:
    assert tokbench(*RUN, cwd=folder).returncode == 0
    os.rename(folder / "out", folder / "right")
    for path in folder.iterdir():
        os.utime(path, (9e9, 9e9))
    assert tokbench(*RUN, cwd=folder).returncode == 0
    assert same(folder / "right", folder / "out")
