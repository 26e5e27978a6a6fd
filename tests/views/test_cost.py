"""cost.md: the measured steps, from literals."""

from dataclasses import replace
from pathlib import Path

from tokbench_views.report import cost_report

from tests.tiny import tiny_run
from tokbench.run_folder.record import Cost

from .markdown import tables


def test_steps_are_listed_in_order_with_their_sum(tmp_path: Path) -> None:
    costs = (Cost("bpe", "learn", "500", 1.25, 99.6), Cost("char", "score", "", 0.0014, 101.2))
    run = tiny_run(tmp_path)
    text = cost_report(replace(run, record=replace(run.record, cost=costs)))
    assert "\nAll steps: 1.25 s.\n" in text
    assert tables(text) == [
        [
            ["system", "step", "size", "seconds", "peak memory, MB"],
            ["bpe", "learn", "500", "1.250", "100"],
            ["char", "score", "all", "0.001", "101"],
        ]
    ]
