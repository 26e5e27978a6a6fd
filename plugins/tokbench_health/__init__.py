"""The health of a vocabulary: tokens that never come, and tokens that say the same."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_analyses() -> Mapping[str, str]:
    """Offer the analysis `health`."""
    return {"health": "tokbench_health.health:Health"}
