"""`tokbench reproduce`: the config of a run again, and which of its numbers come out again."""

import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile, ZipFile

import click

from tokbench.api import InputError, UsageError, models_folders
from tokbench.commands import (
    NOT_HELD,
    PATH,
    Limits,
    core,
    files_of,
    load,
    plugin_option,
    read_catalogue,
    read_value,
    recognise_corpus,
    run_folder,
    say,
    search_folders,
    shipped_folder,
    showing_progress,
    text_digest,
    warn_of_plain_python,
    with_additions,
    write_views,
)
from tokbench.printing import printable
from tokbench_commands.pack import RUN, TEXTS, places
from tokbench_commands.shared import reading
from tokbench_commands.two_runs import differing_settings

SHOWN = 20
TABLES = (
    "results", "comparisons", "coverage", "advice", "sizes", "unseen", "growth", "curves",
)  # fmt: skip
"""The tables that hold numbers of any run."""
PLACE = (
    "metric", "system", "other", "size", "context", "corpus", "subset", "kind", "training-share",
)  # fmt: skip
"""The columns that say what a number is of."""

Cell = tuple[str, ...]
"""The place of a number: its file, what it is of, its column."""


@click.command()
@click.argument("run", metavar="RUN", type=PATH)
@click.option(
    "--texts",
    "folders",
    metavar="FOLDER",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder where texts and other files of the config are, under any names, at any depth.",
)
@click.option("-o", "--output", type=PATH, help="Write the new run into this folder.")
@plugin_option
def command(
    run: Path, folders: tuple[Path, ...], output: Path | None, plugin_files: tuple[Path, ...]
) -> int:
    """Run the config of RUN again, and say which numbers, vocabularies and tokens are the same.

    RUN is a run folder, or the zip file of `tokbench pack`. Texts are found by their digests: in
    the zip file, where the config names them, in --texts, among the texts that are part of
    tokbench, and in the folders of `tokbench corpora` and `models`. A plugin file is used
    only if --plugin names it.

    Exit codes: 0 all is the same, 4 a file of RUN or a text is changed or missing, 5 something
    came out differently; a config that cannot be run ends as in `tokbench run`.
    """
    if output is not None and output.exists():
        raise UsageError(f"{output}: already exists: choose another name")
    with TemporaryDirectory(prefix="tokbench-") as work:
        try:
            return _reproduced(run, Path(work), folders, output, plugin_files)
        except (InputError, UsageError) as error:  # no reader knows the temporary folder
            kind = InputError if isinstance(error, InputError) else UsageError
            raise kind(str(error).replace(f"{work}{os.sep}", f"{run}: ")) from None


def _reproduced(
    run: Path,
    work: Path,
    folders: Iterable[Path],
    output: Path | None,
    plugin_files: Sequence[Path],
) -> int:
    """Run the config of a run again, with its files in the folder `work`; return the exit code."""
    if run.is_file():
        unpack(run, work)
    first = run_folder.Run.load(work / RUN if run.is_file() else run)
    with reading(run):
        _check_plugins(run, first.record, plugin_files)
        config = _gathered(run, first.record, work / TEXTS, folders)
        text = _with_relative_paths(first.record)
    with _naming_lacking_packages(first.record):
        second = _run_again(run, first, (config, text), plugin_files)
    if output is not None:
        registry = load(plugin_files, lazy=True)
        views, failures = files_of(registry)
        run_folder.write_run(output, second, dict.fromkeys(views))
        shown, unadded = with_additions(second, registry)
        _, unmade = write_views(output, shown, registry, views, Limits())
        for failure in (*failures, *unadded, *unmade):
            say(f"failed: {failure}")
    with reading(run):
        lines, is_equal = _compared(
            first, second.without_text() if first.is_without_text else second
        )
    for line in lines:
        click.echo(printable(line))
    return 0 if is_equal else NOT_HELD


def unpack(archive: Path, folder: Path) -> None:
    """Unpack what `tokbench pack` wrote; raises InputError for a damaged file or no zip file."""
    try:
        with ZipFile(archive) as packed:
            packed.extractall(folder)  # which writes nothing outside, and no links
    except (BadZipFile, EOFError, RuntimeError, ValueError, OSError, zlib.error) as error:
        what = getattr(error, "strerror", None) or error  # without a path that no reader knows
        raise InputError(f"{archive}: not a whole archive of `tokbench pack`: {what}") from None


def _check_plugins(run: Path, record: "run_folder.Record", plugin_files: Iterable[Path]) -> None:
    """Raise UsageError for plugin files that a run used and that are not named."""
    used = {Path(name).name for name in record.packages if name.endswith(".py")}
    if missing := sorted(used - {file.name for file in plugin_files}):
        what = "plugin files are never packed: read them, then name each with --plugin"
        raise UsageError(f"{run}: its run used {', '.join(missing)}; {what}")


@contextmanager
def _naming_lacking_packages(record: "run_folder.Record") -> Iterator[None]:
    """Add to a UsageError the packages that were there at the run and are not here.

    A run records all plugins, also those that it did without, so that none is asked for before.
    """
    try:
        yield
    except UsageError as error:
        packages = {name: v for name, v in record.packages.items() if v and name[-3:] != ".py"}
        lacking = [f"{name}=={v}" for name, v in packages.items() if not _is_installed(name)]
        if not lacking:
            raise
        how = f"not installed here, as it was at the run: pip install {' '.join(lacking)}"
        raise UsageError(f"{error}\n{how}") from None


def _is_installed(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def _gathered(run: Path, record: "run_folder.Record", texts: Path, folders: Iterable[Path]) -> Path:
    """Link below `texts` each file that the config names; return where the config would stand.

    Raises InputError that names all files of corpora that are missing, and how to get them.
    """
    files = record.files_by_name
    config, place_of = places(files)
    below = [f for folder in folders for f in (folder, *sorted(folder.rglob("*"))) if f.is_dir()]
    searched = [*below, shipped_folder("corpora"), *search_folders(), *models_folders()]
    (texts / config).mkdir(parents=True, exist_ok=True)  # paths may lead up from it
    of_corpora = {file.name for corpus in record.corpora for file in corpus.files}
    missing = []
    for name, file in files.items():
        path = texts / place_of[name]
        near = Path(record.path).parent / name
        if path.is_file() and text_digest(path) == file.sha256:
            continue
        path.unlink(missing_ok=True)
        if there := _found(file, near, searched):
            path.parent.mkdir(parents=True, exist_ok=True)
            # It stands where the config names it, so that names and signatures stay the same.
            try:
                path.symlink_to(there.resolve())
            except OSError:  # Windows lets few users make links
                copyfile(there, path)
        elif name in of_corpora:
            missing.append(_missing(file, near))
    if missing:
        have = "name a folder that has them with --texts"
        raise InputError(f"{run}: texts are missing: {'; '.join(missing)}; {have}")
    return texts / config / f"{Path(record.name).name}.yaml"


def _found(file: "run_folder.FileRecord", near: Path, folders: Iterable[Path]) -> Path | None:
    """Find a file by its digest, first where the config names it."""
    with suppress(InputError):
        if near.is_file() and text_digest(near) == file.sha256:
            return near
    alike = (recognise_corpus(file.sha256, file.bytes, folder) for folder in folders)
    return next((path for path in alike if path and path.suffix == near.suffix), None)


def _missing(file: "run_folder.FileRecord", near: Path) -> str:
    other = f", but {near} holds another text" if near.is_file() else ""
    names = [name for name, entry in read_catalogue().items() if entry.sha256 == file.sha256]
    get = f", `tokbench corpora get {names[0]}` downloads it" if names else ""
    return f"{file.name} (SHA-256 {file.sha256}, {file.bytes:,} bytes{other}{get})"


def _run_again(
    run: Path, first: "run_folder.Run", config: tuple[Path, str], plugin_files: Sequence[Path]
) -> "run_folder.Run":
    """Run the config of a run; `config` is a file, and the text that is read as if it stood there.

    Raises InputError that names the corpora and files whose content is no longer the same.
    """
    warn_of_plain_python()
    path, text = config
    with showing_progress(quiet=False, verbose=False) as progress:

        def check(now: Any, corpora: Any) -> None:
            digests = {
                ("training", text.name): text.digest for text in filter(None, [corpora.train])
            }
            digests |= {(test.kind, test.name): test.digest for test in corpora.tests}
            then = {(corpus.kind, corpus.name): corpus.sha256 for corpus in first.record.corpora}
            changed = [" ".join(key) for key, digest in then.items() if digests.get(key) != digest]
            there = {file.digest for file in now.files}
            changed += [f"file {f.name}" for f in first.record.files if f.sha256 not in there]
            if changed:
                what = f"not the same as when the run read it: {', '.join(changed)}"
                raise InputError(f"{run}: {what}: the numbers of other texts cannot be compared")
            progress.expect(len(now.systems))

        second = core.run_config(path, plugin_files, text, check, progress.of_system)
    return replace(second, record=replace(second.record, path=first.record.path))


def _with_relative_paths(record: "run_folder.Record") -> str:
    """Return the config with each absolute path as `places` takes it."""
    folder, paths = Path(record.path).parent, dict[str, str]()

    def look(value: Any) -> None:
        if isinstance(value, dict | list):
            for part in value.values() if isinstance(value, dict) else value:
                look(part)
        elif isinstance(value, str) and Path(value).is_absolute():
            is_below = Path(value).is_relative_to(folder)
            below = Path(value).relative_to(folder).as_posix() if is_below else value.lstrip("/")
            paths[value] = below

    look(read_value(record.config))
    if not paths:
        return record.config
    longest_first = "|".join(map(re.escape, sorted(paths, key=len, reverse=True)))
    return re.sub(rf"(?<![\w.])(?:{longest_first})", lambda path: paths[path[0]], record.config)


def _compared(first: "run_folder.Run", second: "run_folder.Run") -> tuple[list[str], bool]:
    """Say in lines what differs in the settings and results of two runs, and whether nothing does.

    Settings that differ make no difference of results by themselves.
    """
    settings = [*differing_settings(first, second)]
    then, now = dict(_cells(first)), dict(_cells(second))
    places = dict.fromkeys([*then, *now])
    different = [place for place in places if then.get(place) != now.get(place)]
    within = {place for place in different if _is_within(place[:-1], then, now)}
    changes = [*_other_arrays(first, second)]
    for place in sorted(different, key=within.__contains__):
        what = _changed(f"{place[0]}: {', '.join(place[1:])}", then.get(place), now.get(place))
        changes.append(what + " (within its interval)" * (place in within))
    lines = [*(_changed(*setting) for setting in settings), *changes[:SHOWN]]
    if len(changes) > SHOWN:
        lines.append(f"... and {len(changes) - SHOWN:,} more")
    if changes:
        lines.append(
            f"{len(places):,} numbers were compared: {len(places) - len(different):,} are equal,"
            f" {len(within):,} within their interval, {len(different) - len(within):,} different"
        )
        causes = ", ".join(setting.what for setting in settings)
        unknown = "nothing above; then a plugin file changed, or a learner varies from run to run"
        lines.append(f"possible causes: {causes or unknown}")
    else:
        lines.append(f"equal: {len(places):,} numbers were compared")
    return lines, not changes


def _is_within(row: Cell, then: Mapping[Cell, str], now: Mapping[Cell, str]) -> bool:
    """Return whether the new value of a row of results is in the interval of the old one."""
    low, high, value = then.get((*row, "low")), then.get((*row, "high")), now.get((*row, "value"))
    is_bounded = row[0] == "results.csv" and low and high and value
    return bool(is_bounded) and float(low or 0) <= float(value or 0) <= float(high or 0)


def _cells(run: "run_folder.Run") -> Iterator[tuple[Cell, str]]:
    """Yield each cell of the tables of a run, spelled as in its file, by its place."""
    for table in (*TABLES, *run.record.analyses):
        columns, lines = run.lines(table)
        seen: Counter[Cell] = Counter()
        for line in lines:
            cells = dict(zip(columns, line, strict=True))
            place = (
                run_folder.placed(f"{table}.csv"),
                *(cells[name] for name in PLACE if cells.get(name)),
            )
            seen[place] += 1
            if seen[place] > 1:
                place = (*place, f"line {seen[place]}")
            yield from (((*place, name), text) for name, text in cells.items() if name not in PLACE)


def _changed(what: str, then: str | None, now: str | None) -> str:
    return f"{what}: then {then or 'nothing'}, now {now or 'nothing'}"


def _other_arrays(first: "run_folder.Run", second: "run_folder.Run") -> Iterator[str]:
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
