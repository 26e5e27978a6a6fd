"""What a run found out: an outcome for each system and size, and all of it together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tokbench.api import Segmentation, Size, Vocabulary
from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora
from tokbench.runner.advice import Advice
from tokbench.runner.cost import Cost
from tokbench.runner.curves import Curve
from tokbench.runner.results import Row
from tokbench.runner.scoring import Estimate
from tokbench.runner.sizing import Sizing

Context = Literal["in-context", "isolated"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """One system at one size: its vocabulary, and for each corpus its tokens and estimates.

    `context` is how running text was cut; lists and gold words are always cut alone. What is
    `beside` another outcome, with words cut alone, is compared with that one.
    """

    system: System
    segmenter_name: str
    size: Size | None
    vocabulary: Vocabulary
    segmentations: Mapping[str, Segmentation]
    estimates: Mapping[str, Mapping[tuple[str, str], Estimate]]
    context: Context = "isolated"
    beside: bool = False

    @property
    def name(self) -> str:
        """The system's name, as tables that show two outcomes of it must spell it."""
        return f"{self.system.name} (isolated)" if self.beside else self.system.name

    def context_on(self, corpus: str) -> Context:
        """Tell how the words of a corpus were cut."""
        return "isolated" if self.segmentations[corpus].context is None else "in-context"

    @property
    def size_label(self) -> str:
        """The size as the results show it: empty for a learner without sizes."""
        return "" if self.size is None else str(self.size)


@dataclass(frozen=True, eq=False)
class Run:
    """All that a run found out; what is written to the run folder comes from here.

    `timelines` holds by system and corpus all states that the listed sizes and curves were cut
    from, for the systems that one replay served; `curves` is None where none was asked for.
    """

    experiment: Experiment
    corpora: Corpora
    outcomes: tuple[Outcome, ...]
    learned: Mapping[str, Vocabulary]
    rows: tuple[Row, ...]
    costs: tuple[Cost, ...]
    notes: tuple[str, ...]
    failures: tuple[str, ...]
    timelines: Mapping[str, Mapping[str, Segmentation]]
    curves: tuple[Curve, ...] | None
    advice: tuple[Advice, ...]
    sizings: tuple[Sizing, ...]
