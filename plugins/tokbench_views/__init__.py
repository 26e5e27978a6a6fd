"""What people see of a run: the report, the measured cost, the short table, and single sections."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_views() -> Mapping[str, str]:
    """Offer the views."""
    return {
        "answer": "tokbench_views.views:Answer",
        "report": "tokbench_views.views:Report",
        "metrics": "tokbench_views.views:AllMetrics",
        "cost": "tokbench_views.views:MeasuredCost",
        "cite": "tokbench_views.views:Cite",
        "table": "tokbench_views.views:OneTable",
        "summary": "tokbench_views.views:Summary",
        "oov": "tokbench_views.views:Oov",
        "sizes": "tokbench_views.views:Sizes",
        "texts": "tokbench_views.views:ByText",
        "scores": "tokbench_views.views:OwnScores",
    }
