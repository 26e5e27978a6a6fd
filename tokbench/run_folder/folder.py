"""The run folder: checked before anything is learned, written whole, replaced whole."""

import os
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tokbench.errors import InputError, UsageError
from tokbench.run_folder import disk
from tokbench.run_folder.arrays import save, words_arrays
from tokbench.run_folder.layout import BELOW, FOLDERS, RECORD, Layout, is_of_desktop, placed
from tokbench.run_folder.lock import beside, locked, settle, writing
from tokbench.run_folder.run import TABLES, Run
from tokbench.run_folder.seal import SEAL, SealedFolder, read_document, seal, unsealed
from tokbench.run_folder.tables import write_lines


@contextmanager
def locked_for_run(
    folder: Path, documents: Collection[str] = (), read: Iterable[Path] = ()
) -> Iterator[None]:
    """Lock a run folder before the work, once it is sure that a run can be written there.

    `documents` are the names of the files for people, which may stand in an older run's folder;
    `read` are the files that the run reads, which must not be replaced with the folder. Raises
    UsageError for an existing folder that holds anything but a run of ours, InputError if nothing
    can be written or another process is writing.
    """
    with writing(folder):
        disk.make_folder(folder.parent)
    with locked(folder):
        with writing(folder):
            objection = _objection(folder, documents, read)
        if objection:
            raise UsageError(f"{folder}: {objection}: choose another folder, nothing was touched")
        yield


def _objection(folder: Path, documents: Collection[str], read: Iterable[Path] = ()) -> str:
    """Return why a finished run must not replace what is there, or an empty text if it may."""
    if not os.path.lexists(folder):
        return ""
    is_tied = folder.is_symlink() or os.path.ismount(folder)
    if is_tied or Path.cwd().is_relative_to(folder.resolve()):
        return (
            "a link, a mount point, the current folder or one above it cannot be replaced by a "
            "finished run"
        )
    if not folder.is_dir():
        return "the output must be a folder, this is a file"
    if not os.access(folder, os.W_OK):
        return "is protected against changes"
    document = read_document(folder)
    if document is None and not all(map(is_of_desktop, folder.iterdir())):
        return f"neither empty nor a run of tokbench (no {RECORD} of ours)"
    inside = [path.name for path in read if path.resolve().is_relative_to(folder.resolve())]
    if lost := sorted(_foreign(folder, document or {}, documents)) or inside:
        return f"holds {', '.join(lost[:3])}, which would be lost with the older run"
    return ""


def _foreign(
    folder: Path, document: Mapping[str, Any], documents: Collection[str]
) -> Iterator[str]:
    """Yield the names in a run folder that its run did not write."""
    # Documents have no digests, and those of format 3 stood on top.
    ours = {RECORD, *documents, *map(placed, documents), *document.get(SEAL, ())}
    for path in chain(folder.iterdir(), *((folder / name).glob("*") for name in FOLDERS)):
        name = path.relative_to(folder).as_posix()
        of_run = name in FOLDERS if path.is_dir() else name in ours or is_of_desktop(path)
        if not of_run or (path.is_symlink() and name in FOLDERS):
            yield name


def write_run(
    folder: Path,
    run: Run,
    documents: Mapping[str, str | None] = MappingProxyType({}),
    is_locked: bool = False,
) -> None:
    """Write a run into a new folder beside `folder`, then rename it; an older run goes only then.

    `documents` are further text files by name, for example the report; None for one that is made
    later. The folder is locked for the writing unless it `is_locked` already. Raises InputError if
    nothing can be written or another process is writing. If `folder` meanwhile holds anything that
    would be lost with the older run, the new run is kept beside it, and the error says where.
    """
    new = beside(folder, f"new-{secrets.token_hex(8)}")
    with nullcontext() if is_locked else locked(folder), writing(folder):
        try:
            new.mkdir()
            _fill(new, run, {name: text for name, text in documents.items() if text is not None})
            disk.sync_tree(new)
            _replace(new, folder, documents)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def write_documents(folder: Path, documents: Mapping[str, str]) -> list[str]:
    """Replace text files of a run folder by name, each in one step; return their paths inside it.

    The folder must be locked. They have no digests, since they can be made again from the data.
    Raises InputError if nothing can be written.
    """
    paths = [placed(name) for name in documents]
    texts = dict(zip(paths, documents.values(), strict=True))
    before = {*documents} - {*paths}  # where format 3 had them
    if record := unsealed(read_document(folder) or {}, paths, before):
        texts = {RECORD: record, **texts}  # first, so that run.json names each document
    with writing(folder):
        (folder / BELOW).mkdir(exist_ok=True)  # format 3 had none
        for path, text in texts.items():
            new = beside(folder, f"new-{secrets.token_hex(8)}")
            try:
                disk.write(new, text)
                os.replace(new, folder / path)
            finally:
                new.unlink(missing_ok=True)
        for name in before:
            (folder / name).unlink(missing_ok=True)
        for parent in {(folder / path).parent for path in texts}:
            disk.sync(parent)
    return paths


def damage(folder: Path) -> list[str]:
    """Return a message for each file that was changed, is missing, or is not of the run.

    Raises what `SealedFolder.open` does.
    """
    settle(folder)
    files = SealedFolder.open(folder)
    messages = []
    for name, digest in files.digests.items():
        if name == RECORD or digest is None or files.holding(name) != name:
            continue
        try:
            files.read(name)
        except InputError as error:
            messages.append(str(error))
    foreign = sorted(_foreign(folder, {SEAL: files.digests}, ()))
    return [*messages, *(f"{folder / name}: does not belong there" for name in foreign)]


def _fill(folder: Path, run: Run, documents: Mapping[str, str]) -> None:
    """Write the files of a run; an empty table, and a text that is left out, has none.

    Of files with the same content, such as vocabularies that were learned alike, one stays.
    """
    layout = Layout()
    for path in (layout.vocabulary(""), *([layout.segmentation("")] if run.states else [])):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
    for table in (*TABLES, "curves", *run.record.analyses):
        columns, lines = run.lines(table)
        rows = iter(lines)
        if row := next(rows, None):
            write_lines(folder / layout.table(table), columns, chain([row], rows))
    for name, vocabulary in run.learned.items():
        _write(folder / layout.vocabulary(name), vocabulary.to_json())
    for name, states in run.states.items():
        save(folder / layout.segmentation(name), states)
    arrays: dict[str, Any] = {}
    for name, words in run.texts.items():
        arrays |= words_arrays(name, words)
    if arrays:
        save(folder / layout.words, arrays)
    for name, text in documents.items():
        _write(folder / placed(name), text)
    paths = [*map(placed, documents)]
    _write(folder / RECORD, seal(folder, asdict(run.record), paths))
    files = SealedFolder.open(folder)
    for path in files.digests:
        if files.kept(path) != path:
            (folder / path).unlink()


def _replace(new: Path, folder: Path, documents: Collection[str]) -> None:
    """Rename a finished run to its place; an older run there is removed at the end."""
    if not os.path.lexists(folder):
        os.rename(new, folder)
        disk.sync(new.parent)
        return
    if objection := _objection(folder, documents):  # the run may have taken days
        free = folder.with_name(f"{folder.name}.new-{secrets.token_hex(4)}")
        os.rename(new, free)
        disk.sync(new.parent)
        raise InputError(f"{folder}: {objection}; it was not touched, the new run is in {free}")
    # Every system knows two renames; a kernel that exchanges folders is rare.
    old = beside(folder, f"old-{secrets.token_hex(8)}")
    os.rename(folder, old)
    os.rename(new, folder)  # if this fails, the next command puts the older run back
    disk.sync(new.parent)
    shutil.rmtree(old, ignore_errors=True)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="\n")
