"""Score some sizes of one system, or every size, by all metrics that have a curve.

The clock covers everything that a run does once it has read the texts: it learns, replays the
words, scores, and makes the curves.
"""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

METRICS = (
    "round-trip", "unseen-words-running", "unseen-words-distinct", "oov-words-running",
    "oov-words-distinct", "unknown-tokens", "unknown-characters", "kept-whole-running",
    "kept-whole-distinct", "single-characters", "tokens", "fertility", "chars-per-token",
    "bytes-per-token",
)  # fmt: skip


def run(name: str, text: str, sizes: Sequence[int], every: bool) -> dict[str, Any]:
    """Return the seconds, the scores at the listed sizes, and the number of curves."""
    from product import curve_scores, prepare, scores

    work = prepare(text, sizes, METRICS, every)
    begin = perf_counter()
    result = work()
    seconds = perf_counter() - begin
    return {
        "seconds": seconds,
        "scores": curve_scores(result, sizes) if every else scores(result),
        "curves": len(result.curves),
    }
