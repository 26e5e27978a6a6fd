"""The shape of a text: how its distinct words grow, and how their counts fall with rank."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Above these counts a word is frequent enough for its rank to be certain; below the others it
# belongs to the long tail.
FREQUENT, RARE = 100, 20


@dataclass(eq=False)
class Shape:
    """Count the words of a text part by part; each part is a list of word numbers."""

    words: int = 0
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    growth: list[tuple[int, int]] = field(default_factory=list)

    def add(self, numbers: NDArray[np.uint32]) -> None:
        """Count one more part."""
        size = max(len(self.counts), int(numbers.max(initial=0)) + 1)
        counts = np.bincount(numbers, minlength=size)
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        self.words += len(numbers)
        self.growth.append((self.words, int(np.count_nonzero(counts))))

    def described(self) -> dict[str, Any]:
        """Return the figures: words, distinct words, their exponent (Heaps), slopes (Zipf)."""
        first, last = self.growth[0], self.growth[-1]
        heaps = np.log(last[1] / first[1]) / np.log(last[0] / first[0]) if last != first else None
        return {
            "words": self.words,
            "distinct": last[1],
            "once": float(np.mean(self.counts[self.counts > 0] == 1)),
            "heaps-exponent": None if heaps is None else float(heaps),
            "slope-frequent": slope(self.counts, self.words, above=FREQUENT),
            "slope-rare": slope(self.counts, self.words, below=RARE),
            "growth": [self.growth[i] for i in milestones(len(self.growth))],
        }


def milestones(parts: int) -> list[int]:
    """Return the positions of the 1st, 2nd, 5th, 10th, ... part and of the last."""
    wanted = [digit * 10**power for power in range(7) for digit in (1, 2, 5)]
    return sorted({part - 1 for part in wanted if part <= parts} | {parts - 1})


def slope(
    counts: NDArray[np.int64], words: int, above: int = 0, below: int | None = None
) -> float | None:
    """Fit log count against log rank by least squares over ranks that lie evenly on a log scale.

    The first ten ranks, where no text follows Zipf, are left out; None where too few are left.
    """
    falling = np.sort(counts[counts > 0])[::-1]
    ranks = np.unique(np.geomspace(10, max(len(falling), 11), 400).astype(int))
    ranks = ranks[ranks <= len(falling)]
    at_rank = falling[ranks - 1]
    kept = (at_rank > above) & (at_rank <= (below or words))
    if np.count_nonzero(kept) < 10:
        return None
    return float(np.polyfit(np.log(ranks[kept]), np.log(at_rank[kept]), 1)[0])
