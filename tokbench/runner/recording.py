"""What a run was, as plain data for its record: corpora, systems, metrics, versions, machine."""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import regex

from tokbench import __version__
from tokbench.api import AdditiveMetric, Component, InputFile
from tokbench.api.engine import active
from tokbench.config import Experiment, NamedMetric, System
from tokbench.corpora.load import Corpora, TestCorpus
from tokbench.docstrings import docstring
from tokbench.plugins import Registry
from tokbench.run_folder.record import (
    CorpusRecord,
    Cost,
    FileRecord,
    MetricRecord,
    OutcomeRecord,
    Record,
    SystemRecord,
)
from tokbench.run_folder.tables import rounded
from tokbench.runner.outcome import Outcome
from tokbench.runner.signature import given, system_signature, treatment

LIBRARIES = ("numpy", "pluggy", "pydantic", "pyyaml", "regex", "scipy")
UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{2}")


def record_of(
    experiment: Experiment,
    corpora: Corpora,
    registry: Registry,
    outcomes: Sequence[Outcome],
    costs: Sequence[Cost],
    notes: Sequence[str],
    failures: Sequence[str],
) -> Record:
    """Describe a run in plain data."""
    return Record(
        tokbench=__version__,
        name=experiment.path.stem,
        config=experiment.text,
        resolved=experiment.resolved,
        baseline=experiment.baseline,
        seed=experiment.seed,
        resamples=experiment.resamples,
        corpora=(
            _training(experiment, corpora),
            *(_corpus(experiment, test) for test in corpora.tests),
        ),
        systems=tuple(map(_system, experiment.systems)),
        metrics=tuple(map(_metric, experiment.metrics)),
        outcomes=tuple(map(_outcome, outcomes)),
        files=tuple(FileRecord(file.path.name, file.digest) for file in _files(experiment)),
        packages=_packages(experiment, outcomes, registry),
        cost=tuple(map(rounded, costs)),
        machine={
            "python": sys.version,
            "platform": platform.platform(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
        },
        engine=_engines(experiment, outcomes, registry),
        warnings=(*experiment.warnings, *corpora.warnings),
        notes=tuple(notes),
        failures=tuple(failures),
    )


def default_folder(experiment: Experiment, corpora: Corpora) -> Path:
    """Name a run after its config and the digest of what it depends on."""
    digests = [corpora.train.digest, *(test.digest for test in corpora.tests)]
    digests += [file.digest for file in _files(experiment)]
    document = json.dumps([experiment.resolved, digests], sort_keys=True)
    digest = hashlib.sha256(document.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Path("runs") / f"{experiment.path.stem}-{digest}"


def _training(experiment: Experiment, corpora: Corpora) -> CorpusRecord:
    train = corpora.train
    return CorpusRecord(
        name=train.name,
        kind="training",
        sha256=train.digest,
        words_by=train.words_by,
        treatment=treatment(experiment.train),
        running=train.running,
        distinct=len(train.words),
    )


def _corpus(experiment: Experiment, test: TestCorpus) -> CorpusRecord:
    words = test.words
    unseen = words.train_count == 0
    text = test.kind == "text"
    return CorpusRecord(
        name=test.name,
        kind=test.kind,
        sha256=test.digest,
        words_by=test.words_by,
        treatment=treatment(given(experiment, test.name)),
        running=int(words.count.sum()),
        distinct=len(words),
        lines=len(words.lines) - 1,
        unseen=int(words.count[unseen].sum()),
        unseen_distinct=int(unseen.sum()),
        gold=words.gold is not None,
        categories=tuple(sorted({*(words.category or ())} - {""})),
        unspaced=text and any(UNSPACED.search(word) for word in words.text),
    )


def _system(system: System) -> SystemRecord:
    curve = system.span is not None and system.span.curve
    return SystemRecord(
        name=system.name,
        learner=system.learner_name,
        segmenter=system.segmenter_name,
        components=system_signature(system),
        reads=system.learner.reads,
        sizes=tuple(map(str, system.sizes)),
        curve_to=system.span.last.number if system.span is not None and curve else None,
    )


def _outcome(outcome: Outcome) -> OutcomeRecord:
    vocabulary = outcome.vocabulary
    learned = len(vocabulary.learned)
    return OutcomeRecord(
        system=outcome.system.name,
        segmenter=outcome.segmenter_name,
        size=outcome.size_label,
        context=outcome.context,
        beside=outcome.beside,
        vocabulary_size=vocabulary.size,
        # A vocabulary that does not say how it was learned has no such number.
        learned=learned if learned or vocabulary.alphabet else None,
        declared=vocabulary.declared,
    )


def _metric(named: NamedMetric) -> MetricRecord:
    metric = named.metric
    return MetricRecord(
        name=named.name,
        family=metric.family,
        meaning=" ".join(docstring(type(metric)).split("\n\n")[0].split()),
        formula=metric.formula,
        range=tuple(None if abs(end) == float("inf") else float(end) for end in metric.range),
        better=metric.better,
        unit=metric.unit,
        source=metric.source,
        interval=isinstance(metric, AdditiveMetric) and metric.interval,
    )


def _files(experiment: Experiment) -> list[InputFile]:
    """Return the files that the options of all components name."""
    parts = [part for system in experiment.systems for part in _parts(system)]
    tests = (*experiment.tests.values(), *experiment.lists.values(), *experiment.gold.values())
    parts += [corpus.splitter for corpus in (experiment.train, *tests)]
    parts += [named.metric for named in experiment.metrics]
    return [file for part in parts for file in part.files]


def _parts(system: System) -> list[Component]:
    parts = (system.learner, system.segmenter, system.splitter)
    return [part for part in parts if part is not None]


def _segmenters(outcomes: Sequence[Outcome], registry: Registry) -> list[type[Component]]:
    """Return the segmenters that were used."""
    used = {outcome.segmenter_name for outcome in outcomes}
    return [o.component for o in registry.offers if o.kind == "segmenter" and o.name in used]


def _engines(
    experiment: Experiment, outcomes: Sequence[Outcome], registry: Registry
) -> dict[str, str]:
    """Name the engine that did the work of each component that has compiled code."""
    modules = {experiment.train.splitter.kernels, *(s.learner.kernels for s in experiment.systems)}
    modules |= {segmenter.kernels for segmenter in _segmenters(outcomes, registry)}
    return {module: active(module) for module in sorted(filter(None, modules))}


def _packages(
    experiment: Experiment, outcomes: Sequence[Outcome], registry: Registry
) -> dict[str, str]:
    """Return the versions of our own libraries, of all plugins, and of what components wrap."""
    parts = [type(part) for system in experiment.systems for part in _parts(system)]
    parts += _segmenters(outcomes, registry)
    wrapped = {package for part in parts for package in part.requires_version}
    wanted = {*LIBRARIES, *wrapped, *(plugin.package for plugin in registry.plugins)}
    return {name: _version(name) for name in sorted(wanted)}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # a plugin file
        return ""
