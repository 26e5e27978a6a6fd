"""The results of a run as plain values: an outcome a system and size, and what stands beside."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tokbench.api import Segmentation, Size, Vocabulary
from tokbench.config import System
from tokbench.config.experiment import Context
from tokbench.cut.training import TrainingCounts
from tokbench.issues import Issue
from tokbench.run_folder.record import Cost, OutcomeRecord
from tokbench.run_folder.tables import AnalysisRow, SizeStatistics
from tokbench.score.curve import Curve
from tokbench.score.estimate import Estimates

Values = Mapping[tuple[str, str, str], float]
"""Values by corpus, metric and subset."""


class Key(NamedTuple):
    """The place of an outcome: how running text is cut, and the learning run.

    A `repeat` learned from the same text again, a `sample` from one that was drawn; 0 is the first.
    """

    system: str
    size: Size | None
    context: Context
    share: float = 1.0
    repeat: int = 0
    sample: int = 0


@dataclass(frozen=True, eq=False)
class Outcome:
    """One system at one size: its vocabulary, and for each corpus its tokens and estimates.

    An outcome that its `record` calls an isolated copy of another is compared with that one.
    `contexts` says how the words of each corpus were cut; lists and gold words are always cut
    alone. `uncovered` is the share of its running words that are unknown or lossy.
    """

    record: OutcomeRecord
    system: System
    size: Size | None
    vocabulary: Vocabulary
    segmentations: Mapping[str, Segmentation]
    estimates: Mapping[str, Estimates]
    contexts: Mapping[str, Context]
    uncovered: Mapping[str, float]

    def is_above(self, gate: float, corpus: str) -> bool:
        """Return whether more running words of a corpus are unknown or lossy than may be."""
        return self.uncovered.get(corpus, 0) > gate

    @property
    def values(self) -> Values:
        """All values, without the samples."""
        return {
            (corpus, *key): estimate.value
            for corpus, estimates in self.estimates.items()
            for key, estimate in estimates.items()
        }


def size_label(size: Size | None) -> str:
    """Spell a size as the results show it: empty for a learner without sizes."""
    return "" if size is None else str(size)


@dataclass(frozen=True, eq=False)
class SystemResult:
    """All that one system gave in one go, or a part of it.

    `vocabularies` are those that were learned, by what follows the system's name in theirs: `@` and
    the size of the learning run, but nothing where it serves every size. `shares` are the outcomes
    on a share of the training text, without tokens. `timelines` holds by corpus all states that the
    listed sizes and curves were cut from, where one replay served them. `repeated` are the values
    of further learning runs, `sampled` those of runs on training samples.
    """

    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)
    outcomes: Mapping[Key, Outcome] = field(default_factory=dict)
    shares: Mapping[Key, Outcome] = field(default_factory=dict)
    repeated: Mapping[Key, Values] = field(default_factory=dict)
    sampled: Mapping[Key, Values] = field(default_factory=dict)
    timelines: Mapping[str, Segmentation] = field(default_factory=dict)
    curves: tuple[Curve, ...] = ()
    training_counts: tuple[TrainingCounts, ...] = ()
    sizes: tuple[SizeStatistics, ...] = ()
    analysed: tuple[AnalysisRow, ...] = ()
    costs: tuple[Cost, ...] = ()
    issues: tuple[Issue, ...] = ()

    @classmethod
    def joined(cls, parts: Iterable["SystemResult"]) -> "SystemResult":
        """Join parts in order."""
        found = vars(cls())
        for part in parts:
            for name, new in vars(part).items():
                found[name] = found[name] | new if isinstance(new, dict) else found[name] + new
        return cls(**found)
