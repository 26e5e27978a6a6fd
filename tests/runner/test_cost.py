"""Cost: every step is measured, one that fails too."""

import time

import pytest

from tokbench.runner.cost import CostBook, peak_memory


def test_steps_are_kept_in_order_with_their_seconds() -> None:
    book = CostBook()
    with book.measure("bpe", "learn", "500"):
        time.sleep(0.02)
    with book.measure("char", "segment"):
        pass
    first, second = book.costs
    assert (first.system, first.step, first.size) == ("bpe", "learn", "500")
    assert (second.system, second.step, second.size) == ("char", "segment", "")
    assert 0.02 <= first.seconds < 2
    assert 0 <= second.seconds < 0.02


def test_a_step_that_fails_is_measured_and_its_error_passes() -> None:
    book = CostBook()
    with pytest.raises(ValueError, match="no idea"), book.measure("bpe", "learn"):
        raise ValueError("no idea")
    assert [cost.step for cost in book.costs] == ["learn"]


def test_peak_memory_is_in_megabytes() -> None:
    """Python with NumPy and SciPy takes some tens of megabytes, and the tests no gigabytes."""
    assert 20 < peak_memory() < 10_000
