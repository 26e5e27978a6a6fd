"""A run replaces an older one: killed at any moment, one whole run can be read there."""

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.run_cli import tokbench, tokbench_here
from tests.tiny import prepare
from tokbench.errors import InputError, UsageError
from tokbench.run_folder import Run, write_run
from tokbench.run_folder.folder import damage, locked_for_run

from .sample import RUN

pytestmark = pytest.mark.ci

OLD = replace(RUN, record=replace(RUN.record, name="old"))
NEW = replace(RUN, record=replace(RUN.record, name="new"))
DOCUMENTS = {"report.md": "written\n"}


def name_of(folder: Path) -> str:
    """Return which run stands in a folder, which must be whole."""
    assert damage(folder) == []
    return Run.load(folder).record.name


def beside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.iterdir() if path != folder)


def killed(action: Callable[[], object], seconds: float | None = None) -> None:
    """Do something in a copy of this process that kills itself, or is killed after some seconds."""
    child = os.fork()
    if not child:
        try:
            action()
        finally:
            os._exit(0)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def kill_after_rename(number: int) -> None:
    """Let this process end right after it has renamed something so often."""
    rename, renamed = os.rename, 0

    def counted(source: Path, target: Path) -> None:
        nonlocal renamed
        rename(source, target)
        renamed += 1
        if renamed == number:
            os.kill(os.getpid(), signal.SIGKILL)

    os.rename = counted  # type: ignore[assignment]  # it takes no folder descriptors


@pytest.mark.parametrize("command", ["show", "verify", "run"])
def test_killed_between_the_two_renames_the_older_run_is_put_back(
    tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "out"
    write_run(folder, OLD, DOCUMENTS)

    def action() -> None:
        kill_after_rename(1)
        write_run(folder, NEW, DOCUMENTS)

    killed(action)
    assert not folder.exists()
    note = "note: out: put back the older run, as the process that replaced it had ended\n"
    if command == "run":
        with locked_for_run(folder):
            assert name_of(folder) == "old"
    else:
        apart = command == "show"  # where the note goes to standard error
        done = (tokbench if apart else tokbench_here)(command, "out", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stderr.startswith(note) == apart
    assert (name_of(folder), beside(folder)) == ("old", [])


def test_killed_after_both_renames_the_new_run_stands_there(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_run(folder, OLD, DOCUMENTS)

    def action() -> None:
        kill_after_rename(2)
        write_run(folder, NEW, DOCUMENTS)

    killed(action)
    assert name_of(folder) == "new"
    write_run(folder, OLD, DOCUMENTS)
    assert (name_of(folder), beside(folder)) == ("old", []), "what was left is removed"


def test_what_came_in_place_of_a_half_replaced_run_is_not_lost_nor_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_run(folder, OLD)

    def action() -> None:
        kill_after_rename(1)
        write_run(folder, NEW)

    killed(action)
    folder.mkdir()
    (folder / "thesis.tex").write_text("do not lose me")
    with pytest.raises(InputError):
        write_run(folder, NEW)
    assert (folder / "thesis.tex").exists()
    (older,) = tmp_path.glob(".tokbench-out.old-*")
    assert name_of(older) == "old"


@pytest.mark.ci
def test_killed_at_40_moments_a_run_is_whole_and_the_older_one_not_lost(tmp_path: Path) -> None:
    folder, draw = tmp_path / "out", random.Random(7)
    write_run(folder, OLD, DOCUMENTS)

    def write_again_and_again() -> None:
        while True:
            write_run(folder, NEW, DOCUMENTS)

    readable = set()
    for _ in range(40):
        killed(write_again_and_again, draw.random() * 0.2)
        readable.add(name_of(folder) if folder.exists() else f"{name_of(folder)}, put back")
    assert readable <= {"old", "new", "old, put back", "new, put back"}
    write_run(folder, OLD, DOCUMENTS)
    assert (name_of(folder), beside(folder)) == ("old", [])


def test_an_older_run_that_is_protected_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may write everywhere, so the answer for any other user is given here."""
    folder = tmp_path / "out"
    write_run(folder, OLD)
    monkeypatch.setattr(os, "access", lambda path, mode: path != folder)
    with pytest.raises(UsageError, match="is protected against changes"), locked_for_run(folder):
        pass
    assert name_of(folder) == "old"


def test_a_run_has_the_rights_that_the_user_gives_to_new_files(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_run(tmp_path / "out", NEW, DOCUMENTS)
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "out" / "run.json").stat().st_mode & 0o777 == 0o600


def test_all_is_synced_before_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file and folder, then the new name; the calls are the real ones, written down."""
    synced: list[Path] = []
    fsync, rename = os.fsync, os.rename

    def noted(handle: int) -> None:
        synced.append(Path(os.readlink(f"/proc/self/fd/{handle}")))
        fsync(handle)

    def named(path: Path, target: Path) -> None:
        rename(path, target)
        synced.append(target)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(os, "rename", named)
    folder = tmp_path / "out"
    write_run(folder, NEW, DOCUMENTS)
    *content, renamed, parent = synced
    assert (renamed, parent) == (folder, tmp_path)
    begin = content[-1]
    files = {path.relative_to(folder) for path in folder.rglob("*")}
    assert {*content} == {begin, *(begin / path for path in files)}


def test_the_names_of_new_folders_above_a_run_are_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[str, list[str]]] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        place = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if place.is_dir():
            synced.append((place.name, sorted(path.name for path in place.iterdir())))
        fsync(handle)

    prepare(tmp_path)
    monkeypatch.setattr(os, "fsync", noted)
    done = tokbench_here("run", "-q", "tiny.yaml", "-o", "above/below/out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    here = sorted(path.name for path in tmp_path.iterdir())
    assert synced[:2] == [(tmp_path.name, here), ("above", ["below"])]
    assert any(name == "below" and "out" in names for name, names in synced)
