"""The run folder: checked before anything is learned, written whole, replaced whole."""

import os
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tokbench.errors import InputError, UsageError
from tokbench.printing import cell
from tokbench.run_folder import disk
from tokbench.run_folder.arrays import save, words_arrays
from tokbench.run_folder.lock import beside, locked, settle, writing
from tokbench.run_folder.run import TABLES, Run, file_name
from tokbench.run_folder.seal import RECORD, SEAL, SealedFolder, read_document, seal, unsealed
from tokbench.run_folder.tables import write_curves, write_lines, write_table

FOLDERS = ("segmentations", "vocabularies")


@contextmanager
def locked_for_run(
    folder: Path, documents: Collection[str] = (), read: Iterable[Path] = ()
) -> Iterator[list[str]]:
    """Find out before the work that a run folder can be written there, and lock it.

    Return what was restored or removed of a process that had been killed.

    `documents` are the files that people read, which may stand in an older run's folder; `read`
    those that the run reads, which must not be replaced with the folder. Raises
    UsageError for an existing folder that holds anything but a run of ours, InputError where
    nothing can be written, or another process is writing.
    """
    read = [*read]
    with writing(folder):
        _check_old(folder, documents, read)
        disk.make_folder(folder.parent)
    with locked(folder) as notes:
        with writing(folder):  # again: what a killed process had left may just have come there
            _check_old(folder, documents, read)
        yield notes


def _check_old(folder: Path, documents: Collection[str], read: Iterable[Path] = ()) -> None:
    if objection := _objection(folder, documents, read):
        raise UsageError(f"{folder}: {objection}: choose another folder, nothing was touched")


def _objection(folder: Path, documents: Collection[str], read: Iterable[Path] = ()) -> str:
    """Say why a finished run must not replace what is there; nothing where it may."""
    if not os.path.lexists(folder):
        return ""
    if not folder.is_dir() and not folder.is_symlink():
        return "the output must be a folder, this is a file"
    around = Path.cwd().resolve().is_relative_to(folder.resolve())
    if folder.is_symlink() or folder.is_mount() or around:
        return (
            "a link, a mount point, the current folder or one above it cannot be replaced by a "
            "finished run"
        )
    if not os.access(folder, os.W_OK):
        return "is protected against changes"
    document = read_document(folder)
    if document is None and any(folder.iterdir()):
        return f"neither empty nor a run of tokbench (no {RECORD} of ours)"
    inside = [path.name for path in read if path.resolve().is_relative_to(folder.resolve())]
    if lost := sorted(_foreign(folder, document or {}, documents)) or inside:
        return f"holds {', '.join(lost[:3])}, which would be lost with the older run"
    return ""


def _foreign(
    folder: Path, document: Mapping[str, Any], documents: Collection[str]
) -> Iterator[str]:
    """Yield what a run folder holds beside the files that the run of that document wrote."""
    ours = {RECORD, *documents, *document.get(SEAL, ())}
    for path in chain(folder.iterdir(), *((folder / name).glob("*") for name in FOLDERS)):
        name = path.relative_to(folder).as_posix()
        of_run = name in FOLDERS if path.is_dir() else name in ours
        if not of_run or (path.is_symlink() and name in FOLDERS):
            yield name


def write_run(
    folder: Path,
    run: Run,
    documents: Mapping[str, str | None] = MappingProxyType({}),
    is_locked: bool = False,
) -> None:
    """Write a run beside `folder`, then put it in its place; an older run goes only then.

    `documents` are further text files by name, for example the report; None for one that is made
    later. Unless the folder `is_locked`, it is
    locked for the writing. Raises InputError where nothing can be written or another process is
    writing, and where `folder` meanwhile holds what would be lost with it: the run is then whole
    under a name that the error says.
    """
    if not is_locked:
        with locked(folder):
            write_run(folder, run, documents, is_locked=True)
        return
    new = beside(folder, f"new-{secrets.token_hex(8)}")
    with writing(folder):
        try:
            new.mkdir()
            _fill(new, run, {name: text for name, text in documents.items() if text is not None})
            disk.sync_tree(new)
            _replace(new, folder, documents)
        finally:
            if new.exists():
                shutil.rmtree(new, ignore_errors=True)


def write_documents(folder: Path, documents: Mapping[str, str]) -> None:
    """Replace text files of a run folder, each in one step; the folder must be locked.

    They are not sealed: they can be made again from the data. Raises InputError where nothing can
    be written.
    """
    document = read_document(folder) or {}
    texts = dict(documents)
    if record := unsealed(document, documents):
        texts = {RECORD: record, **texts}  # first, so that no document is ever another than sealed
    with writing(folder):
        for name, text in texts.items():
            new = beside(folder, f"new-{secrets.token_hex(8)}")
            try:
                disk.write(new, text)
                os.replace(new, folder / name)
            finally:
                new.unlink(missing_ok=True)
        disk.sync(folder)


def damage(folder: Path) -> list[str]:
    """Return what is not as the run wrote it: files changed, missing, or not of the run.

    Raises what `SealedFolder.open` does.
    """
    settle(folder)
    files = SealedFolder.open(folder)
    found = []
    for name, digest in files.digests.items():
        if name == RECORD or digest is None:
            continue
        try:
            files.read(name)
        except InputError as error:
            found.append(str(error))
    more = sorted(_foreign(folder, {SEAL: files.digests}, ()))
    return [*found, *(f"{folder / name}: does not belong there" for name in more)]


def _fill(folder: Path, run: Run, documents: Mapping[str, str]) -> None:
    for name in FOLDERS:
        (folder / name).mkdir()
    for table, (rows, kind) in TABLES.items():
        write_table(folder / f"{table}.csv", kind, getattr(run, rows))
    for name, kinds in run.record.analyses.items():
        found = (row for row in run.analyses if row.analysis == name)
        lines = ([row.system, row.size, *map(cell, row.cells.values())] for row in found)
        write_lines(folder / f"{name}.csv", ("system", "size", *kinds), lines)
    if run.curves is not None:
        write_curves(folder / "curves.csv", run.curves)
    for name, vocabulary in run.learned.items():
        _write(folder / "vocabularies" / f"{file_name(name)}.json", vocabulary.to_json())
    for name, arrays in run.states.items():
        save(folder / "segmentations" / f"{file_name(name)}.npz", arrays)
    words = [words_arrays(name, words) for name, words in run.texts.items()]
    save(folder / "words.npz", {name: array for one in words for name, array in one.items()})
    for name, text in documents.items():
        _write(folder / name, text)
    _write(folder / RECORD, seal(folder, asdict(run.record), documents))


def _replace(new: Path, folder: Path, documents: Collection[str]) -> None:
    """Put a finished folder where an older run may stand, which goes only when all is done."""
    if not os.path.lexists(folder):
        os.rename(new, folder)
        disk.sync(new.parent)
        return
    if objection := _objection(folder, documents):  # again: the run may have taken days
        kept = _free_name(folder)
        os.rename(new, kept)
        disk.sync(new.parent)
        raise InputError(f"{folder}: {objection}; it was not touched, the new run is in {kept}")
    old = beside(folder, f"old-{secrets.token_hex(8)}")
    os.rename(folder, old)  # whoever finds no folder, and this, puts it back
    try:
        os.rename(new, folder)
    except BaseException:
        if not os.path.lexists(folder):
            os.rename(old, folder)
        raise
    disk.sync(new.parent)
    shutil.rmtree(old, ignore_errors=True)


def _free_name(folder: Path) -> Path:
    """Find a name beside a folder that nothing has, no longer than a name may be."""
    stem = folder.name.encode("utf-8", "surrogateescape")[:240].decode("utf-8", "ignore")
    names = chain([f"{stem}.new"], (f"{stem}.new-{number}" for number in count(2)))
    return next(path for path in map(folder.with_name, names) if not os.path.lexists(path))


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
        file.write(text)
