"""Score some sizes of one system, or every size, by all metrics that have a curve.

What is timed is learning, the replay of the words, scoring, and the curves: what a run does once it
has read the texts.
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
    """Return the seconds, and the scores at the listed sizes, read off the curves if any."""
    from product import Prepared, curve_scores, scores

    prepared = Prepared.of(text, sizes, METRICS, every)
    begin = perf_counter()
    work = prepared.run()
    seconds = perf_counter() - begin
    found = curve_scores(work, sizes) if every else scores(work)
    return {"seconds": seconds, "scores": found, "curves": len(work.curves)}
