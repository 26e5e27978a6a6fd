"""The twelve hooks. A plugin implements those that it needs, with `@tokbench.api.hookimpl`.

Those without an argument return components by the names that configs use: a class, or where it is,
as the text `package.module:Class`. A class that is named so is imported only when it is used. Those
with a `run`, a `tokbench.Run`, return what they add to what people see of it. They depend on the
run alone, and are called when it has ended or was read from its folder.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pluggy

from tokbench.api.corpora import GoldReader, PairGenerator, Splitter
from tokbench.api.metric import Analysis, Metric
from tokbench.api.output import Fact, View, VocabularyFormat
from tokbench.api.tokenizer import Learner, Segmenter

hookspec = pluggy.HookspecMarker("tokbench")


@hookspec
def tokbench_learners() -> Mapping[str, type[Learner] | str]:
    """Return the learners that the plugin offers, by the names that configs use."""


@hookspec
def tokbench_segmenters() -> Mapping[str, type[Segmenter] | str]:
    """Return the segmenters that the plugin offers, by the names that configs use."""


@hookspec
def tokbench_splitters() -> Mapping[str, type[Splitter] | str]:
    """Return the splitters that the plugin offers, by the names that configs use."""


@hookspec
def tokbench_metrics() -> Mapping[str, type[Metric] | str]:
    """Return the metrics that the plugin offers, by the names that configs use."""


@hookspec
def tokbench_formats() -> Mapping[str, type[VocabularyFormat] | str]:
    """Return the formats that the plugin offers, by the names that `export` and `import` use."""


@hookspec
def tokbench_gold_readers() -> Mapping[str, type[GoldReader] | str]:
    """Return the readers of gold files that the plugin offers, by the names of their formats."""


@hookspec
def tokbench_pair_generators() -> Mapping[str, type[PairGenerator] | str]:
    """Return the generators of pairs that the plugin offers, by the names that configs use."""


@hookspec
def tokbench_analyses() -> Mapping[str, type[Analysis] | str]:
    """Return the analyses of vocabularies that the plugin offers, by the names of their files."""


@hookspec
def tokbench_views() -> Mapping[str, type[View] | str]:
    """Return the views of a run that the plugin offers, by the names that `tokbench show` uses."""


@hookspec
def tokbench_report_sections(run: Any) -> Mapping[str, str]:
    """Return sections for `report.md` by their titles, as Markdown."""


@hookspec
def tokbench_page_sections(run: Any) -> Mapping[str, str]:
    """Return sections for `report.html` by their titles, as HTML without scripts and styles."""


@hookspec
def tokbench_answer_facts(run: Any) -> Sequence[Fact]:
    """Return facts for the answer, which stand below ours."""
