"""What the page holds of a run: names once, then numbers that point to them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

import numpy as np
from tokbench_views.answer import answer
from tokbench_views.answer.fact import plain
from tokbench_views.by_text import MEASURES, model_costs, text_numbers
from tokbench_views.report import SPEED_MEANS, speed_table
from tokbench_views.shared import (
    ENDS_LOST_MEANS,
    GATED_MEANS,
    KINDS,
    common_size,
    first_of_learners,
    first_test,
    largest,
    main_metrics,
    parity_metric,
    trapped,
)

from tokbench.api.arrays import token_lengths
from tokbench.printing import LATEX, NARROW_MEANS, percent
from tokbench.recommend import Recommendation, recommend
from tokbench.run_folder import BAND, PERTURBED, Run, Subset, size_order
from tokbench_page.charts import charts, style
from tokbench_page.playground import playground
from tokbench_page.samples import samples
from tokbench_page.summary import criterion, first_line, title

WITH_INTERVAL = ("all", "unseen")
MOST_METRICS = 20
MOST_POINTS = 200
ALL_POINTS = 30_000
MOST_SHOWN = 12
MOST_RANKS = 60
LONGEST = 20
DIGITS = 9
"""Enough that a number that is rounded again is nearly always spelled as in the report."""
FERTILITY = "fertility"

Data = dict[str, Any]


def page_data(run: Run) -> Data:
    """Return all that the page shows of a run, ready to be written as JSON."""
    record = run.record
    names = list(dict.fromkeys(outcome.name for outcome in record.outcomes))
    metrics = main_metrics(run, MOST_METRICS)
    sizes = sorted({outcome.size for outcome in record.outcomes}, key=size_order)
    corpora = [test.name for test in record.tests]
    subsets = list(dict.fromkeys(row.subset for row in run.rows if row.subset))
    places = {(o.system, o.size, o.context): o.name for o in record.outcomes}
    reached = {(o.name, o.size): o.vocabulary_size for o in record.outcomes}
    declared = {metric.name: metric for metric in record.metrics}
    traps, recommended = trapped(run), recommend(run)
    play, shown = playground(run), first_shown(run, names, recommended)
    return {
        "name": record.name,
        "title": title(run),
        "first_line": first_line(run),
        "criterion": criterion(run, metrics, recommended),
        "gate": record.gate,
        "gated": GATED_MEANS.format(gate=percent(record.gate)),
        "lost": ENDS_LOST_MEANS,
        "narrow": NARROW_MEANS,
        "tokbench": record.tokbench,
        "corpora": [
            {"name": test.name, "kind": test.kind, "words": test.running, "by": test.words_by}
            | {"treatment": test.treatment, "unseen": test.unseen, "short": test.is_short}
            for test in record.tests
        ],
        "systems": [_system(run, name, traps) for name in names],
        "shown": shown,
        "sizes": sizes,
        "reached": [[reached.get((name, size)) for size in sizes] for name in names],
        "metrics": [
            {key: getattr(declared[name], key) for key in ("name", "better", "meaning", "formula")}
            | {"source": declared[name].source, "evidence": declared[name].evidence}
            | {"label": record.labels[name]}
            for name in metrics
        ],
        "subsets": subsets,
        "series": _series(run, (names, corpora, subsets, metrics, sizes), places),
        "curves": _curves(run, metrics),
        "kinds": KINDS,
        "unseen": [_plain(asdict(row)) for row in run.unseen],
        "growth": _growth(run, places, names),
        "ranks": _ranks(run),
        "cost": _cost(run),
        "by_text": _by_text(run),
        "model": _model(run),
        "answer": [*map(plain, answer(run, recommended))],
        "samples": samples(run, {*shown} - {*play.systems}),
        "vocabularies": play.vocabularies,
        "playable": play.systems,
        "missing": play.missing,
        "signatures": [asdict(row) for row in run.signatures],
        "charts": charts(),
        "styles": [style(rank) for rank in range(len(names))],
        "latex": LATEX,
        "sections": run.added.page,
        "failures": record.failures,
        "warnings": [*run.record.warnings, *run.record.notes],
    }


def _short(value: float | None) -> float | None:
    """Return a number without the digits that no chart or cell shows; whole ones stay whole."""
    if value is None or value != value:
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() else short


def _plain(record: Mapping[str, Any]) -> Data:
    return {name: _short(v) if isinstance(v, float) else v for name, v in record.items()}


def _system(run: Run, name: str, traps: Mapping[str, str]) -> Data:
    outcome = next(outcome for outcome in run.record.outcomes if outcome.name == name)
    system = next(system for system in run.record.systems if system.name == outcome.system)
    return {
        "name": name,
        "system": outcome.system,
        "context": outcome.context,
        "ready": system.reads == "nothing",
        "trap": traps.get(system.name, ""),
    }


def _series(
    run: Run,
    axes: tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[str], Sequence[str]],
    places: Mapping[tuple[str, str, str], str],
) -> list[list[Any]]:
    """Return values by size, low and high ends, and their signs, of each system and metric.

    Signs add up: 1 for what is gated, 2 for a length whose word ends are lost. The first four
    entries are the numbers of system, corpus, subset and metric.
    """
    systems, corpora, subsets, metrics, sizes = (
        {name: i for i, name in enumerate(axis)} for axis in axes
    )
    # Other groups of words have charts of their length, pairs those of their own metrics.
    by_any = {
        name: i
        for name, i in subsets.items()
        if name in WITH_INTERVAL or Subset.parse(name).family in (BAND, PERTURBED)
    }
    series: dict[tuple[int, ...], list[list[Any]]] = {}
    for metric, number in metrics.items():
        wanted, is_length = subsets if metric == FERTILITY else by_any, metric in run.record.lengths
        for row in run.by_metric.get(metric, ()):
            subset = wanted.get(row.subset)
            if subset is None or row.training_share != 1:
                continue
            # Lists are cut alone in every system, so that they have one context only.
            name = places.get((row.system, row.size, row.context), row.system)
            place = (systems[name], corpora[row.corpus], subset, number)
            cells = series.get(place)
            if cells is None:
                cells = series[place] = [[None] * len(sizes) for _ in range(4)]
            values, low, high, signs = cells
            at = sizes[row.size]
            if values[at] is None:
                values[at] = _short(row.value)
                lost = is_length and run.loses_word_ends(row)
                signs[at] = bool(row.gated) + 2 * lost or None
                if row.subset in WITH_INTERVAL:
                    low[at], high[at] = _short(row.low), _short(row.high)
    return [
        [*place, *(cell if cell.count(None) < len(cell) else 0 for cell in cells)]
        for place, cells in series.items()
    ]


def _curves(run: Run, metrics: Sequence[str]) -> list[list[Any]]:
    """Return the curves of all words on the first corpus: system, metric, sizes, values."""
    corpus = run.record.tests[0].name
    wanted = [
        curve
        for curve in run.curves or ()
        if (curve.corpus, curve.subset, curve.unit) == (corpus, "all", "")
        and curve.metric in metrics
    ]
    most = max(2, min(MOST_POINTS, ALL_POINTS // max(len(wanted), 1)))
    thin = []
    for curve in wanted:
        ends = max(int(curve.sizes[0]), 1), max(int(curve.sizes[-1]), 1)
        sizes = sorted({*np.rint(np.geomspace(*ends, most)).astype(int).tolist()})
        values = [_short(curve.at(size)) for size in sizes]
        thin.append([curve.system, curve.metric, sizes, values])
    return thin


def _growth(
    run: Run, places: Mapping[tuple[str, str, str], str], names: Sequence[str]
) -> list[list[Any]]:
    """Return tokens per word by share of the training text: system, subset, share, value."""
    if not run.growth:
        return []
    shown = {(o.system, o.size, o.context) for o in largest(run)}
    corpus = run.growth[0].corpus
    return [
        [row.system, row.subset, row.training_share, _short(row.value)]
        for row in run.rows
        if (row.metric, row.corpus) == (FERTILITY, corpus)
        and (row.system, row.size, row.context) in shown
        and row.subset in WITH_INTERVAL
        and row.value is not None
        and not row.gated
    ]


def _ranks(run: Run) -> list[Data]:
    """Return how often tokens occur in the first text, by rank, and how long they are."""
    text = first_test(run, "text")
    if text is None or run.is_without_text:
        return []
    ranks: list[Data] = []
    for outcome in largest(run):
        cut = run.segmentation(outcome.system, text.name, outcome.size, outcome.context)
        ids, weights = cut.ids, np.repeat(cut.count, np.diff(cut.row))
        counts = np.bincount(ids[ids >= 0], weights=weights[ids >= 0])
        ranked = np.sort(counts[counts > 0])[::-1]
        if not len(ranked):
            continue
        places = sorted({*np.rint(np.geomspace(1, len(ranked), MOST_RANKS)).astype(int)})
        lengths = np.minimum(token_lengths(cut.vocabulary)[: len(counts)], LONGEST)
        by_length = np.bincount(lengths, weights=counts) / counts.sum()
        ranks.append(
            {
                "system": outcome.name,
                "ranks": [int(place) for place in places],
                "counts": [int(ranked[place - 1]) for place in places],
                "lengths": [_short(float(share)) for share in by_length],
            }
        )
    return ranks


def _cost(run: Run) -> Data:
    """Return the seconds of learning by system, and the table of the speed of cutting.

    The `cached` systems, of which a part was learned before, have none.
    """
    learning = [cost for cost in run.record.cost if cost.step == "learn"]
    cached = dict.fromkeys(cost.system for cost in learning if cost.cached)
    seconds: dict[str, float] = {}
    for cost in learning:
        if cost.system not in cached:
            seconds[cost.system] = seconds.get(cost.system, 0.0) + cost.seconds
    return {
        "learning": [[system, _short(total)] for system, total in seconds.items()],
        "cached": [*cached],
        "speed": {**speed_table(run)._asdict(), "meaning": SPEED_MEANS},
    }


def _by_text(run: Run) -> Data | None:
    """Return what each system spends on each text, by size; None where there is one text only.

    `numbers` has a row for each system and size: these two, the Gini coefficient, whether word ends
    are lost, and for each text the values of all measures and whether it is gated.
    """
    texts = [test.name for test in run.record.tests if test.kind == "text"]
    if len(texts) < 2:
        return None
    own = [outcome for outcome in run.record.outcomes if not outcome.isolated_copy]
    rows: list[list[Any]] = []
    for (system, size), of_size in groupby(text_numbers(run, own), lambda n: (n.system, n.size)):
        numbers = [*of_size]
        cells = [[*(_short(getattr(n, of)) for of in MEASURES), n.gated] for n in numbers]
        rows.append([system, size, _short(numbers[0].gini), numbers[0].loses_word_ends, cells])
    _, reference = parity_metric(run)
    return {
        "texts": texts,
        "measures": MEASURES,
        "reference": reference,
        "size": common_size(run),
        "numbers": rows,
    }


def _model(run: Run) -> Data | None:
    """Return the table of what sizes cost in the model of the config; None where it names none."""
    costs = model_costs(run)
    return costs and {"meaning": costs[0], **costs[1]._asdict()}


def first_shown(run: Run, names: Sequence[str], recommended: Recommendation | None) -> list[str]:
    """Return the systems to show first: all, or of many those that the recommendation names.

    Then come the first of each learner, then others.
    """
    if len(names) <= MOST_SHOWN:
        return [*names]
    named = [*recommended.take] if recommended else []
    if recommended and recommended.following:
        named.append(recommended.following.system)
    learners = [outcome.name for outcome in first_of_learners(run)]
    wanted = dict.fromkeys([*named, *learners, *names])
    return [name for name in wanted if name in names][:MOST_SHOWN]
