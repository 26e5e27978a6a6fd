"""From counted columns to estimates: add up by block and subset, resample, score the sums."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from tokbench.api import AdditiveMetric, CountTable, Metric, WholeMetric
from tokbench.api.metric import TrainingMetric
from tokbench.api.words import read_only
from tokbench.score import count as counting
from tokbench.score.count import Columns, DistinctColumns, OtherTexts, Segmentations, attempted
from tokbench.score.resample import Floats, exact_sums
from tokbench.score.test_set import UNITS, CutTestSet, TestSet, Unit
from tokbench.significance import MINIMUM_EVENT_UNITS


@dataclass(frozen=True, eq=False)
class Estimate:
    """A metric's value, the sum of its denominator, and its value in every resample.

    `samples` is None where the metric has no interval, where there are fewer than 20 units, and
    where `events` are counted in `event_units` fewer than 10.
    """

    value: float
    n: float | None = None
    samples: Floats | None = None
    events: float | None = None
    event_units: int | None = None


NO_OTHER_TEXTS = OtherTexts()

Estimates = Mapping[tuple[str, str], Estimate]
"""Estimates by metric and subset."""

Error = tuple[str, BaseException]
"""The name of a metric, and what it raised."""


class Scores(NamedTuple):
    """The estimates of one segmentation, and the errors of metrics in the order they came up."""

    estimates: Estimates
    errors: tuple[Error, ...]


def score(
    test: TestSet,
    metrics: Mapping[str, Metric],
    segmentations: Segmentations,
    other_texts: OtherTexts = NO_OTHER_TEXTS,
) -> Scores:
    """Score every metric on every subset of a test set where it applies.

    `segmentations` are one system's, by corpus: some metrics compare two corpora. `other_texts` are
    for metrics that compare two systems, or that learn the training text.
    """
    estimates: dict[tuple[str, str], Estimate] = {}
    errors: list[Error] = []
    for name, subset, result in _scored(test, metrics, segmentations, other_texts):
        if isinstance(result, Estimate):
            estimates[name, subset] = result
        else:
            errors.append((name, result))
    for name, subset in estimates:  # of a text that is lost in part, no part has a value
        if isinstance(metrics[name], TrainingMetric) and isnan(estimates[name, "all"].value):
            estimates[name, subset] = Estimate(nan)
    return Scores(estimates, tuple(errors))


Result = tuple[str, str, Estimate | BaseException]
"""A metric, a subset, and the estimate or what the metric raised."""


class _Job(NamedTuple):
    """The columns that one metric counted, and the subset to score it on.

    They are by state or pair, or by line if the metric is `per` line; numbers by line are by block
    already.
    """

    name: str
    metric: AdditiveMetric
    columns: Columns
    subset: str = "all"

    @property
    def has_tables(self) -> bool:
        """Whether any column is a histogram."""
        return any(isinstance(column, CountTable) for column in self.columns.values())


_Places = Mapping[str, int]
"""The places of a job's columns among those of all."""

_Placed = tuple[_Job, _Places]

_Place = tuple[object, ...]
"""A metric and the places of its columns."""


def _scored(
    test: TestSet,
    metrics: Mapping[str, Metric],
    segmentations: Segmentations,
    other_texts: OtherTexts,
) -> Iterator[Result]:
    segmentation = segmentations[test.corpus.name]
    cut = CutTestSet(test, segmentation)
    counted: list[_Job] = []
    for name, metric in metrics.items():
        lacking = "context" in metric.needs and segmentation.context is None
        if lacking or not test.applies(metric, "all"):
            continue
        if isinstance(metric, WholeMetric):
            value = attempted(counting.measure, metric, segmentation)
            yield name, "all", value if isinstance(value, BaseException) else Estimate(value)
        elif isinstance(metric, AdditiveMetric):
            job = attempted(_counted, name, metric, cut, segmentations, other_texts)
            if isinstance(job, BaseException):
                yield name, "all", job
            else:
                counted.append(job)
    for unit in UNITS:
        here = [job for job in counted if job.metric.unit == unit]
        yield from _with_numbers(cut, unit, [job for job in here if not job.has_tables])
        yield from _with_tables(cut, [job for job in here if job.has_tables])


def _counted(
    name: str,
    metric: AdditiveMetric,
    cut: CutTestSet,
    segmentations: Segmentations,
    other_texts: OtherTexts,
) -> _Job:
    corpus = cut.test.corpus.name
    others = counting.inputs(metric, corpus, segmentations, other_texts)
    job = _Job(name, metric, counting.count(metric, segmentations[corpus], others))
    if metric.per != "line" or job.has_tables:
        return job
    # Blocks are fewer than lines.
    lines = cut.table(metric, "all")
    return job._replace(columns={key: lines.add_up(c) for key, c in job.columns.items()})


def _with_numbers(cut: CutTestSet, unit: Unit, counted: Sequence[_Job]) -> Iterator[Result]:
    """Score metrics that count numbers; one product resamples all their columns."""
    if not counted:
        return
    groups, placed = _by_block(cut, counted)
    columns = [column for group in groups for column in group.T]
    totals = np.concatenate([group.sum(axis=0) for group in groups])
    units = np.concatenate([np.count_nonzero(group, axis=0) for group in groups])
    events: dict[_Place, tuple[float, int] | None] = {}
    drawn: dict[str, list[_Placed]] = {}
    for job, places in placed:
        place = job.name, *places.values()
        if place in events:
            continue  # equal subsets have the same columns
        rarer = events[place] = _events(job, places, columns, totals, units)
        if _sampled(cut, job) and (rarer is None or rarer[1] >= MINIMUM_EVENT_UNITS):
            drawn.setdefault(job.name, []).append((job, places))
    sums = totals[:, None]  # exact for whole numbers
    if drawn or not all(np.array_equal(group, np.rint(group)) for group in groups):
        resamples = cut.test.weights[unit].chunks(len(columns), np.float32) if drawn else ()
        weights = chain([np.ones((1, len(groups[0])), np.float32)], resamples)
        sums = np.ascontiguousarray(exact_sums(weights, *groups).T)
    made: dict[_Place, Estimate | BaseException] = {}
    for several in drawn.values():
        made |= _score_together(cut, several, sums)
    for job, places in placed:
        place = job.name, *places.values()
        if place not in made:
            total = {name: sums[at, 0] for name, at in places.items()}
            made[place] = attempted(_estimate, cut, job, total)
        result, of = made[place], places.get(job.metric.denominator or "")
        if isinstance(result, Estimate):
            n = None if of is None else float(sums[of, 0])
            result = Estimate(result.value, n, result.samples, *(events[place] or ()))
        yield job.name, job.subset, result


def _score_together(
    cut: CutTestSet, several: Sequence[_Placed], sums: Floats
) -> Iterator[tuple[_Place, Estimate | BaseException]]:
    """Score a metric on several subsets at once; one by one if that fails on any of them."""
    (job, places), size = several[0], cut.segmentation.vocabulary.size
    columns = {
        name: read_only(sums[[at[name] for _, at in several]].reshape(-1)) for name in places
    }
    many = len(several) * sums.shape[1]
    scores = attempted(counting.score_resamples, job.metric, columns, size, many)
    if isinstance(scores, BaseException):
        alone = (_score_together(cut, [one], sums) for one in several)
        yield from chain(*alone) if len(several) > 1 else [((job.name, *places.values()), scores)]
        return
    for (_, places), own in zip(several, scores.reshape(len(several), -1), strict=True):
        value = attempted(counting.check_range, job.metric, own[:1])
        wrong = value if isinstance(value, BaseException) else None
        yield (job.name, *places.values()), wrong or Estimate(float(own[0]), samples=own[1:])


def _events(
    job: _Job, places: _Places, columns: Sequence[Floats], totals: Floats, units: Any
) -> tuple[float, int] | None:
    """Count the rarer of events and what is no event, and the blocks that hold any of it."""
    if not {*job.metric.events} <= {*places} or not job.metric.events:
        return None
    counted, *trials = (places[name] for name in job.metric.events)
    if trials and 2 * totals[counted] > totals[trials[0]]:
        others = columns[trials[0]] - columns[counted]
        return float(others.sum()), int(np.count_nonzero(others))
    return float(totals[counted]), int(units[counted])


def _by_block(cut: CutTestSet, counted: Sequence[_Job]) -> tuple[list[Floats], list[_Placed]]:
    """Add up numbers by state, pair or place to those by block: groups of columns, and each job's.

    A metric that is not by line becomes a job on each subset.
    """
    by_line = DistinctColumns()
    placed: list[_Placed] = [
        (job, by_line.add(job.columns)) for job in counted if job.metric.per == "line"
    ]
    parts = [by_line.side_by_side()] if placed else []
    begin = parts[0].shape[1] if parts else 0
    for per in {job.metric.per: None for job in counted if job.metric.per != "line"}:
        by_row = DistinctColumns()
        of_words = [(job, by_row.add(job.columns)) for job in counted if job.metric.per == per]
        rows = by_row.side_by_side()
        added: dict[CountTable, int] = {}  # of words alone, equal subsets share a table
        for subset in cut.test.subsets:
            table = cut.table(of_words[0][0].metric, subset)
            if table not in added:
                added[table] = begin
                parts.append(table.add_up(rows))
                begin += rows.shape[1]
            for job, places in of_words:
                columns = {name: added[table] + place for name, place in places.items()}
                placed.append((job._replace(subset=subset), columns))
    return parts, placed


def _with_tables(cut: CutTestSet, counted: Sequence[_Job]) -> Iterator[Result]:
    """Score metrics that count histograms; a table that several share is added up once.

    How many types a histogram has depends on how many words it counts: parts of a text, which are
    of any size, have no comparable values.
    """
    for subset in cut.test.undivided:
        times: dict[str, Floats] = {}
        sums: dict[tuple[str, int], Any] = {}
        for job in counted:
            if job.metric.per != "line" or subset == "all":
                found = attempted(_of_tables, cut, job._replace(subset=subset), times, sums)
                yield job.name, subset, found


def _of_tables(
    cut: CutTestSet, job: _Job, times: dict[str, Floats], sums: dict[tuple[str, int], Any]
) -> Estimate:
    """Score one metric; `times` and `sums` hold what the metrics before it have added up."""
    per, total = job.metric.per, {}
    if per not in times:
        times[per] = cut.table(job.metric, job.subset).totals()
    for name, column in job.columns.items():
        place = per, id(column)
        if place not in sums:
            sums[place] = _sum(column, times[per])
        total[name] = sums[place]
    estimate = _estimate(cut, job, total)
    if _sampled(cut, job):
        size = cut.segmentation.vocabulary.size
        drawn = (
            counting.score_resamples(job.metric, sums, size, n) for n, sums in _resampled(cut, job)
        )
        estimate = replace(estimate, samples=np.concatenate([*drawn]))
    return estimate


def _resampled(cut: CutTestSet, job: _Job) -> Iterator[tuple[int, Columns]]:
    """Resample columns some at a time, since histograms are wide."""
    table, columns = cut.table(job.metric, job.subset), job.columns
    widest = max(column.width for column in columns.values() if isinstance(column, CountTable))
    for drawn in cut.test.weights[job.metric.unit].chunks(widest):
        sums: dict[str, list[Any]] = {name: [] for name in columns}
        for times in map(table.totals, drawn):
            for name, column in columns.items():
                sums[name].append(_sum(column, times))
        yield len(drawn), {name: np.array(added) for name, added in sums.items()}


def _sum(column: Any, times: Floats) -> Any:
    """Add up a column, each row taken so many times."""
    return column.totals(times) if isinstance(column, CountTable) else times @ column


def _sampled(cut: CutTestSet, job: _Job) -> bool:
    return job.metric.interval and cut.test.is_resampled(job.metric.unit, job.subset)


def _estimate(cut: CutTestSet, job: _Job, sums: Columns) -> Estimate:
    """Score the sums over the whole subset."""
    denominator = job.metric.denominator
    n = None if denominator is None else float(np.sum(sums[denominator]))
    return Estimate(counting.score(job.metric, sums, cut.segmentation.vocabulary.size), n)
