"""A part of the study: all systems on a text at one size, and what is written of it.

A part leaves `values.csv`, `pairs.csv` and `agreement.csv` in its folder. Values are those of
`results.csv`; resampled values, which no run folder keeps, come from the runner itself.
"""

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from agreement import Member, agreements, separable_pairs
from numpy.typing import NDArray
from systems import SYSTEMS, Studied, config
from tables import BITS, PRIMARY
from texts import Text, require_gold, write_texts

from tokbench import plugins
from tokbench.config import Experiment, load_experiment
from tokbench.plugins import Registry
from tokbench.run_folder.record import OutcomeRecord
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
    results = run_systems(experiment, corpora, registry, lambda said, share: None, Cache())
    for issue in (issue for one in results.systems.values() for issue in one.issues):
        print(f"{'failed' if issue.failed else 'note'}: {issue.text}", file=sys.stderr)
    return Scored(experiment, registry, results)


def score_part(
    text: Text, size: int, work: Path, systems: Sequence[Studied] = SYSTEMS, samples: int = 5
) -> Scored:
    """Write the texts and the config of a part into a folder, and score it."""
    folder = work / text.name
    write_texts(text, folder)
    path = folder / f"{size}{'' if len(systems) == len(SYSTEMS) else '-some'}.yaml"
    written = config(text, size, tuple(systems), samples, gold=(folder / text.gold).is_file())
    path.write_text(written, "utf-8")
    return scored(path)


def write_part(text: Text, size: int, work: Path, out: Path) -> None:
    """Score a part, and write its tables; raises InputError without gold words."""
    require_gold(text, work / text.name)
    found = score_part(text, size, work).results
    values = [*value_rows(text, size, found)]
    tables: dict[str, list[Row]] = {"values": values, "pairs": [], "agreement": []}
    for test in text.tests:
        members = [*members_of(found, test, size)]
        point = {"text": text.name, "test": test, "size": size}
        for pair in separable_pairs(members):
            tables["pairs"].append({**point, **pair})
        for one in agreements(members, PRIMARY, BITS, COMPRESSION):
            tables["agreement"].append({**point, **one})
    out.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        write_rows(out / f"{name}.csv", rows)


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write rows with the same columns as CSV, whole or not at all."""
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: spelled(value) for name, value in row.items()} for row in rows)
    partial.rename(path)


def spelled(value: object) -> object:
    """Spell numbers with 8 digits; what is undefined is empty."""
    if isinstance(value, float):
        return f"{value:.8g}" if isfinite(value) else ""
    return "" if value is None else value


def outcomes(found: RanSystems) -> Iterator[Outcome]:
    """Yield the outcomes of all systems that have one."""
    for result in found.systems.values():
        yield from result.outcomes.values()


FAMILIES = {one.name: one.family for one in SYSTEMS}


def value_rows(text: Text, size: int, found: RanSystems) -> Iterator[Row]:
    """Yield all values of a part, with intervals and the spread over training samples."""
    for outcome in outcomes(found):
        record = outcome.record
        for corpus in (*text.tests, GOLD):
            numbers = dict(numbers_of(outcome, corpus))
            for metric, (value, samples) in numbers.items():
                # Resamples of compression only order systems: see `numbers_of`.
                drawn = None if metric == COMPRESSION else samples
                low, high = (None if drawn is None else interval(drawn)) or (None, None)
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
                    "left-out": why_left_out(outcome, record, corpus, size),
                }


def numbers_of(outcome: Outcome, corpus: str) -> Iterator[tuple[str, tuple[float, Floats | None]]]:
    """Yield the values of a system on a corpus by metric, with their resamples."""
    of = outcome.estimates.get(corpus, {})
    found = {metric: one for (metric, subset), one in of.items() if subset == "all"}
    for metric, one in found.items():
        if (metric.startswith("boundary") or metric == "exact-match") == (corpus == GOLD):
            yield metric, (one.value, one.samples)
    if BITS in found:
        # All systems read the same bytes, so tokens alone order them in a resample. The bytes stay
        # those of the whole text: right for tau, which only orders, but no interval of the value.
        size, tokens = found[BITS].n, found["tokens"]
        assert size is not None
        samples = None if tokens.samples is None else size / tokens.samples
        yield COMPRESSION, (size / tokens.value, samples)


def why_left_out(outcome: Outcome, record: OutcomeRecord, test: str, size: int) -> str:
    """Say why a system is in no correlation; nothing if it is."""
    if FAMILIES[record.system] == "control":
        return "control"
    if abs(record.vocabulary_size - size) > NEAR_SIZE * size:
        return "size"
    of = outcome.estimates.get(test, {})
    if test == GOLD:
        return ""
    if (BITS, "all") not in of or not isfinite(of[BITS, "all"].value):
        return "no value"
    return "gate" if of["escaped-bytes", "all"].value > GATE else ""


def members_of(found: RanSystems, test: str, size: int) -> Iterator[Member]:
    """Yield the systems that are compared at a point."""
    for outcome in outcomes(found):
        name = outcome.record.system
        if why_left_out(outcome, outcome.record, test, size):
            continue
        numbers = {
            metric: number
            for corpus in (test, GOLD)
            for metric, number in numbers_of(outcome, corpus)
        }
        samples = range(1, outcome.system.training_samples + 1)
        values = tuple(outcome.in_sample(sample, (test, BITS, "all")) for sample in samples)
        yield Member(name, FAMILIES[name], numbers, values)


def compared_rows(rows: Iterable[Row], committed: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield test, metric, the value of each row, and that of the committed table."""
    with committed.open(encoding="utf-8", newline="") as file:
        known = {key_of(row): row["value"] for row in csv.DictReader(file)}
    for row in rows:
        yield (
            str(row["test"]),
            str(row["metric"]),
            str(spelled(row["value"])),
            known.get(key_of(row), ""),
        )


def key_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a value is of."""
    return tuple(str(row[name]) for name in ("text", "test", "size", "system", "metric"))
