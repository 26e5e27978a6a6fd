"""Words and corpora made from a few lines of text."""

from collections.abc import Callable, Mapping

import pytest

from tokbench.api import Words
from tokbench.corpora.load import TestCorpus
from tokbench.corpora.words import WordsBuilder

MakeWords = Callable[..., Words]


@pytest.fixture
def make_words() -> MakeWords:
    """Build Words from lines of space-separated words and the counts in the training text."""

    def make(*lines: str, train: Mapping[str, int] | None = None) -> Words:
        builder = WordsBuilder()
        for line in lines:
            builder.add(line.split(" "), 0)
        return builder.build(train or {})

    return make


@pytest.fixture
def make_corpus(make_words: MakeWords) -> Callable[..., TestCorpus]:
    """Build a test text from lines."""

    def make(*lines: str, train: Mapping[str, int] | None = None) -> TestCorpus:
        return TestCorpus("test", "text", make_words(*lines, train=train), "0" * 64, "whitespace")

    return make
