"""Words made from a few lines of text."""

from collections.abc import Callable, Mapping
from itertools import accumulate, chain

import numpy as np
import pytest

from tokbench.api.arrays import Words

MakeWords = Callable[..., Words]


@pytest.fixture
def make_words() -> MakeWords:
    """Build Words from lines of space-separated words and the counts in the training text."""

    def make(*lines: str, train: Mapping[str, int] | None = None) -> Words:
        split = [line.split(" ") for line in lines]
        numbers = {word: n for n, word in enumerate(dict.fromkeys(chain.from_iterable(split)))}
        train_counts = train or {}
        return Words(
            text=tuple(numbers),
            order=np.array([numbers[word] for line in split for word in line], dtype=np.uint32),
            lines=np.array([0, *accumulate(map(len, split))]),
            documents=np.zeros(len(split), dtype=np.int32),
            train_count=np.array([train_counts.get(word, 0) for word in numbers], dtype=np.int64),
        )

    return make
