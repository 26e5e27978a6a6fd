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
        "# Measured cost\n\nIf smaller vocabularies can be cut from a larger one, a system learns "
        "once, at its largest size. The peak memory is that of the whole process, from its start "
        "to the end of the step. The seconds were measured once, on one machine (see `run.json`): "
        f"compare them as ratios.\n\nAll steps: {total:.2f} s.\n\n"
        + markdown_table(head, rows, right=2)
    )
