"""`tokbench verify`: whether a run is as it was written, and its config still gives its numbers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tokbench.api import InputError, UsageError
from tokbench.commands import (
    NOT_HELD,
    PATH,
    plugin_option,
    say,
    showing_progress,
    warn_of_plain_python,
)
from tokbench.printing import cell, counted, printable

if TYPE_CHECKING:
    from tokbench.run_folder import Run

SHOWN = 20
PLACE = (
    "metric", "system", "other", "size", "context", "corpus", "subset", "kind", "training-share",
)  # fmt: skip
"""The columns that say what a number is of."""

Cell = tuple[str, ...]
"""The place of a number: its file, what it is of, its column."""


@click.command()
@click.argument("run", type=PATH)
@click.option("--again", is_flag=True, help="Run the config of the run again and compare.")
@click.option(
    "--config",
    type=PATH,
    help="With --again: the file whose folder the paths of the config start from "
    "[default: the one that the run names].",
)
@plugin_option
def command(run: Path, again: bool, config: Path | None, plugin_files: tuple[Path, ...]) -> int:
    """Check that each file of RUN is as it was written, without any plugin.

    --again also runs the config that RUN records, on the same corpora, and compares each number,
    vocabulary and token. Nothing is written.

    Exit codes: 0 all is the same, 4 a file of RUN or a corpus is changed or missing, or does not
    belong there, 5 --again gave something else; a config that cannot be run ends as in
    `tokbench run`.
    """
    if config is not None and not again:
        raise UsageError("--config goes with --again")
    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench.commands.texts import damage

    damaged = damage(run)
    for line in damaged:
        click.echo(printable(line))
    if damaged:
        many = "1 file is" if len(damaged) == 1 else f"{len(damaged)} files are"
        say(f"error: {run}: {many} not what the run wrote")
        return InputError.exit_code
    click.echo(f"{printable(str(run))}: all data is as the run wrote it")
    return _compared(run, config, plugin_files) if again else 0


def _compared(
    folder: Path,
    config: Path | None,
    plugin_files: tuple[Path, ...],
) -> int:
    from tokbench.run_folder import Run
    from tokbench_commands.two_runs import differing_settings

    first = Run.load(folder)
    if config is None and not first.record.path:
        raise UsageError(f"{folder}: it names no config file: name one with --config")
    try:
        second = _run_again(first, config or Path(first.record.path), plugin_files)
    except InputError as error:
        hint = "" if config else "; if the config lay elsewhere, name it with --config"
        raise InputError(f"{error}{hint}") from None
    for what, *pair in differing_settings(first, second):
        click.echo(printable(_changed(what, *pair)))
    then, now = dict(_cells(first)), dict(_cells(second))
    differences = [*_differences(then, now), *_other_arrays(first, second)]
    for line in differences[:SHOWN]:
        click.echo(printable(line))
    if len(differences) > SHOWN:
        click.echo(f"... and {len(differences) - SHOWN:,} more")
    many = f"{len(then.keys() | now.keys()):,} numbers were compared"
    different = counted(len(differences), "difference")
    click.echo(f"{different}; {many}" if differences else f"equal: {many}")
    return NOT_HELD if differences else 0


def _run_again(first: "Run", config: Path, plugin_files: Sequence[Path]) -> "Run":
    """Run the config that a run records, as if it stood in the file `config`, which is not read.

    Raises InputError that names the corpora and files whose content is no longer the same.
    """
    from tokbench.commands.texts import run_config

    warn_of_plain_python()
    with showing_progress(quiet=False, verbose=False) as progress:

        def check(now: Any, corpora: Any) -> None:
            digests = {
                ("training", text.name): text.digest for text in filter(None, [corpora.train])
            }
            digests |= {(test.kind, test.name): test.digest for test in corpora.tests}
            digests |= {("file", file.path.name): file.digest for file in now.files}
            then = [((corpus.kind, corpus.name), corpus.sha256) for corpus in first.record.corpora]
            then += [(("file", file.name), file.sha256) for file in first.record.files]
            if changed := [" ".join(key) for key, digest in then if digests.get(key) != digest]:
                what = f"not the same as when the run read it: {', '.join(changed)}"
                raise InputError(f"{config}: {what}: the numbers of other texts cannot be compared")
            progress.expect_systems(now)

        text = first.record.config
        return run_config(config, plugin_files, text, check, progress.of_system)


def _cells(run: "Run") -> Iterator[tuple[Cell, str]]:
    """Yield each cell of the tables of a run, spelled as in its file, by its place."""
    from tokbench.run_folder import placed, records

    tables: dict[str, list[dict[str, Any]]] = {
        "results.csv": records(run.rows),
        "comparisons.csv": records(run.comparisons),
        "coverage.csv": records(run.coverage),
        "advice.csv": records(run.advice),
        "sizes.csv": records(run.sizes),
        "unseen.csv": records(run.unseen),
        "growth.csv": records(run.growth),
    }
    for row in run.analyses:
        record = {"system": row.system, "size": row.size, **row.cells}
        tables.setdefault(f"{row.analysis}.csv", []).append(record)
    for file, lines in tables.items():
        seen: Counter[Cell] = Counter()
        for line in lines:
            place = (placed(file), *(str(line[name]) for name in PLACE if line.get(name)))
            seen[place] += 1
            if seen[place] > 1:
                place = (*place, f"line {seen[place]}")
            yield from (
                ((*place, name), cell(value)) for name, value in line.items() if name not in PLACE
            )
    for curve in run.curves or ():
        for size, value in curve.cells():
            yield (placed("curves.csv"), *curve.names, size), value


def _differences(then: Mapping[Cell, str], now: Mapping[Cell, str]) -> Iterator[str]:
    for place in dict.fromkeys([*then, *now]):
        pair = (then.get(place), now.get(place))
        if pair[0] != pair[1]:
            yield _changed(f"{place[0]}: {', '.join(place[1:])}", *pair)


def _changed(what: str, then: str | None, now: str | None) -> str:
    return f"{what}: then {then or 'nothing'}, now {now or 'nothing'}"


def _other_arrays(first: "Run", second: "Run") -> Iterator[str]:
    """Yield the vocabularies and the tokens that are not the same."""
    import numpy as np

    for name in dict.fromkeys([*first.learned, *second.learned]):
        pair = first.learned.get(name), second.learned.get(name)
        if pair[0] != pair[1]:
            yield f"vocabularies: {name}: not the same"
    for name in dict.fromkeys([*first.states, *second.states]):
        before, after = first.states.get(name, {}), second.states.get(name, {})
        same = {*before} == {*after} and all(
            np.array_equal(before[key], after[key]) for key in before
        )
        if not same:
            yield f"segmentations: {name}: not the same"
