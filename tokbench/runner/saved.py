"""What a run folder tells about sizes, read back from its files alone."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tokbench.errors import InputError, UsageError
from tokbench.runner.csvfile import CsvFile
from tokbench.runner.series import Key, Series, Value, changes_of, listed_series, number
from tokbench.runner.sizing import COLUMNS, Sizing

FORMAT = 1
RESULTS = ("system", "corpus", "metric", "subset", "better", "size", "value", "vocabulary-size")
CURVES = ("system", "corpus", "metric", "subset", "size", "value")
ADVICE = ("system", "corpus", "metric", "not-worse-size")
NOT_RECOMPUTED = ("advice.csv", "sizes.csv")

Written = dict[Key, list[tuple[str, float | None]]]
"""The lines of curves.csv: sizes and values by system, corpus and metric."""


@dataclass(frozen=True, eq=False)
class SavedRun:
    """The series and sizings of a run, and the systems and corpora that it has results of."""

    series: tuple[Series, ...]
    sizings: tuple[Sizing, ...]
    systems: tuple[str, ...]
    corpora: tuple[str, ...]


def read_run(folder: Path) -> SavedRun:
    """Read a run folder, without any plugin.

    Raises UsageError for a folder that is no run, InputError for files that are missing, damaged
    or of another format.
    """
    _check(folder)
    results = CsvFile(folder / "results.csv", RESULTS)
    rows = list(results.lines())
    series = listed_series(_values(results, rows))
    curves = changes_of(_curves(folder / "curves.csv"), series)
    not_worse = _not_worse(CsvFile(folder / "advice.csv", ADVICE))
    return SavedRun(
        series=tuple(
            replace(one, curve=curves.get(one.key), not_worse=not_worse.get(one.key))
            for one in series
        ),
        sizings=tuple(_sizings(CsvFile(folder / "sizes.csv", COLUMNS))),
        systems=tuple(dict.fromkeys(row[0] for _, row in rows)),
        corpora=tuple(dict.fromkeys(row[1] for _, row in rows)),
    )


def _check(folder: Path) -> None:
    try:
        if not folder.is_dir():
            what = "is a file, not a run folder" if folder.exists() else "there is no such folder"
            raise InputError(f"{folder}: {what}")
    except OSError as error:  # a name that is too long
        raise InputError(f"{folder}: cannot be read: {error.strerror or error}") from None
    try:
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except OSError:
        record = None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{folder / 'run.json'}: damaged: {error}") from None
    if not isinstance(record, dict) or "tokbench" not in record:
        raise UsageError(f"{folder}: not a run of tokbench (no run.json of ours)")
    if record.get("format") != FORMAT:
        raise InputError(
            f"{folder}: a run of format {record.get('format')!r}, this version reads {FORMAT}"
        )
    wanted = (*NOT_RECOMPUTED, "curves.csv") if _asked_for_curves(record) else NOT_RECOMPUTED
    missing = [name for name in wanted if not (folder / name).exists()]
    if missing:
        raise InputError(f"{folder}: {' and '.join(missing)} missing: run the config again")


def _asked_for_curves(record: dict[str, Any]) -> bool:
    """Tell whether the config of a run, as run.json holds it, asked for curves."""
    resolved = record.get("resolved")
    systems = resolved.get("systems") if isinstance(resolved, dict) else None
    return any(
        isinstance(sizes, dict) and sizes.get("curve") is True
        for system in (systems if isinstance(systems, list) else ())
        if isinstance(system, dict)
        for sizes in (system.get("sizes"), system.get("merges"))
    )


def _values(results: CsvFile, rows: list[tuple[int, tuple[str, ...]]]) -> Iterator[Value]:
    """Give the defined values at listed sizes, subset `all`."""
    for line, (system, corpus, metric, subset, better, size, text, total) in rows:
        value = results.number(line, text) if subset == "all" and size else None
        if value is not None:
            tokens = results.whole(line, total) or 0
            yield (system, corpus, metric), better, results.size(line, size), value, tokens


def _not_worse(file: CsvFile) -> dict[Key, str | None]:
    return {
        (system, corpus, metric): file.size(line, size) if size else None
        for line, (system, corpus, metric, size) in file.lines()
    }


def _curves(path: Path) -> Written:
    """Read the curves on all words; a run that was asked for none has no such file."""
    written: Written = {}
    if not path.exists():
        return written
    file = CsvFile(path, CURVES)
    before = 0
    for line, (system, corpus, metric, subset, size, text) in file.lines():
        if subset == "all":
            at = number(file.size(line, size))
            points = written.setdefault((system, corpus, metric), [])
            if points and at <= before:
                raise file.fault(line, f"size {size} stands after {before}")
            points.append((size, file.number(line, text)))
            before = at
    return written


def _sizings(file: CsvFile) -> Iterator[Sizing]:
    for line, (system, size, *cells) in file.lines():
        vocabulary_size, tokens, imbalance, frequency, *rest = cells
        yield Sizing(
            system,
            file.size(line, size),
            file.whole(line, vocabulary_size) or 0,
            file.whole(line, tokens) or 0,
            file.number(line, imbalance),
            file.whole(line, frequency),
            *(file.number(line, cell) for cell in rest),
        )
