"""The shape of a text: how its distinct words grow, and how their counts fall with rank."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

FREQUENT, RARE = 100, 20
"""Above the first count the rank of a word is certain; up to the second it is in the long tail."""


@dataclass(eq=False)
class Shape:
    """Counts of the words of a text, which come in parts; each part holds word numbers.

    `growth` has the running and the distinct words after each part.
    """

    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    growth: list[tuple[int, int]] = field(default_factory=list)

    def add(self, numbers: NDArray[np.uint32]) -> None:
        """Count one more part."""
        size = max(len(self.counts), int(numbers.max(initial=0)) + 1)
        counts = np.bincount(numbers, minlength=size)
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        self.growth.append((int(counts.sum()), int(np.count_nonzero(counts))))

    def described(self) -> dict[str, Any]:
        """Return the figures: words, distinct words, their exponent (Heaps), slopes (Zipf)."""
        (words, distinct), (last_words, last_distinct) = self.growth[0], self.growth[-1]
        heaps = None
        if len(self.growth) > 1:
            heaps = float(np.log(last_distinct / distinct) / np.log(last_words / words))
        return {
            "words": last_words,
            "distinct": last_distinct,
            "once": float(np.mean(self.counts[self.counts > 0] == 1)),
            "heaps-exponent": heaps,
            "slope-frequent": slope(self.counts, FREQUENT, np.inf),
            "slope-rare": slope(self.counts, 0, RARE),
        }


def slope(counts: NDArray[np.int64], above: float, most: float) -> float | None:
    """Fit log count against log rank by least squares over ranks that lie evenly on a log scale.

    The counts are those from `above`, excluded, to `most`. The first ten ranks, where no text
    follows Zipf, are left out; None where fewer than ten points are left.
    """
    falling = np.sort(counts[counts > 0])[::-1]
    ranks = np.unique(np.geomspace(10, max(len(falling), 11), 400).astype(int))
    ranks = ranks[ranks <= len(falling)]
    at_rank = falling[ranks - 1]
    chosen = (at_rank > above) & (at_rank <= most)
    if np.count_nonzero(chosen) < 10:
        return None
    return float(np.polyfit(np.log(ranks[chosen]), np.log(at_rank[chosen]), 1)[0])
