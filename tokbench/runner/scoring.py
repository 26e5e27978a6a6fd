"""Score one segmentation: every metric, on every subset where it applies."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from tokbench.api import AdditiveMetric, Segmentation, WholeMetric
from tokbench.config import NamedMetric
from tokbench.runner.bench import UNITS, Bench
from tokbench.runner.counting import counted_columns
from tokbench.runner.estimating import Estimate, Estimates, Estimating, MetricColumns, number
from tokbench.runner.failures import Failures

__all__ = ["Estimate", "score"]


def score(
    bench: Bench,
    metrics: Sequence[NamedMetric],
    segmentation: Segmentation,
    failures: Failures,
    system: str = "",
    others: Mapping[str, Segmentation] | None = None,
) -> Estimates:
    """Score every metric on every subset where it applies; keys are (metric, subset).

    A metric that fails costs only itself: it is added to `failures`, with `system` and corpus.
    `others` are the system's segmentations by corpus, which parallel texts are compared with.
    """
    place = ", ".join(part for part in (system, f"corpus {bench.corpus.name}") if part)

    def guard(name: str) -> AbstractContextManager[None]:
        return failures.guard(f"metric {name}", place)

    estimating = Estimating(bench, segmentation, guard, {})
    counted: list[MetricColumns] = []
    for named in metrics:
        metric = named.metric
        if "context" in metric.needs and segmentation.context is None:
            continue
        if bench.applies(metric, "all"):
            with guard(named.name):
                if isinstance(metric, WholeMetric):
                    value = number(metric.measure(segmentation))
                    estimating.estimates[named.name, "all"] = Estimate(value)
                elif isinstance(metric, AdditiveMetric):
                    columns = counted_columns(metric, segmentation, others)
                    found = MetricColumns(named.name, metric, columns)
                    counted.append(found if found.tables else found.by_block(bench))
    for unit in UNITS:
        here = [item for item in counted if item.metric.unit == unit]
        estimating.with_columns(unit, [item for item in here if not item.tables])
        estimating.with_tables(unit, [item for item in here if item.tables])
    return estimating.estimates
