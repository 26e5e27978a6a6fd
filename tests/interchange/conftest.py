"""Fixtures of the tests of formats."""

from pathlib import Path

import pytest

from tests.interchange.samples import imported, words_of
from tokbench.api import Vocabulary


@pytest.fixture(scope="session")
def held_out(root: Path) -> list[str]:
    """The distinct words of the English and the Korean held-out text."""
    paths = (root / "corpora" / f"{name}.test.txt" for name in ("english", "korean"))
    return [word for path in paths for word in words_of(path)]


@pytest.fixture(scope="session")
def gpt2(shared: Path) -> list[bytes]:
    """GPT-2's two files."""
    folder = shared / "tokenizers" / "gpt2"
    return [(folder / name).read_bytes() for name in ("encoder.json", "vocab.bpe")]


@pytest.fixture(scope="session")
def gpt2_vocabulary(gpt2: list[bytes]) -> Vocabulary:
    """The vocabulary of these."""
    return imported("gpt2", *gpt2).vocabulary
