"""What a run found out about one system at one size."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tokbench.api import Segmentation, Size, Vocabulary
from tokbench.config import System
from tokbench.runner.scoring import Estimate

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

    def context_on(self, corpus: str) -> Context:
        """Tell how the words of a corpus were cut."""
        return "isolated" if self.segmentations[corpus].context is None else "in-context"

    @property
    def size_label(self) -> str:
        """The size as the results show it: empty for a learner without sizes."""
        return "" if self.size is None else str(self.size)
