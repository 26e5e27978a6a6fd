"""A config when all of it is checked: what the runner works from."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tokbench.api import Learner, Metric, Segmenter, Size, Splitter
from tokbench.api.engine import EngineName
from tokbench.corpora.source import DescribedCorpus

Contexts = Literal["in-context", "isolated", "both"]


@dataclass(frozen=True)
class Span:
    """A range of vocabulary sizes, both ends in it; with `curve` every one of them is measured."""

    first: Size
    last: Size
    curve: bool


@dataclass(frozen=True)
class System:
    """One tokenizer to compare, its parts named as the config names them.

    Without a segmenter of its own the vocabulary says which one reads it; without a splitter the
    scoring words are learned and segmented whole. `sizes` is empty if the learner takes none;
    `span` is the range around them, where the config gives one. Without `context` words are cut
    in context where the segmenter can do that.
    """

    name: str
    learner_name: str
    learner: Learner
    segmenter_name: str | None
    segmenter: Segmenter | None
    splitter_name: str | None
    splitter: Splitter | None
    sizes: tuple[Size, ...]
    span: Span | None = None
    context: Contexts | None = None


@dataclass(frozen=True)
class NamedMetric:
    """A metric and its name in the results, with the options that differ from the default."""

    name: str
    metric: Metric


@dataclass(frozen=True)
class Experiment:
    """Everything that a config asks for, with paths that can be opened.

    `text` is the config as it was read, `resolved` the same with all defaults filled in, as JSON
    data without absolute paths, and without the engine, which changes no result.
    A learner that does not give the same twice is run `repeats` times.
    """

    path: Path
    text: str
    train: DescribedCorpus
    tests: Mapping[str, DescribedCorpus]
    lists: Mapping[str, DescribedCorpus]
    gold: Mapping[str, DescribedCorpus]
    systems: tuple[System, ...]
    metrics: tuple[NamedMetric, ...]
    baseline: str | None
    seed: int
    resamples: int
    repeats: int
    engine: EngineName
    resolved: Mapping[str, Any]
    warnings: tuple[str, ...]
