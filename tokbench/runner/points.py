"""The sizes of a curve."""

from dataclasses import dataclass

import numpy as np

from tokbench.api import Vocabulary
from tokbench.api.segmentation import Ints
from tokbench.config import Span
from tokbench.runner.timeline import grown


@dataclass(frozen=True, eq=False)
class Points:
    """The sizes of a curve: as asked for, and the learned items and |V| of each.

    `unit` stands before a size in the results: nothing, or `merges:`. `end` is the end of the range
    that was asked for, above the last size where there is no vocabulary so large.
    """

    asked: Ints
    learned: Ints
    total: Ints
    unit: str
    end: int

    @classmethod
    def of(cls, vocabulary: Vocabulary, span: Span) -> "Points":
        """Give every size of a range that can make a difference, none if all are too small.

        A size has the learned items that `Vocabulary.cut` leaves it. Sizes above the largest
        vocabulary all have the same, so that one of them will do.
        """
        total = grown(vocabulary) - len(vocabulary.unproduced)
        learned = len(total) - 1
        if span.first.learned is not None:
            asked = _between(span, 0, learned)
            chosen = np.minimum(asked, learned)
        else:
            # What is learned last may add no token: then a size beyond |V| has more learned items.
            beyond = learned > 0 and total[-1] == total[-2]
            asked = _between(span, int(total[0]), int(total[-1]) + beyond)
            chosen = np.minimum(np.searchsorted(total, asked), learned)
        unit = "" if span.first.learned is None else "merges:"
        return cls(asked, chosen, total[chosen], unit, span.last.number)

    def __len__(self) -> int:
        """Count the sizes."""
        return len(self.asked)


def _between(span: Span, smallest: int, largest: int) -> Ints:
    """Give the sizes of a range that lie between two others; its first if all are above them."""
    first = max(span.first.number, smallest)
    if first > span.last.number:
        return np.zeros(0, dtype=np.int64)
    return np.arange(first, max(first, min(span.last.number, largest)) + 1)
