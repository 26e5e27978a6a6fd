"""Figures of the measurements: medians, and ratios with their spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Spread:
    """The median of several rounds, the least and the greatest."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Sum up the values of all rounds."""
        return cls(median(values), min(values), max(values))


class Figures:
    """All measurements of one call, to be asked for by task, scale and peer."""

    def __init__(self, measurements: Sequence[dict[str, Any]]) -> None:
        self._rounds: dict[tuple[str, int, str], dict[int, dict[str, Any]]] = {}
        self.errors: dict[tuple[str, int, str], str] = {}
        for one in measurements:
            key = (one["task"], one["scale"], one["peer"])
            if one["error"]:
                self.errors[key] = one["error"]
            else:
                self._rounds.setdefault(key, {})[one["round"]] = one

    def scales(self, task: str) -> list[int]:
        """Return the scales at which a task was measured."""
        return sorted({scale for name, scale, _ in (*self._rounds, *self.errors) if name == task})

    def peers(self, task: str, scale: int) -> list[str]:
        """Return the peers of a task, the fastest first; those that failed are left out."""
        found = [peer for name, at, peer in self._rounds if (name, at) == (task, scale)]
        return sorted(found, key=lambda peer: self.seconds(task, scale, peer).median)

    def seconds(self, task: str, scale: int, peer: str) -> Spread:
        """Return the seconds that count for the task."""
        return self._spread((task, scale, peer), "seconds")

    def memory(self, task: str, scale: int, peer: str) -> Spread:
        """Return the peak memory in MB."""
        return self._spread((task, scale, peer), "peak-mb")

    def ratio(
        self, task: str, scale: int, peer: str, other: str, of: str = "seconds"
    ) -> Spread | None:
        """Return the ratios of each round in which both were measured, None if there is none."""
        one = self._rounds.get((task, scale, peer), {})
        two = self._rounds.get((task, scale, other), {})
        both = sorted(one.keys() & two.keys())
        if not both:
            return None
        return Spread.of([one[i][of] / two[i][of] for i in both])

    def growth(self, task: str, scales: tuple[int, int], peer: str, of: str) -> float | None:
        """Return how many times as much the larger scale takes, by medians."""
        small, large = ((task, scale, peer) for scale in scales)
        if not (small in self._rounds and large in self._rounds):
            return None
        return self._spread(large, of).median / self._spread(small, of).median

    def answer(self, task: str, scale: int, peer: str) -> Any:
        """Return what the job of the first round answered, None if there was none."""
        rounds = self._rounds.get((task, scale, peer))
        return rounds[min(rounds)]["answer"] if rounds else None

    def _spread(self, key: tuple[str, int, str], of: str) -> Spread:
        return Spread.of([one[of] for one in self._rounds[key].values()])
