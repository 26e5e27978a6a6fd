"""A config when all of it is checked: what the runner works from."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from tokbench.api import (
    Component,
    InputFile,
    Learner,
    Metric,
    Options,
    Segmenter,
    Size,
    Splitter,
    TextSegmenter,
)
from tokbench.assertions import Assertion
from tokbench.corpora.source import Bands, DescribedCorpus
from tokbench.errors import UsageError

if TYPE_CHECKING:
    from tokbench.corpora.load import Corpora

Context = Literal["in-context", "isolated"]
Contexts = Literal["in-context", "isolated", "both"]

LEAST_MEMORY = 512
"""The MB that a process needs itself, with room for little more."""
MEMORY_SHARE = 0.8
"""The share of the machine's memory that one process may take by default."""


WITHOUT_EFFECT: Any = Field(None, description="has no effect any more, and will be removed")


class Limits(Options):
    """The limits of calls of plugins and wrapped libraries, and of the process that makes them."""

    seconds: float = Field(
        14_400, gt=0, le=31_536_000, description="how long one call may take, in seconds"
    )
    memory: int | None = Field(
        None,
        ge=LEAST_MEMORY,
        description="the memory of one process, in MB; by default four fifths of the machine's",
    )
    idle_seconds: Any = WITHOUT_EFFECT
    output: Any = WITHOUT_EFFECT

    @property
    def megabytes(self) -> int:
        """The memory of one process, in MB (10^6 bytes); on Windows 0, where none is limited."""
        if sys.platform == "win32":
            return 0
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1_000_000
        return self.memory or int(machine * MEMORY_SHARE)


class Recommend(Options):
    """What the recommendation looks at; docs/reference/answer.md has its rules."""

    by: Literal["tokens", "morphemes", "parity", "model"] | None = Field(
        None,
        description="what decides: `tokens` (fewest), `morphemes` (boundary-kappa on the first gold"
        " file), `parity` (among systems with few tokens), or `model` (bits-per-byte); by default"
        " `tokens`, for morphology `morphemes`",
    )
    purpose: Literal["text", "morphology"] = Field(
        "text",
        alias="for",
        description="`text`: only what writes the whole text with its word ends is recommended;"
        " `morphology`: anything",
    )
    within: float = Field(
        0.01,
        ge=0,
        lt=1,
        description="systems tie if one surely needs at most twice this share more than the other",
    )
    saving: float = Field(
        0.03, gt=0, lt=1, description="a size is enough if doubling it saves a smaller share"
    )

    @property
    def criterion(self) -> str:
        """What decides, also where the config does not say it."""
        return self.by or ("morphemes" if self.purpose == "morphology" else "tokens")


class LanguageModel(Options):
    """The model that a vocabulary is for: reports then say what each size costs in it."""

    width: int = Field(ge=1, le=10**6, description="how many numbers stand for each token")
    tied: bool = Field(
        True, description="whether input and output embeddings are the same parameters"
    )
    context: int | None = Field(
        None, ge=1, le=10**9, description="how many tokens the model sees at once"
    )


@dataclass(frozen=True)
class Span:
    """A range of vocabulary sizes, both ends in it; with `curve` every one of them is measured."""

    first: Size
    last: Size
    curve: bool


@dataclass(frozen=True)
class System:
    """One tokenizer to compare, its parts named as the config names them.

    Without a segmenter, the one that the vocabulary names is used. Without a splitter, the scoring
    words are learned and segmented whole. `sizes` is empty if the learner takes none; `span` is the
    range around them, if the config gives one. Without `context`, words are cut in context if the
    segmenter can do that. `training_samples` is the number of samples to learn the system from.
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
    training_samples: int = 0

    @property
    def parts(self) -> tuple[Component, ...]:
        """Its learner, and the segmenter and splitter that the config gives it."""
        return tuple(filter(None, (self.learner, self.segmenter, self.splitter)))

    @property
    def curve(self) -> Span | None:
        """The range of sizes of its curves, if the config asks for curves."""
        return self.span if self.span is not None and self.span.curve else None

    def contexts(self, segmenter: Segmenter) -> tuple[Context, ...]:
        """Return the contexts in which a segmenter cuts texts for it, the first being its own.

        Raises UsageError if `context` asks for whole lines but the vocabulary's segmenter cuts
        words. A segmenter that the config names, and `split`, were checked with the config.
        """
        lines = isinstance(segmenter, TextSegmenter) and self.splitter is None
        if self.context is None:
            return ("in-context",) if lines else ("isolated",)
        if self.context == "isolated":
            return ("isolated",)
        if not lines:
            raise UsageError(
                f"`context: {self.context}` asks for whole lines, but its segmenter cuts words"
            )
        return ("in-context",) if self.context == "in-context" else ("in-context", "isolated")

    @property
    def components(self) -> str:
        """Its parts, each with the options that differ from their defaults."""
        described = self.learner.describe(self.learner_name)
        if self.segmenter is not None and self.segmenter_name is not None:
            described += "+" + self.segmenter.describe(self.segmenter_name)
        if self.splitter is not None and self.splitter_name is not None:
            described += "|split=" + self.splitter.describe(self.splitter_name)
        return described


@dataclass(frozen=True)
class NamedMetric:
    """A metric and its name in the results, with the options that differ from the default.

    `listed` is True where the config names it.
    """

    name: str
    metric: Metric
    listed: bool = False


@dataclass(frozen=True)
class Experiment:
    """Everything that a config asks for, with paths that can be opened.

    `text` is the config as it was read. `resolved` is the same with all defaults filled in, as JSON
    data without absolute paths; it leaves out the keys that change no result: `limits`, `jobs`,
    `samples` and `assert`.
    Without `train` all systems are ready-made. Each system is also learned from `training_shares`
    of the text. A learner that is not deterministic is run `repeats` times. A system is not
    compared by length on a corpus if more than a share of `gate` of its words are unknown or lossy.
    """

    path: Path
    text: str
    train: DescribedCorpus | None
    tests: Mapping[str, DescribedCorpus]
    lists: Mapping[str, DescribedCorpus]
    gold: Mapping[str, DescribedCorpus]
    pairs: Mapping[str, DescribedCorpus]
    systems: tuple[System, ...]
    metrics: tuple[NamedMetric, ...]
    baseline: str | None
    training_shares: tuple[float, ...]
    seed: int
    resamples: int
    repeats: int
    gate: float
    bands: Bands
    resample_by: Literal["block", "line", "document"]
    block_length: int | None
    samples: Literal["lines", "none"]
    assertions: tuple[Assertion, ...]
    limits: Limits
    jobs: int
    resolved: Mapping[str, Any]
    warnings: tuple[str, ...]

    @property
    def scored(self) -> Mapping[str, DescribedCorpus]:
        """All test corpora by name: texts, lists, gold, pairs."""
        return {**self.tests, **self.lists, **self.gold, **self.pairs}

    def load_corpora(self) -> "Corpora":
        """Read all corpora; raises what `tokbench.corpora.load` does."""
        from tokbench.corpora.load import load_corpora  # with NumPy, unlike an experiment

        return load_corpora(
            self.train, self.tests, self.lists, self.gold, self.seed, self.bands, self.pairs
        )

    @property
    def corpora(self) -> list[DescribedCorpus]:
        """The training text, if there is one, and all test corpora."""
        return [*filter(None, (self.train, *self.scored.values()))]

    @property
    def parts(self) -> list[Component]:
        """All components: of systems, and those that all systems share."""
        return [*(part for system in self.systems for part in system.parts), *self.shared_parts]

    @property
    def shared_parts(self) -> list[Component]:
        """The components that make words of corpora, and the metrics."""
        return [*self.readers, *(named.metric for named in self.metrics)]

    @property
    def readers(self) -> list[Component]:
        """The components that make words of corpora."""
        made_by = [(corpus.splitter, corpus.gold, corpus.generator) for corpus in self.corpora]
        return [*filter(None, chain(*made_by))]

    @property
    def files(self) -> list[InputFile]:
        """The files that the options of all components name."""
        return [file for part in self.parts for file in part.files]
