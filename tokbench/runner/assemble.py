"""All that a run found, turned into a `Run`: plain data, numbers with 12 significant digits."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokbench.api.arrays import segmentation_arrays
from tokbench.config import Experiment
from tokbench.corpora.load import Corpora, TestCorpus
from tokbench.issues import Issue, Location, failures_of, notes_of, reasons_of
from tokbench.plugins import Registry
from tokbench.run_folder import Run
from tokbench.run_folder.tables import (
    CoverageRow,
    CurveSteps,
    GrowthRow,
    SeriesKey,
    round_fields,
    rounded,
    spelled,
)
from tokbench.runner.analysing import Tables
from tokbench.runner.comparing import comparisons
from tokbench.runner.outcome import Outcome, SystemResult
from tokbench.runner.recording import record_of, signature_of_corpus, signature_of_size
from tokbench.runner.rows import all_rows
from tokbench.runner.unseen import unseen_rows
from tokbench.score.curve import Curve
from tokbench.score.resample import Floats
from tokbench.score.test_set import TestSet
from tokbench.sizes.advice import advice_of, too_few_resamples


def assemble(
    experiment: Experiment,
    corpora: Corpora,
    registry: Registry,
    tests: Sequence[TestSet],
    results: Mapping[str, SystemResult],
    issues: Sequence[Issue],
    growth: Sequence[GrowthRow],
    tables: Tables,
) -> Run:
    """Return the results of all systems, by name, as plain data.

    `issues` are those of the corpora, `growth` the unseen words by share of the training text.
    """
    # Vocabularies, timelines and curves do not name their system: these come from `results`.
    found = SystemResult.joined(results.values())
    outcomes = [*found.outcomes.values()]
    samples = _samples(outcomes)
    issues = [*issues, *found.issues, *_missing(experiment, found)]
    notes = [*notes_of(issues), *too_few_resamples(samples)]
    record = record_of(experiment, corpora, registry, found, notes, failures_of(issues), tables)
    train = corpora.train
    rows = all_rows(experiment, tests, found, reasons_of(issues))
    unseen = [row for test in tests if train for row in unseen_rows(test, train.good_turing)]
    steps = [steps_of(name, curve) for name, result in results.items() for curve in result.curves]
    return Run(
        record=record,
        rows=rows,
        comparisons=tuple(map(rounded, comparisons(experiment, found))),
        coverage=tuple(map(rounded, _coverage(outcomes, corpora.tests, experiment.gate))),
        curves=tuple(steps) if record.with_curves else None,
        advice=tuple(map(rounded, advice_of(rows, record.advising, samples, steps))),
        sizes=tuple(map(rounded, found.sizes)),
        unseen=tuple(map(rounded, unseen)),
        growth=tuple(map(rounded, growth)),
        analyses=tuple(
            row._replace(cells=round_fields(row.cells))
            for name in tables
            for row in found.analysed
            if row.analysis == name
        ),
        signatures=(
            *(
                signature_of_size(experiment, outcome.system, outcome.size)
                for outcome in outcomes
                if not outcome.record.isolated_copy
            ),
            *(signature_of_corpus(experiment, train, test) for test in corpora.tests),
        ),
        learned={
            f"{name}{suffix}": vocabulary
            for name, result in results.items()
            for suffix, vocabulary in result.vocabularies.items()
        },
        texts={test.name: test.words for test in corpora.tests},
        states={name: dict(_states(result)) for name, result in results.items()},
    )


def _missing(experiment: Experiment, found: SystemResult) -> Iterator[Issue]:
    """Note what a reader would look for in vain: results at all, and a baseline's."""
    baseline, outcomes = experiment.baseline, found.outcomes.values()
    if not outcomes:
        told = any(issue.failed for issue in found.issues)
        where = Location(part="nothing was scored")
        yield Issue("note" if told else "failed", "no system has a vocabulary", where)
    elif baseline and all(outcome.system.name != baseline for outcome in outcomes):
        where = Location(part=f"the baseline {baseline} has no results")
        yield Issue("note", "nothing is compared with it", where)


def _samples(outcomes: Sequence[Outcome]) -> dict[tuple[SeriesKey, str], Floats | None]:
    """Return the resampled values on all words, by system, corpus, metric and size."""
    return {
        ((outcome.system.name, corpus, metric), outcome.record.size): estimate.samples
        for outcome in outcomes
        if not outcome.record.isolated_copy
        for corpus, estimates in outcome.estimates.items()
        for (metric, subset), estimate in estimates.items()
        if subset == "all"
    }


def _coverage(
    outcomes: Sequence[Outcome], tests: Sequence[TestCorpus], gate: float
) -> Iterator[CoverageRow]:
    """Count what every table about coverage and cost shows, whatever the metrics are."""
    texts = {test.name for test in tests if test.kind == "text"}
    for outcome in outcomes:
        for corpus, found in outcome.segmentations.items():
            count, total = found.count, int(found.count.sum())
            tokens = found.line_tokens.astype(np.float64) if corpus in texts else None
            characters = found.line_chars.astype(np.float64)
            yield CoverageRow(
                system=outcome.system.name,
                size=outcome.record.size,
                context=outcome.contexts[corpus],
                corpus=corpus,
                oov=float(count[found.oov].sum() / total),
                lossy=float(count[~found.round_trip].sum() / total),
                gated="yes" * outcome.is_above(gate, corpus),
                kept_whole=float(count[found.kept_whole].sum() / total),
                tokens_a_line=None if tokens is None else float(tokens.mean()),
                attention_cost=(
                    None if tokens is None else float(np.sum(tokens**2) / np.sum(characters**2))
                ),
            )


def steps_of(system: str, curve: Curve) -> CurveSteps:
    """Keep a curve's first and last value, and those that differ as written from the one before."""
    values = curve.values
    same = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
    chosen = np.flatnonzero(np.append(True, ~same))
    texts = spelled(values[chosen].tolist())
    # Values may differ by less than is written.
    kept = [True, *map(ne, texts[1:], texts)]
    sizes, steps = chosen[kept], [*compress(texts, kept)]
    if sizes[-1] != len(values) - 1:
        sizes, steps = np.append(sizes, len(values) - 1), [*steps, steps[-1]]
    return CurveSteps(
        system=system,
        corpus=curve.corpus,
        subset=curve.subset,
        metric=curve.metric,
        unit=curve.points.unit,
        sizes=curve.points.asked[sizes],
        texts=steps,
    )


def _states(result: SystemResult) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays of a system's tokens: all sizes together where one replay gave them."""
    for corpus, segmentation in result.timelines.items():
        yield from segmentation_arrays(corpus, segmentation, timeline=True).items()
    if result.timelines:
        return
    for outcome in result.outcomes.values():
        for corpus, segmentation in outcome.segmentations.items():
            yield from segmentation_arrays(outcome.record.prefix(corpus), segmentation).items()
