"""A folder with tiny tokenizers of each kind, trained on the spot."""

from pathlib import Path

import pytest

from tests.hostile.places import TEST, TRAIN, Place, made


@pytest.fixture(scope="package")
def models() -> dict[str, bytes]:
    """The files of the tokenizers by name."""
    return made()


@pytest.fixture
def place(tmp_path: Path, models: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Place:
    """The files in a folder of their own, with a training text and a test text."""
    monkeypatch.delenv("TOKBENCH_MODELS", raising=False)
    place = Place(tmp_path)
    for name, content in {**models, "train.txt": TRAIN, "test.txt": TEST}.items():
        place.write(name, content)
    return place
