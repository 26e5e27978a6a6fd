"""All that a run found, turned into a `Run`: plain data, numbers with the digits of its files.

Its record and its signatures say how someone else gets the same numbers.
"""

import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from inspect import cleandoc
from itertools import compress, starmap
from operator import ne
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokbench import __version__
from tokbench.api import Component, Size
from tokbench.api.component import active
from tokbench.config import DescribedCorpus, Experiment, NamedMetric, System
from tokbench.corpora.catalogue import text_size
from tokbench.corpora.corpus_reader import ReadFile
from tokbench.corpora.load import Corpora, TestCorpus, Training
from tokbench.corpora.samples import sample_lines
from tokbench.issues import Issue, Location, failures_of, is_unreached, notes_of, reasons_of
from tokbench.plugins import Registry
from tokbench.run_folder import Run
from tokbench.run_folder.arrays import segmentation_arrays
from tokbench.run_folder.record import (
    CorpusRecord,
    FileRecord,
    MetricRecord,
    Record,
    SampleLine,
    SystemRecord,
)
from tokbench.run_folder.run import in_config_order
from tokbench.run_folder.tables import (
    CoverageRow,
    CurveSteps,
    GrowthRow,
    SeriesKey,
    SignatureRow,
    round_cells,
    rounded,
    spelled,
)
from tokbench.runner.analysing import Tables
from tokbench.runner.comparing import comparisons
from tokbench.runner.results import Outcome, SystemResult, size_label
from tokbench.runner.rows import all_rows, is_length, unseen_rows
from tokbench.score.curve import Curve
from tokbench.score.resample import Floats
from tokbench.score.test_set import TestSet
from tokbench.sizes.advice import advice_of, too_few_resamples


class RanSystems(NamedTuple):
    """The results of all systems by name, with the test sets that they were scored on.

    `issues` are those of the corpora and of what systems share, `growth` the unseen words by share
    of the training text, `tables` the columns of analyses and metrics.
    """

    tests: Sequence[TestSet]
    systems: Mapping[str, SystemResult]
    issues: Sequence[Issue]
    growth: Sequence[GrowthRow]
    tables: Tables


def assemble(experiment: Experiment, corpora: Corpora, registry: Registry, ran: RanSystems) -> Run:
    """Return the results of all systems as plain data."""
    # Vocabularies, timelines and curves do not name their system: these come from `ran.systems`.
    joined = SystemResult.joined(ran.systems.values())
    outcomes = [*joined.outcomes.values()]
    samples = _samples(outcomes)
    issues = [*ran.issues, *joined.issues, *_missing(experiment, joined)]
    notes = [*notes_of(issues), *too_few_resamples(samples)]
    record = record_of(experiment, corpora, registry, joined, notes, failures_of(issues), ran)
    train = corpora.train
    rows = all_rows(experiment, ran.tests, joined, reasons_of(issues))
    unseen = [row for test in ran.tests if train for row in unseen_rows(test, train.good_turing)]
    steps = [
        steps_of(name, curve) for name, result in ran.systems.items() for curve in result.curves
    ]
    learned = {
        f"{name}{suffix}": vocabulary
        for name, result in ran.systems.items()
        for suffix, vocabulary in result.vocabularies.items()
    }
    run = Run(
        record=record,
        rows=rows,
        comparisons=tuple(map(rounded, comparisons(experiment, joined, ran.tests))),
        coverage=tuple(map(rounded, _coverage(outcomes, corpora.tests, experiment.gate))),
        curves=tuple(steps) if record.with_curves else None,
        advice=tuple(map(rounded, advice_of(rows, record.advising, samples, steps))),
        sizes=tuple(map(rounded, joined.sizes)),
        unseen=tuple(map(rounded, unseen)),
        growth=tuple(map(rounded, ran.growth)),
        analyses=tuple(
            row._replace(cells=round_cells(row.cells))
            for name in ran.tables
            for row in joined.analysed
            if row.analysis == name
        ),
        signatures=(
            *(
                signature_of_size(experiment, outcome.system, outcome.size)
                for outcome in outcomes
                if not outcome.record.isolated_copy
            ),
            *(signature_of_corpus(experiment, train, test) for test in ran.tests),
        ),
        learned={name: learned[name] for name in in_config_order(learned, record)},
        texts={test.name: test.words for test in corpora.tests},
        states={name: dict(_states(result)) for name, result in ran.systems.items()},
    )
    return run.without_text() if experiment.samples == "none" else run


def _missing(experiment: Experiment, result: SystemResult) -> Iterator[Issue]:
    """Note what a reader would look for in vain: results at all, and a baseline's."""
    baseline, outcomes = experiment.baseline, result.outcomes.values()
    if not outcomes:
        has_failed = any(issue.failed for issue in result.issues)
        where = Location(part="nothing was scored")
        yield Issue("note" if has_failed else "failed", "no system has a vocabulary", where)
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
        for corpus, segmentation in outcome.segmentations.items():
            count, total = segmentation.count, int(segmentation.count.sum())
            tokens = segmentation.line_tokens.astype(np.float64) if corpus in texts else None
            characters = segmentation.line_chars.astype(np.float64)
            yield CoverageRow(
                system=outcome.system.name,
                size=outcome.record.size,
                context=outcome.contexts[corpus],
                corpus=corpus,
                oov=float(count[segmentation.oov].sum() / total),
                lossy=float(count[~segmentation.round_trip].sum() / total),
                gated="yes" * outcome.is_above(gate, corpus),
                kept_whole=float(count[segmentation.kept_whole].sum() / total),
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
    differs = [True, *map(ne, texts[1:], texts)]
    sizes, steps = chosen[differs], [*compress(texts, differs)]
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


LIBRARIES = ("numpy", "pluggy", "pydantic", "pyyaml", "regex")
DIGITS = 6  # of a digest, in a signature


def record_of(
    experiment: Experiment,
    corpora: Corpora,
    registry: Registry,
    results: SystemResult,
    notes: Sequence[Issue],
    failures: Sequence[str],
    ran: RanSystems,
) -> Record:
    """Describe a run in plain data.

    `packages` are our own libraries, all plugins, and what components wrap; `engine` is by the
    compiled module, the one that did its work.
    """
    outcomes = tuple(outcome.record for outcome in results.outcomes.values())
    used = {("segmenter", outcome.segmenter) for outcome in outcomes}
    segmenters = [o.component for o in registry.offers if (o.kind, o.name) in used]
    parts = [part for system in experiment.systems for part in system.parts]
    train = experiment.train
    text = next((test for test in corpora.tests if test.kind == "text"), None)
    samples = {text.name: sample_lines(text)} if text else {}
    working: list[Component | type[Component]] = [*segmenters, *([train.splitter] if train else [])]
    working += [system.learner for system in experiment.systems]
    modules = {part.kernels for part in working}
    return Record(
        tokbench=__version__,
        name=experiment.path.stem,
        config=experiment.text,
        resolved=experiment.resolved,
        baseline=experiment.baseline,
        seed=experiment.seed,
        resamples=experiment.resamples,
        resample_by=experiment.resample_by,
        gate=experiment.gate,
        corpora=(
            *_training(experiment, corpora),
            *(_test(experiment, t, samples.get(t.corpus.name, {})) for t in ran.tests),
        ),
        systems=tuple(map(_system, experiment.systems)),
        metrics=tuple(map(_metric, experiment.metrics)),
        outcomes=outcomes,
        analyses={name: dict(columns) for name, columns in ran.tables.items()},
        files=tuple(
            _file(Path(file.written), file.path, file.digest, Path()) for file in experiment.files
        ),
        packages=packages_of(registry, [*parts, *segmenters]),
        cost=tuple(map(rounded, results.costs)),
        speeds=results.speeds,
        machine={
            "python": sys.version,
            "platform": platform.platform(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
        },
        engine={name: active(name) for name in sorted(filter(None, modules))},
        warnings=(*experiment.warnings, *corpora.warnings),
        unreached=tuple(note.text for note in notes if is_unreached(note)),
        notes=tuple(note.text for note in notes if not is_unreached(note)),
        failures=tuple(failures),
        path=experiment.path.as_posix(),
    )


def packages_of(
    registry: Registry, parts: Iterable[Component | type[Component]]
) -> Mapping[str, str]:
    """Return the versions of our libraries, of all plugins, and of what components wrap."""
    plugins = (plugin.package for plugin in registry.plugins)
    return {name: version_of(name) for name in sorted({*LIBRARIES, *plugins, *_wrapped(parts)})}


def signature_of_size(experiment: Experiment, system: System, size: Size | None) -> SignatureRow:
    """Sign a system and size: its components, and the versions of all that does the work."""
    beginning = system.components
    if size is not None:
        named = "merges" if size.total is None else "size"
        beginning += f"|{named}={size.number}"
    wrapped = [f"{package}={version_of(package)}" for package in _wrapped(system.parts)]
    drawn = f"resamples={experiment.resamples},seed={experiment.seed}"
    if system.training_samples:
        drawn += f",training-samples={system.training_samples}"
    end = "|".join([drawn, *wrapped, f"tokbench={__version__}"])
    return SignatureRow(system.name, size_label(size), "", beginning, end)


def signature_of_corpus(
    experiment: Experiment, train: Training | None, test_set: TestSet
) -> SignatureRow:
    """Sign a corpus: the training and test texts with digests, how words are cut, what is drawn."""
    test = test_set.corpus
    words, training = test.words_by, ""
    if train and experiment.train:
        words += f",train:{train.words_by}" if train.words_by != words else ""
        training = f"train={_signed(train.name, train.digest, experiment.train)}|"
    tested = _signed(test.name, test.digest, experiment.scored[test.name])
    beginning = f"{training}test={tested}|words={words}|by={test_set.drawing}"
    return SignatureRow("", "", test.name, beginning, "")


def _training(experiment: Experiment, corpora: Corpora) -> Iterator[CorpusRecord]:
    train = corpora.train
    if train is None or experiment.train is None:
        return
    yield CorpusRecord(
        name=train.name,
        kind="training",
        sha256=train.digest,
        words_by=train.words_by,
        treatment=experiment.train.treatment,
        running=train.running,
        distinct=len(train.words),
        between_parts=train.between_parts,
        files=_files(experiment, train.files),
    )


def _files(experiment: Experiment, files: Iterable[ReadFile]) -> tuple[FileRecord, ...]:
    folder = experiment.path.parent
    return tuple(_file(file.path, file.path, file.sha256, folder) for file in files)


def _file(named: Path, path: Path, sha256: str, folder: Path) -> FileRecord:
    name = named.relative_to(folder) if named.is_relative_to(folder) else named
    return FileRecord(name.as_posix(), sha256, text_size(path) or 0 if path.is_file() else 0)


def _test(experiment: Experiment, test_set: TestSet, samples: Mapping[int, str]) -> CorpusRecord:
    test, drawing = test_set.corpus, test_set.drawing
    words = test.words
    trained = words.train_count is not None
    return CorpusRecord(
        name=test.name,
        kind=test.kind,
        sha256=test.digest,
        words_by=test.words_by,
        treatment=experiment.scored[test.name].treatment,
        running=int(words.count.sum()),
        distinct=len(words),
        lines=len(words.lines) - 1,
        unseen=int(words.count[words.unseen].sum()) if trained else None,
        unseen_distinct=int(words.unseen.sum()) if trained else None,
        gold=words.gold is not None,
        categories=tuple(sorted({*(words.category or ())} - {""})),
        unspaced=test.unspaced,
        drawn_by=str(drawing),
        fitting_length=drawing.fitting if drawing.by == "block" else None,
        drawn_twice=drawing.twice,
        samples=tuple(starmap(SampleLine, samples.items())),
        files=_files(experiment, test.files),
    )


def _system(system: System) -> SystemRecord:
    return SystemRecord(
        name=system.name,
        learner=system.learner_name,
        segmenter=system.segmenter_name,
        components=system.components,
        reads=system.learner.reads,
        sizes=tuple(map(str, system.sizes)),
        curve_to=None if system.curve is None else system.curve.last.number,
    )


def _metric(named: NamedMetric) -> MetricRecord:
    metric = named.metric
    _, bracket, options = named.name.partition("(")
    return MetricRecord(
        name=named.name,
        family=metric.family,
        meaning=" ".join(cleandoc(type(metric).__doc__ or "").split("\n\n")[0].split()),
        formula=metric.formula,
        range=tuple(None if abs(end) == float("inf") else float(end) for end in metric.range),
        better=metric.better,
        unit=metric.unit,
        source=metric.source,
        interval=metric.interval,
        evidence=metric.evidence,
        chance=metric.chance,
        across_sizes=metric.across_sizes,
        listed=named.listed,
        is_length=is_length(metric),
        label=metric.label and " ".join(filter(None, (metric.label, bracket + options))),
    )


def _wrapped(parts: Iterable[Component | type[Component]]) -> list[str]:
    """Return the libraries whose work components do."""
    return sorted({package for part in parts for package in part.requires_version})


_version_once = cache(version)
"""Reading it takes milliseconds; a package that is missing is looked for again."""


def version_of(package: str) -> str:
    """Return the version of an installed package, else nothing."""
    try:
        return _version_once(package)
    except PackageNotFoundError:  # a plugin file, or a library that a plugin does without
        return ""


def _signed(name: str, digest: str, corpus: DescribedCorpus) -> str:
    """Name a corpus with its digest and its treatment."""
    options = f"({corpus.treatment})" if corpus.treatment else ""
    return f"{name}@{digest[:DIGITS]}{options}"
