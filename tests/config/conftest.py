"""A registry of tiny components, and configs written into an empty folder."""

from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field, field_validator

from tokbench.api import GoldReader, Learner, Segmenter, Splitter, Vocabulary, WholeMetric
from tokbench.api.component import Options
from tokbench.config import load_experiment
from tokbench.errors import TokbenchError
from tokbench.plugins import Offer, Plugin, Registry

HERE = Plugin("here", "a-package", "1.0")

FILES = ("train.txt", "test.txt", "more.txt", "novel.tsv", "gold.tsv")


class Alphabet(Options):
    coverage: float = 1.0


class Bpe(Learner):
    merge: Literal["indexed", "list"] = "indexed"
    min_pair_count: int = Field(1, ge=1)
    lowercase: bool = False
    power: float = 2.5
    alphabet: Alphabet = Alphabet()

    def learn(self, words, size):
        return Vocabulary(())


class Char(Learner):
    @property
    def sized(self):
        return False

    def learn(self, words, size):
        return Vocabulary(())


class Drawn(Bpe):
    seed: int = 0
    steps: int = 1

    @field_validator("steps", mode="before")
    @classmethod
    def thousands(cls, value):
        return int(value[:-1]) * 1000 if isinstance(value, str) else value


class Crashing(Bpe):
    broken: int = 0

    @field_validator("broken")
    @classmethod
    def crash(cls, value):
        raise KeyError(value)


class Extra(Bpe):
    requires = "a-package[extra]"
    requires_modules = ("no_such_module",)


class Longest(Segmenter):
    def segment(self, word, prepared):
        return [word]


class Words(Splitter):
    def split(self, text):
        return [(0, len(text))]


class Fertility(WholeMetric):
    formula, range = "tokens / words", (1, 9)
    power: float = 2.5

    def measure(self, segmentation):
        return 1.0


class Boundary(Fertility):
    needs = frozenset({"gold"})


class Tsv(GoldReader):
    def read(self, line):
        return None


class Demanding(Fertility):
    threshold: float


OFFERS = (
    Offer("learner", "bpe", Bpe, HERE),
    Offer("learner", "char", Char, HERE),
    Offer("learner", "drawn", Drawn, HERE),
    Offer("learner", "crashing", Crashing, HERE),
    Offer("learner", "extra", Extra, HERE),
    Offer("learner", "odd/name", Bpe, HERE),
    Offer("segmenter", "longest-match", Longest, HERE),
    Offer("splitter", "words", Words, HERE),
    Offer("splitter", "whitespace", Words, HERE),
    Offer("gold reader", "tsv", Tsv, HERE),
    Offer("metric", "fertility", Fertility, HERE),
    Offer("metric", "boundary-f1", Boundary, HERE),
    Offer("metric", "above", Demanding, HERE),
)


@pytest.fixture
def registry():
    return Registry((HERE,), OFFERS)


@pytest.fixture
def load(tmp_path, monkeypatch, registry):
    """Load a config's text, beside which the corpus files exist."""
    monkeypatch.chdir(tmp_path)
    for name in FILES:
        Path(name).write_text("text\n")
    path = Path("config.yaml")

    def loaded(text, registry=registry):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_experiment(path, registry)

    return loaded


@pytest.fixture
def refused(load):
    """Load a config that is refused; give the message and the exit code."""

    def message(text, **given):
        with pytest.raises(TokbenchError) as caught:
            load(text, **given)
        return str(caught.value), caught.value.exit_code

    return message
