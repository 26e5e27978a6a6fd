"""Scores of models that others trained beside the metrics, and how well these order the models."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist, fmean, stdev
from typing import Any, NamedTuple

import numpy as np

from tokbench.api import InputError, InputFile
from tokbench.printing import Table, hint, json_text, number, printable
from tokbench.run_folder import ALPHA, Run, SystemSize, holm_by_family, size_order
from tokbench_views.shared import main_metrics

FEWEST_SYSTEMS = 10
"""With fewer systems even a strong correlation has an interval that says next to nothing."""
MOST_METRICS = 6
COLUMNS = ("system", "size", "score", "seed")
TEMPLATE = "`tokbench show RUN scores --format csv` writes a table to fill in"
TO_FILL_IN = """\
Write this table into a file with --format csv, fill in the scores of your models, and leave out the
lines of all others. Then name the file with --from.
"""
RISE, FALL, UNKNOWN = "scores rise with it", "scores fall with it", "cannot tell"
READING = f"""\
Rank correlations (Spearman) of metrics with your scores: 1 is the same order, -1 the opposite one.
Brackets: 95 % intervals. Below {FEWEST_SYSTEMS} systems there is no interval and no verdict; \
sizes of one system count once.
The verdicts hold for all metrics together (Holm's correction).
They say which metrics order these models as your scores do, not what makes a model better.
"""
MORE = f"""\
The second table has at most {MOST_METRICS} metrics, each on one corpus; --format json has all.
"""
NONE = """\
No metric can be shown: that needs two different scores, and two different values of a metric that \
can be compared (`tokbench show RUN answer` says who is not ranked).
"""

Place = tuple[str, str]
"""A system and its size."""
MetricOnCorpus = tuple[str, str]
"""A metric and a corpus."""


class Correlation(NamedTuple):
    """How a metric on a corpus orders the systems that were scored; None is undefined.

    `systems` counts systems, `vocabularies` also their sizes. `p` is after Holm's correction.
    """

    metric: str
    corpus: str
    systems: int
    vocabularies: int
    correlation: float | None
    low: float | None
    high: float | None
    p: float | None
    verdict: str


def scores_view(run: Run, file: InputFile | None, form: str) -> str:
    """Write the correlations, then the scores beside the metrics; without a file its template.

    csv holds the correlations, json both. Raises InputError for a file that does not fit the run.
    """
    if file is None:
        places = dict.fromkeys((o.system, o.size) for o in run.record.outcomes)
        template = Table(COLUMNS, [[*place, "", ""] for place in places]).to(form)
        return template if form in ("csv", "json") else f"{template}\n{TO_FILL_IN}"
    scores = read_scores(run, file)
    values = comparable_values(run, scores)
    of_metrics = correlations(scores, values)
    if form == "csv":
        return Table(Correlation._fields, of_metrics).to(form)
    if form == "json":
        points = [
            {"system": place[0], "size": place[1], "scores": of_seeds, "metric": metric}
            | {"corpus": corpus, "value": of_places[place]}
            for (metric, corpus), of_places in values.items()
            for place, of_seeds in scores.items()
            if place in of_places
        ]
        records = [row._asdict() for row in of_metrics]
        return json_text({"correlations": records, "scores": points}, indent=1) + "\n"
    return _for_reading(run, of_metrics, scores, values, form)


def read_scores(run: Run, file: InputFile) -> dict[Place, list[float]]:
    """Read the scores of each system and size, one for each seed.

    Raises InputError, with the line, for other columns, for systems and sizes that the run lacks,
    for what is no number, and for a score that is given twice.
    """
    reader = csv.DictReader(io.StringIO(file.read_text(), newline=""), restval="")
    names = reader.fieldnames or []
    if not {*COLUMNS[:3]} <= {*names}:
        shown = printable(", ".join(names)) or "none"
        expected = "system, size, score and, for several models of one, seed"
        raise InputError(
            f"{file.written}:1: found columns {shown}; expected {expected}: {TEMPLATE}"
        )
    scores: dict[Place, list[float]] = {}
    seeds = set()
    for row in reader:
        where = f"{file.written}:{reader.line_num}"
        if None in row:
            many = f"found {len(names) + len(row[None])} columns, expected {len(names)}"
            raise InputError(f"{where}: {many}: write decimals with a point")
        place = row["system"], row["size"]
        _check_place(run, where, *place)
        seed = row.get("seed", "")
        if (place, seed) in seeds:
            what = f"{SystemSize(*place)} has two scores with the seed {seed!r}"
            raise InputError(f"{where}: {what}: give each its own in the column `seed`")
        seeds.add((place, seed))
        scores.setdefault(place, []).append(_number(where, row["score"]))
    if not scores:
        raise InputError(f"{file.written}: holds no score: {TEMPLATE}")
    return scores


def _check_place(run: Run, where: str, system: str, size: str) -> None:
    """Raise InputError for a system that the run does not have, or not at this size."""
    sizes: dict[str, list[str]] = {}
    for outcome in run.record.outcomes:
        sizes.setdefault(outcome.system, []).append(outcome.size)
    if system not in sizes:
        raise InputError(f"{where}: the run has no system {system!r}; {hint(system, sizes)}")
    if size not in sizes[system]:
        there = sorted({*sizes[system]}, key=size_order)
        has = f"the run has it at {', '.join(there)}" if there != [""] else "leave its size empty"
        raise InputError(f"{where}: {system!r} at size {size!r}: {has}")


def _number(where: str, text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        what = f"found {f'the score {text!r}' if text else 'no score'}, expected a number"
        raise InputError(f"{where}: {what}: leave out lines of models that have none")
    return score


def comparable_values(
    run: Run, places: Mapping[Place, Any]
) -> Mapping[MetricOnCorpus, Mapping[Place, float]]:
    """Return the values of each metric and corpus at some places, of like systems only.

    Of values in context and alone, and of lengths with and without word ends, these are the ones
    that more places have. A metric whose values at different sizes do not compare is left out where
    sizes differ.
    """
    same_size = len({size for _, size in places}) == 1
    metrics = {m.name: m for m in run.record.metrics if m.across_sizes or same_size}
    alike: dict[tuple[MetricOnCorpus, str, bool], dict[Place, float]] = {}
    for row in run.rows:
        place = row.system, row.size
        wanted = row.metric in metrics and place in places and row.subset == "all"
        if wanted and row.value is not None and not row.gated and row.training_share == 1:
            lost = metrics[row.metric].is_length and run.loses_word_ends(row)
            kind = (row.metric, row.corpus), row.context, lost
            alike.setdefault(kind, {})[place] = row.value
    values: dict[MetricOnCorpus, dict[Place, float]] = {}
    for (key, _, _), of_places in alike.items():
        values[key] = max(values.get(key, {}), of_places, key=len)
    return values


def correlations(
    scores: Mapping[Place, Sequence[float]], values: Mapping[MetricOnCorpus, Mapping[Place, float]]
) -> list[Correlation]:
    """Correlate the values of each metric with the mean scores, over all that have both."""
    rows = []
    for key, of_places in values.items():
        systems = len({system for system, _ in of_places})
        rho = spearman([*of_places.values()], [fmean(scores[place]) for place in of_places])
        enough = rho is not None and systems >= FEWEST_SYSTEMS
        low, high, p = rank_interval(rho or 0, systems) if enough else (None, None, None)
        rows.append(Correlation(*key, systems, len(of_places), rho, low, high, p, UNKNOWN))
    corrected = holm_by_family([row.p for row in rows], [""] * len(rows))
    return [
        row._replace(p=p, verdict=_verdict(row.correlation, p))
        for row, p in zip(rows, corrected, strict=True)
    ]


def _verdict(rho: float | None, p: float | None) -> str:
    if rho is None or p is None or p >= ALPHA:
        return UNKNOWN
    return RISE if rho > 0 else FALL


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, equal values sharing a rank; None where all are equal.

    >>> spearman([1, 2, 3, 4], [10, 30, 20, 40])
    0.8
    """
    ranks = [_ranks(values) for values in (first, second)]
    if any(np.ptp(of_values) == 0 for of_values in ranks):
        return None
    return float(f"{np.corrcoef(*ranks)[0, 1]:.12g}")


def _ranks(values: Sequence[float]) -> Any:
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[at]


def rank_interval(rho: float, n: int) -> tuple[float, float, float]:
    """Return the ends of the 95 % interval of a rank correlation of n systems, and p of none.

    The standard error of its Fisher transform is sqrt((1 + rho^2 / 2) / (n - 3)) (Bonett and Wright
    2000, Sample size requirements for estimating Pearson, Kendall and Spearman correlations). A
    correlation of 1 is taken as the next one that n ranks can have.
    """
    most = 1 - 12 / (n * (n * n - 1))  # the transform of 1 is infinite
    center = math.atanh(max(-most, min(most, rho)))
    width = NormalDist().inv_cdf(1 - ALPHA / 2) * math.sqrt((1 + rho * rho / 2) / (n - 3))
    p = math.erfc(abs(center) * math.sqrt((n - 3) / 2))
    return min(rho, math.tanh(center - width)), max(rho, math.tanh(center + width)), p


def _for_reading(
    run: Run,
    of_metrics: Sequence[Correlation],
    scores: Mapping[Place, Sequence[float]],
    values: Mapping[MetricOnCorpus, Mapping[Place, float]],
    form: str,
) -> str:
    """Write the correlations, and the mean scores beside main metrics, the best score first.

    Metrics that are the same for all are left out. A line says why no metric is left, or where
    those are that the second table lacks.
    """
    labels = run.record.labels
    defined = [row for row in of_metrics if row.correlation is not None]
    lines = [(labels[c.metric], c.corpus, c.systems, _shown(c), c.verdict) for c in defined]
    corpora = {row.metric: row.corpus for row in reversed(defined)}  # the first of each metric
    shown = [(name, corpora[name]) for name in main_metrics(run) if name in corpora][:MOST_METRICS]
    beside = [
        (
            str(SystemSize(*place)),
            number(fmean(of_seeds)),
            number(stdev(of_seeds)) if len(of_seeds) > 1 else "",
            *(number(values[key].get(place)) for key in shown),
        )
        for place, of_seeds in sorted(scores.items(), key=lambda item: -fmean(item[1]))
    ]
    titles = [f"{labels[metric]}, {corpus}" for metric, corpus in shown]
    correlations = Table(
        ("metric", "corpus", "systems", "rank correlation", "verdict"), lines, right=2
    )
    means = Table(("system", "score", "sd of seeds", *titles), beside, right=1)
    more = [MORE] if len(shown) < len(defined) else []
    return "\n".join([READING, correlations.to(form) if defined else NONE, means.to(form), *more])


def _shown(row: Correlation) -> str:
    if row.low is None or row.high is None:
        return number(row.correlation)
    return f"{number(row.correlation)} ({number(row.low)} to {number(row.high)})"
