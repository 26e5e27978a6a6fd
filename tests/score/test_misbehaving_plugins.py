"""Plugins that return what their interface does not allow keep the values that are right."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import offering, tiny_run
from tokbench.api import Metric

LINES = {"test": "ab abd c\nabc ab\n" * 20}
"""Enough lines for resamples, also those with the unseen word `abd` alone."""


class Unseen(Metric):
    """Scores one half, but for a text of unseen words."""

    formula, range = "words", (0, 1)
    raises: bool = False

    def count(self, segmentation: Any) -> Any:
        unseen = segmentation.words.unseen[segmentation.word] * 1.0
        return {"words": np.ones(len(segmentation)), "unseen": unseen}

    def score(self, sums: Any, vocabulary_size: int) -> Any:
        only_unseen = sums["unseen"] == sums["words"]
        if self.raises:
            assert not np.any(only_unseen)
        return np.where(only_unseen, 2, 0.5)


class High(Unseen):
    """Scores more than its range allows."""

    def score(self, sums: Any, vocabulary_size: int) -> Any:
        return 2 + 0 * sums["words"]


@pytest.mark.parametrize("raises", ["false", "true"])
def test_a_metric_that_fails_on_some_subsets_has_values_on_the_others(
    tmp_path: Path, raises: str
) -> None:
    metrics = f"[{{use: unseen, raises: {raises}}}, fertility]"
    run = tiny_run(tmp_path, offering(unseen=Unseen), LINES, metrics=metrics, systems="[char]")
    mine = [row for row in run.rows if row.metric != "fertility"]
    values = {row.subset: (row.value, row.low) for row in mine}
    assert values["all"] == values["band:2-5"] == (0.5, 0.5)
    assert "unseen" not in values
    assert len(run.failures) == 1


def test_a_curve_outside_its_range_costs_only_its_metric(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        offering(high=High),
        LINES,
        systems="[bpe]",
        sizes="{from: 4, to: 8, list: [8], curve: true}",
        metrics="[high, fertility]",
    )
    assert run.curves is not None
    assert {curve.metric for curve in run.curves} == {"fertility"}
    assert run.failures
    assert all("it scored 2, which is not in its range 0 to 1" in text for text in run.failures)
