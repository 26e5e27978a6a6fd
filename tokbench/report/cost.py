"""Measured seconds and memory: the one report that differs from run to run."""

from tokbench.report.table import markdown_table
from tokbench.run_folder import Run


def cost_report(run: Run) -> str:
    """Write cost.md: each step's seconds, and the peak memory of the process at its end."""
    rows = [
        (cost.system, cost.step, cost.size or "all", f"{cost.seconds:.3f}", f"{cost.peak_mb:.0f}")
        for cost in run.record.cost
    ]
    total = sum(cost.seconds for cost in run.record.cost)
    head = ("system", "step", "size", "seconds", "peak memory, MB")
    return (
        "# Measured cost\n\nA learner whose vocabularies can be cut learns once, at its largest "
        "size, for all sizes. The peak memory is that of the whole process up to the end of the "
        "step. Seconds are one measurement on one machine (see `run.json`): read them as "
        f"ratios.\n\nAll steps: {total:.2f} s.\n\n" + markdown_table(head, rows, right=2)
    )
