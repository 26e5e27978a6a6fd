"""The kinds of components that plugins offer, each by a hook of its own."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from tokbench.api import (
    Analysis,
    Component,
    Fact,
    GoldReader,
    Learner,
    Metric,
    PairGenerator,
    Segmenter,
    Splitter,
    View,
    VocabularyFormat,
)

Kind = Literal[
    "learner",
    "segmenter",
    "splitter",
    "metric",
    "format",
    "gold reader",
    "pair generator",
    "analysis",
    "view",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
BASES: Mapping[Kind, type[Component]] = {
    "learner": Learner,
    "segmenter": Segmenter,
    "splitter": Splitter,
    "metric": Metric,
    "format": VocabularyFormat,
    "gold reader": GoldReader,
    "pair generator": PairGenerator,
    "analysis": Analysis,
    "view": View,
}


def hook_of(kind: Kind) -> str:
    """Return the name of the hook for components of a kind."""
    plural = "analyses" if kind == "analysis" else f"{kind}s"
    return f"tokbench_{plural.replace(' ', '_')}"


REPORT, PAGE = "tokbench_report_sections", "tokbench_page_sections"
FACTS = "tokbench_answer_facts"
ADDING: Mapping[str, Any] = {
    REPORT: Mapping[str, str],
    PAGE: Mapping[str, str],
    FACTS: tuple[Fact, ...] | list[Fact],
}
"""The hooks that add to the views of a run, and the type of what each returns."""
