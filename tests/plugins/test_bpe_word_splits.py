"""Learned merges as the `vocab.txt` of course programs, and back."""

from dataclasses import replace
from typing import Any

import pytest
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeRank
from tokbench_formats.word_splits import read_word_splits, write_word_splits

from tokbench.api import Learned, Size

LOW = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def write(learner: Bpe, merges: int) -> str:
    vocabulary = learner.learn(LOW, Size(learned=merges))
    segmenter = BpeRank()
    prepared = segmenter.prepare(vocabulary)
    splits = [([str(t) for t in segmenter.segment(w, prepared)], n) for w, n in LOW.items()]
    return write_word_splits(vocabulary, splits)


def test_as_course_programs_write_it() -> None:
    assert write(Bpe.configure(eow="absent", ties="first"), 4) == (
        "==== Vocabulary ====\n"
        "low 5\n"
        "low e r 2\n"
        "n e w est 6\n"
        "w i d est 3\n"
        "\n"
        "==== Merge Rules ====\n"
        "e s\n"
        "es t\n"
        "l o\n"
        "lo w\n"
    )


@pytest.mark.parametrize(
    ("options", "merges"),
    [
        ({"eow": "absent"}, 0),
        ({"eow": {"kind": "separate", "text": "_"}, "ties": "first"}, 4),
        ({"bow": "fused", "eow": "absent", "alphabet": {"forms": "seen"}}, 99),
        ({"continuation": "fused", "eow": "fenced"}, 4),
    ],
)
def test_read_back(options: dict[str, Any], merges: int) -> None:
    learner = Bpe.configure(**options)
    vocabulary = learner.learn(LOW, Size(learned=merges))
    # The counts of merges are not in the file.
    uncounted = tuple(Learned(item.parts) for item in vocabulary.learned)
    assert read_word_splits(write(learner, merges)) == replace(vocabulary, learned=uncounted)
