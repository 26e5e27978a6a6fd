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
    """All measurements of one call, by task, scale and peer; `of` is seconds or peak-mb."""

    def __init__(self, measurements: Sequence[dict[str, Any]]) -> None:
        self._rounds: dict[tuple[str, int, str], dict[int, dict[str, Any]]] = {}
        self.errors: dict[tuple[str, int, str], str] = {}
        for measurement in measurements:
            key = (measurement["task"], measurement["scale"], measurement["peer"])
            if measurement["error"]:
                self.errors[key] = measurement["error"]
            else:
                self._rounds.setdefault(key, {})[measurement["round"]] = measurement

    def scales(self, task: str) -> list[int]:
        """Return the scales at which a task was measured."""
        return sorted({scale for name, scale, _ in (*self._rounds, *self.errors) if name == task})

    def peers(self, task: str, scale: int) -> list[str]:
        """Return the peers of a task, the fastest first; those that failed are left out."""
        times = {
            peer: self.spread(task, scale, peer).median
            for name, at, peer in self._rounds
            if (name, at) == (task, scale)
        }
        return sorted(times, key=times.__getitem__)

    def spread(self, task: str, scale: int, peer: str, of: str = "seconds") -> Spread:
        """Return the seconds that count for the task, or the peak memory in MB."""
        rounds = self._rounds[task, scale, peer].values()
        return Spread.of([measurement[of] for measurement in rounds])

    def ratio(
        self, task: str, scale: int, peer: str, reference: str, of: str = "seconds"
    ) -> Spread | None:
        """Compare two peers in each round that measured both; None if no round did."""
        ours = self._rounds.get((task, scale, peer), {})
        theirs = self._rounds.get((task, scale, reference), {})
        both = sorted(ours.keys() & theirs.keys())
        return Spread.of([ours[i][of] / theirs[i][of] for i in both]) if both else None

    def answer(self, task: str, scale: int, peer: str) -> Any:
        """Return the answer of the job in its first round; None if it has no measurement."""
        rounds = self._rounds.get((task, scale, peer))
        return rounds[min(rounds)]["answer"] if rounds else None
