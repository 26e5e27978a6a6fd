"""Whether the files of a run folder agree: what one names, the others know."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from tokbench.api.metric import Better
from tokbench.errors import InputError
from tokbench.run_folder.csvfile import SIZE

if TYPE_CHECKING:
    from tokbench.run_folder.run import Run


def check_names(folder: Path, run: "Run") -> None:
    """Raise InputError, with the file, where one names what another lacks, or a line is missing."""
    for file, wrong in _disagreements(run):
        raise InputError(f"{folder / file}: damaged: {wrong}")


def _disagreements(run: "Run") -> Iterator[tuple[str, str]]:
    """Yield each file that is wrong, with what is wrong in it."""
    yield from _record(run)
    for file, what, names, known in _named(run):
        for name in sorted(names - known):
            yield file, f"unknown {what} {name!r}"
    yield from _missing(run)


def _record(run: "Run") -> Iterator[tuple[str, str]]:
    record = run.record
    if not record.tests:
        yield "run.json", "it names no test corpus"
    for test in record.tests:
        if min(test.running, test.distinct) < 1:
            yield "run.json", f"corpus {test.name!r} has no words"
    sizes = [outcome.size for outcome in record.outcomes]
    for size in (*sizes, *(size for system in record.systems for size in system.sizes)):
        if size and not SIZE.fullmatch(size):
            yield "run.json", f"{size!r} is no size"


def _named(run: "Run") -> Iterator[tuple[str, str, set[str], set[str]]]:
    """Yield names by file, with what they are and those that there may be."""
    record = run.record
    systems = {system.name for system in record.systems}
    tests = {test.name for test in record.tests}
    metrics = {metric.name for metric in record.metrics}
    either = set(get_args(Better))
    curved = {system.name for system in record.systems if system.curve_to is not None}
    scored = [row for row in run.rows if row.metric or row.corpus]
    yield "run.json", "system", {outcome.system for outcome in record.outcomes}, systems
    yield "run.json", "`better`", {metric.better for metric in record.metrics}, either
    yield "results.csv", "system", {row.system for row in run.rows}, systems
    yield "results.csv", "corpus", {row.corpus for row in scored}, tests
    yield "results.csv", "metric", {row.metric for row in scored}, metrics
    yield "results.csv", "`better`", {row.better for row in scored}, either
    yield "coverage.csv", "system", {row.system for row in run.coverage}, systems
    yield "coverage.csv", "corpus", {row.corpus for row in run.coverage}, tests
    yield "advice.csv", "system", {row.system for row in run.advice}, systems
    yield "advice.csv", "corpus", {row.corpus for row in run.advice}, tests
    yield "advice.csv", "metric", {row.metric for row in run.advice}, metrics
    yield "advice.csv", "`better`", {row.better for row in run.advice}, either
    yield "sizes.csv", "system", {row.system for row in run.sizes}, systems
    yield "curves.csv", "system", {curve.system for curve in run.curves or ()}, curved
    yield "curves.csv", "corpus", {curve.corpus for curve in run.curves or ()}, tests


def _missing(run: "Run") -> Iterator[tuple[str, str]]:
    """Yield what an outcome needs and is not there, and lines of what is no outcome."""
    outcomes = {(outcome.system, outcome.size) for outcome in run.record.outcomes}
    tests = [test.name for test in run.record.tests]
    scored = {(row.system, row.size) for row in run.rows if row.metric}
    for file, found in (
        ("results.csv", scored),
        ("coverage.csv", {(row.system, row.size) for row in run.coverage}),
    ):
        for system, size in sorted(found - outcomes):
            yield file, f"system {system!r} has no outcome at size {size!r}"
    covered = {(row.system, row.size, row.corpus) for row in run.coverage}
    signed = {(row.system, row.size, row.corpus) for row in run.signatures}
    for system, size in sorted(outcomes):
        what = f"system {system!r} at size {size!r}"
        if (system, size, "") not in signed:
            yield "signatures.csv", f"no line for {what}"
        if f"{system}@{size}" not in run.learned and system not in run.learned:
            yield "vocabularies", f"no file for {what}"
        for test in tests:
            if (system, size, test) not in covered:
                yield "coverage.csv", f"no line for {what} on corpus {test!r}"
    for test in tests:
        if ("", "", test) not in signed:
            yield "signatures.csv", f"no line for corpus {test!r}"
