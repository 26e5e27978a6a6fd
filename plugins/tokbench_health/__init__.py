"""The health of a vocabulary: tokens that never come or say the same, and how it cuts numbers."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_analyses() -> Mapping[str, str]:
    """Offer the analyses."""
    return {
        "health": "tokbench_health.health:Health",
        "numbers": "tokbench_health.numbers:Numbers",
    }
