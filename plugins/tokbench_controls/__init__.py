"""Controls: tokenizers that a metric must not be fooled by, each made from byte pair encoding.

Each changes one thing and leaves the rest: where words are cut (`random-cuts`), how many tokens say
the same (`duplicated`), or which merges there are (`dropped`).
"""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learners of the controls."""
    return {
        "random-cuts": "tokbench_controls.controls:RandomCuts",
        "duplicated": "tokbench_controls.controls:Duplicated",
        "dropped": "tokbench_controls.controls:Dropped",
    }


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenters of those that need one of their own."""
    return {
        "random-cuts": "tokbench_controls.controls:RandomCutsSegmenter",
        "duplicated": "tokbench_controls.controls:DuplicatedSegmenter",
    }
