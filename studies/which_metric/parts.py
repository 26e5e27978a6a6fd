"""A part of the study: all systems on a text at one size.

A part writes `values.csv`, `pairs.csv` and `agreement.csv` into its folder. Values are those of
`results.csv`; resampled values, which no run folder keeps, come from the runner itself.
"""

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import numpy as np
from agreement import Member, agreements, compare_pairs
from numpy.typing import NDArray
from systems import SYSTEMS, Studied, config
from tables import BITS, PRIMARY, read
from texts import Text, require_gold, write_texts

from tokbench import plugins
from tokbench.config import Experiment, load_experiment
from tokbench.plugins import Registry
from tokbench.runner.assemble import RanSystems
from tokbench.runner.cache import Cache
from tokbench.runner.experiment import run_systems
from tokbench.runner.results import Outcome
from tokbench.score.resample import interval

Floats = NDArray[np.float64]
Row = Mapping[str, object]

COMPRESSION = "text-bytes-per-token"
GOLD = "gold"
NEAR_SIZE = 0.01
"""A vocabulary that misses the size by a larger share is left out."""

GATE = 0.01
"""A system that spells a larger share of the bytes is left out."""


class Scored(NamedTuple):
    """The results of a config, and what they were made with."""

    experiment: Experiment
    registry: Registry
    results: RanSystems


def scored(path: Path) -> Scored:
    """Learn, segment and score what a config asks for."""
    registry = plugins.load((), lazy=True)
    experiment = load_experiment(path, registry)
    corpora = experiment.load_corpora()
    results = run_systems(experiment, corpora, registry, lambda *_: None, Cache())
    for result in results.systems.values():
        for issue in result.issues:
            print(f"{'failed' if issue.failed else 'note'}: {issue.text}", file=sys.stderr)
    return Scored(experiment, registry, results)


def score_part(
    text: Text, size: int, work: Path, systems: Sequence[Studied] = SYSTEMS, samples: int = 5
) -> Scored:
    """Write the texts and the config of a part into a folder, and score it."""
    folder = work / text.name
    write_texts(text, folder)
    path = folder / f"{size}{'' if len(systems) == len(SYSTEMS) else '-some'}.yaml"
    document = config(text, size, tuple(systems), samples, gold=(folder / text.gold).is_file())
    path.write_text(document, "utf-8")
    return scored(path)


def write_part(text: Text, size: int, work: Path, out: Path) -> None:
    """Score a part, and write its tables; raises InputError without gold words."""
    require_gold(text, work / text.name)
    results = score_part(text, size, work).results
    pairs: list[Row] = []
    agreement: list[Row] = []
    for test in text.tests:
        members = [*members_of(results, test, size)]
        point = {"text": text.name, "test": test, "size": size}
        pairs += [{**point, **row} for row in compare_pairs(members)]
        agreement += [{**point, **row} for row in agreements(members, PRIMARY, BITS, COMPRESSION)]
    out.mkdir(parents=True, exist_ok=True)
    write_rows(out / "values.csv", [*value_rows(text, size, results)])
    write_rows(out / "pairs.csv", pairs)
    write_rows(out / "agreement.csv", agreement)


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write rows with the same columns as CSV, whole or not at all."""
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: formatted(value) for name, value in row.items()} for row in rows)
    partial.rename(path)


def formatted(value: object) -> object:
    """Write a number with 8 digits; an undefined one is empty."""
    if isinstance(value, float):
        return f"{value:.8g}" if isfinite(value) else ""
    return "" if value is None else value


def outcomes(results: RanSystems) -> Iterator[Outcome]:
    """Yield the outcomes of all systems that have one."""
    for result in results.systems.values():
        yield from result.outcomes.values()


FAMILIES = {system.name: system.family for system in SYSTEMS}


def value_rows(text: Text, size: int, results: RanSystems) -> Iterator[Row]:
    """Yield all values of a part, with intervals and the spread over training samples."""
    for outcome in outcomes(results):
        record = outcome.record
        for corpus in (*text.tests, GOLD):
            for metric, (value, samples) in numbers_of(outcome, corpus):
                # Resamples of compression only order systems: see `numbers_of`.
                resampled = samples is not None and metric != COMPRESSION
                low, high = (interval(samples) if resampled else None) or (None, None)
                yield {
                    "text": text.name,
                    "test": corpus,
                    "size": size,
                    "system": record.system,
                    "family": FAMILIES[record.system],
                    "vocabulary-size": record.vocabulary_size,
                    "metric": metric,
                    "value": value,
                    "low": low,
                    "high": high,
                    "training-sd": outcome.sample_spread((corpus, metric, "all")),
                    "left-out": why_left_out(outcome, corpus, size),
                }


def numbers_of(outcome: Outcome, corpus: str) -> Iterator[tuple[str, tuple[float, Floats | None]]]:
    """Yield the values of a system on a corpus by metric, with their resamples."""
    estimates = {
        metric: estimate
        for (metric, subset), estimate in outcome.estimates.get(corpus, {}).items()
        if subset == "all"
    }
    for metric, estimate in estimates.items():
        if (metric.startswith("boundary") or metric == "exact-match") == (corpus == GOLD):
            yield metric, (estimate.value, estimate.samples)
    if BITS in estimates:
        # All systems read the same bytes, so tokens alone order them in a resample. The bytes stay
        # those of the whole text: right for tau, which only orders, but no interval of the value.
        size, tokens = estimates[BITS].n, estimates["tokens"]
        assert size is not None
        samples = None if tokens.samples is None else size / tokens.samples
        yield COMPRESSION, (size / tokens.value, samples)


def why_left_out(outcome: Outcome, test: str, size: int) -> str:
    """Return why a system is in no correlation; empty if it is in one."""
    record = outcome.record
    if FAMILIES[record.system] == "control":
        return "control"
    if abs(record.vocabulary_size - size) > NEAR_SIZE * size:
        return "size"
    if test == GOLD:
        return ""
    estimates = outcome.estimates.get(test, {})
    if (BITS, "all") not in estimates or not isfinite(estimates[BITS, "all"].value):
        return "no value"
    return "gate" if estimates["escaped-bytes", "all"].value > GATE else ""


def members_of(results: RanSystems, test: str, size: int) -> Iterator[Member]:
    """Yield the systems that are compared at a point."""
    for outcome in outcomes(results):
        name = outcome.record.system
        if why_left_out(outcome, test, size):
            continue
        numbers = {**dict(numbers_of(outcome, test)), **dict(numbers_of(outcome, GOLD))}
        samples = range(1, outcome.system.training_samples + 1)
        values = tuple(outcome.in_sample(sample, (test, BITS, "all")) for sample in samples)
        yield Member(name, FAMILIES[name], numbers, values)


def committed_values(path: Path, rows: Iterable[Row]) -> Iterator[tuple[str, str, str, str]]:
    """Yield test, metric, the value of each row, and that of the committed table."""
    key = ("text", "test", "size", "system", "metric")
    committed = {tuple(row[name] for name in key): row["value"] for row in read(path)}
    for row in rows:
        value = committed.get(tuple(str(row[name]) for name in key), "")
        yield str(row["test"]), str(row["metric"]), str(formatted(row["value"])), value
