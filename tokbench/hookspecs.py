"""The four hooks. A plugin implements those that it needs, with `@tokbench.api.hookimpl`."""

from collections.abc import Mapping

import pluggy

from tokbench.api.learner import Learner
from tokbench.api.metric import Metric
from tokbench.api.segmenter import Segmenter
from tokbench.api.splitter import Splitter

hookspec = pluggy.HookspecMarker("tokbench")


@hookspec
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Give the learners that the plugin offers, by the names that configs use."""


@hookspec
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Give the segmenters that the plugin offers, by the names that configs use."""


@hookspec
def tokbench_splitters() -> Mapping[str, type[Splitter]]:
    """Give the splitters that the plugin offers, by the names that configs use."""


@hookspec
def tokbench_metrics() -> Mapping[str, type[Metric]]:
    """Give the metrics that the plugin offers, by the names that configs use."""
