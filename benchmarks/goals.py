"""The limits that tokbench sets itself, each for a figure of the same call."""

from collections.abc import Iterator
from dataclasses import dataclass

from commands import WRAPPED
from figures import Figures

UNIT = {"seconds": "time", "peak-mb": "memory"}


@dataclass(frozen=True)
class Goal:
    """A figure and the most that it may be; the figure is None if it was not measured."""

    text: str
    limit: float
    figure: float | None
    unit: str = ""


RATIOS = (
    *(("learn", scale, "tokbench", "gigatoken", "seconds", 1.0) for scale in (1, 10, 100)),
    *(("learn", scale, "tokbench", "gigatoken", "peak-mb", 1.5) for scale in (1, 10, 100)),
    ("learn", 1, "tokbench python", "tokenizers", "seconds", 1.5),
    ("learn", 10, "tokbench python", "tokenizers", "seconds", 1.1),
    ("learn", 100, "tokbench python", "tokenizers", "seconds", 0.9),
    ("sweep", 1, "tokbench", "tokenizers, distinct words", "seconds", 1 / 20),
    # Plain Python has one learner and one replay, and no faster ways for short words.
    ("sweep", 1, "tokbench python", "tokenizers, distinct words", "seconds", 1 / 2),
    ("curve", 1, "tokbench, every size", "tokbench, listed sizes", "seconds", 1.5),
    ("run", 1, "tokbench", "tokenizers", "seconds", 1.0),
    ("segment", 1, "tokbench", "gigatoken", "seconds", 1.0),
    ("histogram", 1, "tokbench", "tokenization-scorer", "seconds", 1.0),
    ("oov", 1, "bands", "no bands", "seconds", 1.3),
    ("oov", 1, "noise", "bands", "seconds", 2.0),
    ("jobs", 1, "jobs: 2", "jobs: 1", "seconds", 0.65),
    ("page", 1, "with page", "without page", "seconds", 1.25),
    *(("wrap", 1, f"{name}: tokbench", f"{name}: library", "seconds", 1.2) for name in WRAPPED),
)
"""Task, scale, peer, reference, the figure, and the greatest ratio of the two."""

SECONDS = (
    ("model", "bytes, order 8", 20.0),
    ("model", "bytes, order chosen", 60.0),
    ("page", "50 systems", 1.5),
    ("start", "tokbench --version", 0.06),
    ("start", "tokbench --help", 0.12),
    ("start", "a config error", 0.3),
    ("start", "first line of a run", 0.5),
)
"""Task, peer, and the most seconds."""


def goals(figures: Figures) -> Iterator[Goal]:
    """Compare the figures with every limit."""
    for task, scale, peer, reference, of, limit in RATIOS:
        ratio = figures.ratio(task, scale, peer, reference, of)
        text = f"{task} x{scale}: {UNIT[of]} of {peer} against {reference}"
        yield Goal(text, limit, ratio and ratio.median)
    for of, limit in (("seconds", 10.0), ("peak-mb", 5.0)):
        for peer in ("tokbench", "tokbench python"):
            small, large = (_median(figures, "learn", scale, peer, of) for scale in (10, 100))
            growth = large / small if small and large else None
            yield Goal(f"learn, {peer}: {UNIT[of]} at x100 against x10", limit, growth)
    for task, peer, limit in SECONDS:
        yield Goal(f"{task}: {peer}", limit, _median(figures, task, 1, peer), "s")
    answer, seconds = figures.answer("segment", 1, "tokbench"), _median(figures, "segment")
    microseconds = 1e6 * seconds / answer["words"] if seconds else None
    yield Goal("segment: tokbench", 0.5, microseconds, "µs a word")
    answer = figures.answer("page", 1, "50 systems")
    yield Goal("page: 50 systems", 3.0, answer and answer["page-mb"], "MB")


def _median(
    figures: Figures, task: str, scale: int = 1, peer: str = "tokbench", of: str = "seconds"
) -> float | None:
    measured = peer in figures.peers(task, scale)
    return figures.spread(task, scale, peer, of).median if measured else None
