"""An older run is replaced in one step: killed at any step, one whole run stands there."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from tests.kernel import can_refuse, in_a_process, kill_at, refuse
from tests.run_cli import tokbench_here
from tests.tiny import prepare
from tokbench.errors import InputError
from tokbench.run_folder import Run, write_run
from tokbench.run_folder.disk import exchange
from tokbench.run_folder.folder import damage

from .sample import RUN

pytestmark = pytest.mark.nightly

OLD = replace(RUN, record=replace(RUN.record, name="old"))
NEW = replace(RUN, record=replace(RUN.record, name="new"))
DOCUMENTS = {"report.md": "written\n"}
KILLED = -signal.SIGKILL

filters = pytest.mark.skipif(not can_refuse(), reason="the kernel cannot be told to refuse a call")


def name_of(folder: Path) -> str:
    """Return which run stands in a folder, which must be whole."""
    assert damage(folder) == []
    return Run.load(folder).record.name


def beside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.iterdir() if path != folder)


@pytest.mark.parametrize(
    "before",
    [
        "nothing",
        pytest.param("run", marks=pytest.mark.ci),
        pytest.param("run, no exchange", marks=filters),
    ],
)
def test_killed_at_any_step(tmp_path: Path, before: str) -> None:
    folder = tmp_path / "out"
    found: list[str] = []

    def write(step: int) -> None:
        if before == "run, no exchange":
            refuse("renameat2")
        kill_at(step)
        write_run(folder, NEW, DOCUMENTS)

    for step in range(1, 1000):
        if before != "nothing":
            write_run(folder, OLD, DOCUMENTS)
        code = in_a_process(lambda step=step: write(step))
        stands = folder.exists()
        if code != KILLED:
            break
        # Reading completes what only has to be put in its place.
        whole = name_of(folder) if stands or before == "run, no exchange" else "nothing"
        found.append(whole if stands else f"{whole}, completed")
        write_run(folder, NEW, DOCUMENTS)
        assert (name_of(folder), beside(folder)) == ("new", [])
        if before == "nothing":
            in_a_process(lambda: __import__("shutil").rmtree(folder))
    assert code == 0
    assert name_of(folder) == "new"
    assert len(found) > 60
    order = {
        "nothing": ["nothing, completed", "new"],
        "run": ["old", "new"],
        "run, no exchange": ["old", "new, completed", "new"],
    }[before]
    assert list(dict.fromkeys(found)) == order


def test_two_folders_are_exchanged_where_the_kernel_can(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    done = exchange(tmp_path / "one", tmp_path / "other")
    assert (tmp_path / "one" / ("other" if done else "one")).exists()
    assert not exchange(tmp_path / "one", tmp_path / "nowhere")


@filters
def test_without_exchange_the_older_run_is_replaced_too(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_run(folder, OLD)

    def write() -> None:
        refuse("renameat2")
        assert not exchange(folder, tmp_path)
        write_run(folder, NEW)

    assert in_a_process(write) == 0
    assert (name_of(folder), beside(folder)) == ("new", [])


@filters
def test_what_came_in_place_of_a_half_replaced_run_is_not_lost_nor_the_runs(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_run(folder, OLD)
    step = 0
    while folder.exists():
        step += 1

        def write(step: int = step) -> None:
            refuse("renameat2")
            kill_at(step)
            write_run(folder, NEW)

        assert in_a_process(write) == KILLED
        if folder.exists():
            write_run(folder, OLD)
    assert beside(folder) == [".tokbench-out.lock", ".tokbench-out.new", ".tokbench-out.old"]
    folder.mkdir()
    (folder / "thesis.tex").write_text("do not lose me")
    with pytest.raises(InputError):
        write_run(folder, NEW)
    assert (folder / "thesis.tex").exists()
    assert name_of(tmp_path / ".tokbench-out.old") == "old"


def test_a_run_whose_lock_was_removed_is_kept_beside(tmp_path: Path) -> None:
    from tokbench.run_folder.lock import locked

    folder = tmp_path / "out"
    write_run(folder, OLD)
    with locked(folder) as lock:
        lock.path.unlink()
        with pytest.raises(InputError) as caught:
            write_run(folder, NEW, {}, lock)
    assert str(caught.value) == (
        f"{folder}: its lock {lock.path} was removed, so that another process may write there; "
        f"it was not touched, the new run is in {folder}.new"
    )
    assert (name_of(folder), name_of(tmp_path / "out.new")) == ("old", "new")
    assert beside(folder) == ["out.new"]


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
    lock, *content, renamed, parent = synced
    assert (lock, renamed, parent) == (tmp_path / ".tokbench-out.lock", folder, tmp_path)
    begin = tmp_path / ".tokbench-out.new"
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
    assert synced[-1][0] == "below"
    assert "out" in synced[-1][1]
