"""The results of systems as plain values, and how much values vary over training samples."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import stdev
from typing import NamedTuple

from tokbench.api import Size, Vocabulary
from tokbench.api.arrays import Segmentation
from tokbench.config import System
from tokbench.config.experiment import Context
from tokbench.cut.training import TrainingCounts
from tokbench.issues import Issue
from tokbench.run_folder.record import Cost, OutcomeRecord, Speed
from tokbench.run_folder.tables import AnalysisRow, SizeStatistics
from tokbench.score.curve import Curve
from tokbench.score.estimate import Estimates


class Key(NamedTuple):
    """The place of an outcome: how running text is cut, and the share of the training text."""

    system: str
    size: Size | None
    context: Context
    share: float = 1.0


Place = tuple[str, str, str]
"""Corpus, metric and subset."""
Values = Mapping[Place, float]


@dataclass(frozen=True, eq=False)
class Outcome:
    """One system at one size: its vocabulary, and for each corpus its tokens and estimates.

    An outcome that its `record` calls an isolated copy of another is compared with that one.
    `contexts` says how the words of each corpus were cut; lists and gold words are always cut
    alone. `uncovered` is the share of its running words that are unknown or lossy. `repeated` has
    the values of further learning runs, `sampled` those of runs on training samples, by number.
    """

    record: OutcomeRecord
    system: System
    size: Size | None
    vocabulary: Vocabulary
    segmentations: Mapping[str, Segmentation]
    estimates: Mapping[str, Estimates]
    contexts: Mapping[str, Context]
    uncovered: Mapping[str, float]
    repeated: Sequence[Values] = ()
    sampled: Mapping[int, Values] = field(default_factory=dict)

    def is_above(self, gate: float, corpus: str) -> bool:
        """Return whether more running words of a corpus are unknown or lossy than may be."""
        return self.uncovered.get(corpus, 0) > gate

    def loses_word_ends(self, corpus: str) -> bool:
        """Return whether tokens do not tell where the words of a corpus begin or end."""
        return self.record.loses_word_ends(self.contexts.get(corpus, ""))

    @cached_property
    def values(self) -> Values:
        """All values, without those of resamples."""
        return {
            (corpus, *key): estimate.value
            for corpus, estimates in self.estimates.items()
            for key, estimate in estimates.items()
        }

    @property
    def learns(self) -> bool:
        """Whether it depends on the training text, so that it varies over samples of it."""
        return self.system.learner.reads != "nothing"

    def in_sample(self, sample: int, place: Place) -> float:
        """Return the value in a training sample, from 1; NaN where there is none."""
        values = self.sampled.get(sample, {}) if self.learns else self.values
        return values.get(place, math.nan)

    def sample_spread(self, place: Place) -> float | None:
        """Return the standard deviation over training samples, None where one has no value."""
        samples = range(1, self.system.training_samples + 1)
        return spread([self.in_sample(sample, place) for sample in samples])

    def agreeing(self, other: "Outcome", place: Place, difference: float) -> float | None:
        """Return the share of training samples in which a difference has the same sign.

        They are those that both have. None where one of the two was learned without samples, where
        neither was learned, where there is no difference, and where no sample was scored.
        """
        counts = [each.system.training_samples for each in (self, other) if each.learns]
        if not counts or not all(counts) or not difference:
            return None
        samples = range(1, min(counts) + 1)
        differences = [self.in_sample(i, place) - other.in_sample(i, place) for i in samples]
        # A sample without a value agrees with nothing, so it counts as one that does not.
        if all(map(math.isnan, differences)):
            return None
        return sum(sampled * difference > 0 for sampled in differences) / len(samples)


def size_label(size: Size | None) -> str:
    """Spell a size as the results show it: empty for a learner without sizes."""
    return "" if size is None else str(size)


@dataclass(frozen=True, eq=False)
class SystemResult:
    """All that one system gave in one go, or a part of it.

    `vocabularies` are those that were learned, by what follows the system's name in theirs: `@` and
    the size of the learning run, but nothing where it serves every size. `shares` are the outcomes
    on a share of the training text, without tokens. `timelines` holds by corpus all states that the
    listed sizes and curves were cut from, where one replay served them.
    """

    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)
    outcomes: Mapping[Key, Outcome] = field(default_factory=dict)
    shares: Mapping[Key, Outcome] = field(default_factory=dict)
    timelines: Mapping[str, Segmentation] = field(default_factory=dict)
    curves: tuple[Curve, ...] = ()
    training_counts: tuple[TrainingCounts, ...] = ()
    sizes: tuple[SizeStatistics, ...] = ()
    analysed: tuple[AnalysisRow, ...] = ()
    costs: tuple[Cost, ...] = ()
    speeds: tuple[Speed, ...] = ()
    issues: tuple[Issue, ...] = ()

    @classmethod
    def joined(cls, parts: Iterable["SystemResult"]) -> "SystemResult":
        """Join parts in order."""
        values = vars(cls())
        for part in parts:
            for name, new in vars(part).items():
                values[name] = values[name] | new if isinstance(new, dict) else values[name] + new
        return cls(**values)


def spread(values: Sequence[float]) -> float | None:
    """Return the standard deviation of two values or more, None where one is undefined."""
    return stdev(values) if len(values) > 1 and all(map(math.isfinite, values)) else None
