"""Score one segmentation: every metric, on every subset where it applies."""

from collections.abc import Sequence

from tokbench.api import AdditiveMetric, Segmentation, WholeMetric
from tokbench.config import NamedMetric
from tokbench.runner.bench import UNITS, Bench
from tokbench.runner.counting import counted_columns
from tokbench.runner.estimating import Counted, Estimate, Estimates, Estimating, number
from tokbench.runner.failures import Failures

__all__ = ["Estimate", "score"]


def score(
    bench: Bench,
    metrics: Sequence[NamedMetric],
    segmentation: Segmentation,
    failures: Failures,
    system: str = "",
) -> Estimates:
    """Score every metric on every subset where it applies; keys are (metric, subset).

    A metric that fails costs only itself: it is added to `failures`, with `system` and corpus.
    """
    place = ", ".join(part for part in (system, f"corpus {bench.corpus.name}") if part)
    estimating = Estimating(bench, segmentation, failures, place, {})
    counted: list[Counted] = []
    for named in metrics:
        metric = named.metric
        if bench.applies(metric, "all"):
            with estimating.guard(named.name):
                if isinstance(metric, WholeMetric):
                    value = number(metric.measure(segmentation))
                    estimating.estimates[named.name, "all"] = Estimate(value)
                elif isinstance(metric, AdditiveMetric):
                    columns = counted_columns(metric, segmentation)
                    counted.append(Counted(named.name, metric, columns))
    for unit in UNITS:
        here = [item for item in counted if item.metric.unit == unit]
        estimating.with_columns(unit, [item for item in here if not item.tables])
        estimating.with_tables(unit, [item for item in here if item.tables])
    return estimating.estimates
