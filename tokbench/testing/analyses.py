"""The promises of analyses."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tokbench.api import Analysis, UsedVocabulary
from tokbench.runner.analysing import analysed
from tokbench.testing.promise import checking, expect
from tokbench.testing.segmentations import sample_segmenter
from tokbench.testing.subject import Check, Subject


def rows(subject: Subject[Analysis]) -> None:
    """Check that rows have the declared columns and stay the same, also without training text."""
    bound = sample_segmenter()
    ids = np.arange(len(bound.vocabulary.tokens) + 1)
    used = UsedVocabulary("5", bound.vocabulary, ids % 3, ids % 2, "aeht", False, bound.tokens)
    for one, what in ((used, "a vocabulary"), (replace(used, training=None), "no training text")):
        with checking(what):
            first, again = (
                analysed("checked", subject.component, "sample", "5", one) for _ in range(2)
            )
        expect(first == again, f"{what} a second time", again, "the same rows")


CHECKS: Mapping[str, Check[Analysis]] = {"rows": rows}
