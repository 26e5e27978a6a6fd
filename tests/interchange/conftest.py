"""Fixtures of the tests of formats."""

from collections import Counter
from pathlib import Path

import pytest

from tests.interchange.samples import imported, words_of
from tokbench.api import Vocabulary


@pytest.fixture(scope="session", params=["english", "korean"])
def language(request: pytest.FixtureRequest) -> str:
    """The language of a shipped corpus."""
    return str(request.param)


@pytest.fixture(scope="session")
def train(root: Path, language: str) -> Counter[str]:
    """The words of its training text."""
    return words_of(root / "corpora" / f"{language}.train.txt")


@pytest.fixture(scope="session")
def lines(root: Path, language: str) -> list[str]:
    """The lines of its held-out text."""
    return (root / "corpora" / f"{language}.test.txt").read_text("utf-8").split("\n")


@pytest.fixture(scope="session")
def held_out(root: Path, language: str) -> list[str]:
    """The distinct words of its held-out text."""
    return list(words_of(root / "corpora" / f"{language}.test.txt"))


@pytest.fixture(scope="session")
def both_texts(root: Path) -> list[str]:
    """The distinct words of both held-out texts."""
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
