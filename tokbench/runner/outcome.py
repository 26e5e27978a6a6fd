"""The results of a run as plain values: an outcome a system and size, and what stands beside."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tokbench.api import Segmentation, Size, Vocabulary
from tokbench.config import System
from tokbench.config.experiment import Context
from tokbench.cut.training import TrainingCounts
from tokbench.run_folder.record import Cost
from tokbench.runner.issues import Attempt, Issue
from tokbench.score.curve import Curve
from tokbench.score.estimate import Estimates


class Key(NamedTuple):
    """The place of an outcome; `context` is how running text is cut, `repeat` the learning run."""

    system: str
    size: Size | None
    context: Context
    share: float = 1.0
    repeat: int = 0


@dataclass(frozen=True, eq=False)
class Outcome:
    """One system at one size: its vocabulary, and for each corpus its tokens and estimates.

    `context` is how running text was cut; lists and gold words are always cut alone. What is
    `isolated_copy` another outcome, with words cut alone, is compared with that one.
    """

    system: System
    segmenter_name: str
    size: Size | None
    vocabulary: Vocabulary
    segmentations: Mapping[str, Segmentation]
    estimates: Mapping[str, Estimates]
    context: Context = "isolated"
    isolated_copy: bool = False

    def context_on(self, corpus: str) -> Context:
        """Return how the words of a corpus were cut."""
        return "isolated" if self.segmentations[corpus].context is None else "in-context"

    @property
    def size_label(self) -> str:
        """The size as the results show it: empty for a learner without sizes."""
        return "" if self.size is None else str(self.size)


@dataclass(frozen=True, eq=False)
class SystemResult:
    """All that one system gave in one go, or a part of it.

    `vocabularies` are those that were learned, by the size of the learning run (empty where it
    serves every size). `timelines` holds by corpus all states that the listed sizes and curves
    were cut from, where one replay served them.
    """

    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)
    outcomes: Mapping[Key, Outcome] = field(default_factory=dict)
    timelines: Mapping[str, Segmentation] = field(default_factory=dict)
    curves: tuple[Curve, ...] = ()
    training_counts: tuple[TrainingCounts, ...] = ()
    costs: tuple[Cost, ...] = ()
    issues: tuple[Issue, ...] = ()

    @classmethod
    def of(cls, attempt: Attempt[Any], **found: Any) -> "SystemResult":
        """Return what an attempt `found`, with its cost and its issue, if it has one."""
        return cls(costs=attempt.costs, issues=attempt.issues, **found)

    @classmethod
    def joined(cls, parts: Iterable["SystemResult"]) -> "SystemResult":
        """Join parts in order."""
        found = list(parts)
        return cls(
            vocabularies={name: v for part in found for name, v in part.vocabularies.items()},
            outcomes={key: outcome for part in found for key, outcome in part.outcomes.items()},
            timelines={name: s for part in found for name, s in part.timelines.items()},
            curves=tuple(curve for part in found for curve in part.curves),
            training_counts=tuple(count for part in found for count in part.training_counts),
            costs=tuple(cost for part in found for cost in part.costs),
            issues=tuple(issue for part in found for issue in part.issues),
        )
