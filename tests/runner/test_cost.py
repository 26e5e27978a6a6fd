"""Cost: every step is measured, one that fails too."""

import time
from pathlib import Path

from tests.tiny import tiny_run

PLUGIN = """
import time
from tokbench.api import Learner, hookimpl

class Slow(Learner):
    "Take some time, then fail."
    def learn(self, words, size):
        time.sleep(0.05)
        raise ValueError("no idea")

tokbench_learners = hookimpl(lambda: {"slow": Slow})
"""


def test_steps_are_kept_in_order_with_their_seconds_and_megabytes(tmp_path: Path) -> None:
    begin = time.perf_counter()
    cost = tiny_run(tmp_path, PLUGIN, systems="[slow, word]", sizes="[4]").record.cost
    whole = time.perf_counter() - begin
    steps = [(one.system, one.step, one.size) for one in cost]
    assert steps[:2] == [("slow", "learn", "4"), ("word", "learn", "4")]
    assert 0.05 <= cost[0].seconds < whole
    assert all(0 <= one.seconds < whole for one in cost)
    # Python with NumPy and SciPy takes some tens of megabytes, and the tests no gigabytes.
    assert all(20 < one.peak_mb < 10_000 for one in cost)
