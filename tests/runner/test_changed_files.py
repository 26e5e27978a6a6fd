"""A model file that changes while a run uses it: its system fails, and nothing of it is kept."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.tiny import TinyRun, offering, scored, tiny_run
from tokbench.api import Component, InputFile, Learner, Reads, Vocabulary

OLD, NEW = "a b c d", "a b"


class Ready(Learner):
    """Load tokens from a file."""

    path: InputFile

    @property
    def reads(self) -> Reads:
        """There is nothing to learn from."""
        return "nothing"

    def load(self) -> Vocabulary:
        """Return the tokens of the file as one that reads its bytes."""
        return self.of(self.path.read_bytes())

    def of(self, content: bytes) -> Vocabulary:
        """Return the tokens of a text."""
        return Vocabulary(tuple(content.decode().split()), segmenter={"use": "char"})


class ReadyByPath(Ready):
    """Open the path without a question, as libraries do."""

    def load(self) -> Vocabulary:
        """Return the tokens of the file."""
        return self.of(self.path.path.read_bytes())


class Meddler(Learner):
    """Replace the file of another system while the run goes on."""

    folder: str

    def learn(self, words: Mapping[str, int], size: Any) -> Vocabulary:
        """Learn nothing."""
        (Path(self.folder) / "model.txt").write_text(NEW)
        return Vocabulary(("a",), segmenter={"use": "char"})


LEARNERS: dict[str, type[Component]] = {
    "ready": Ready,
    "ready_by_path": ReadyByPath,
    "meddler": Meddler,
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.txt"
    path.write_text(OLD)
    return path


def run_systems(folder: Path, *systems: str) -> TinyRun:
    """Run systems whose vocabularies are kept."""
    listed, jobs = f"[{', '.join(systems)}]", folder / "cache"
    return tiny_run(folder, offering(**LEARNERS), kept_in=jobs, systems=listed, sizes="[4]")


def reader(learner: str) -> str:
    """Write the system that reads the model file."""
    return f"{{name: reader, learner: {{use: {learner}, path: model.txt}}}}"


def message(model: Path, now: str) -> str:
    """Return the failure of the system."""
    digests = " then, ".join(sha256(text.encode()).hexdigest()[:6] for text in (OLD, now))
    what = f"changed after it was first read (SHA-256 {digests} now)"
    return f"system reader: {model}: {what}: run again"


@pytest.mark.parametrize("learner", ["ready", "ready-by-path"])
def test_a_model_file_that_changes_fails_its_system(
    tmp_path: Path, model: Path, learner: str
) -> None:
    meddler = f"{{name: meddler, learner: {{use: meddler, folder: {tmp_path}}}}}"
    broken = run_systems(tmp_path, meddler, reader(learner))
    assert broken.failures == (message(model, NEW),)
    assert scored(broken) == {"meddler"}

    model.write_text(OLD)
    # The meddler has learned already, so that it replaces no file.
    mended = run_systems(tmp_path, meddler, reader(learner))
    assert mended.failures == ()
    sizes = {outcome.system: outcome.vocabulary_size for outcome in mended.record.outcomes}
    assert sizes == {"meddler": 1, "reader": len(OLD.split())}
