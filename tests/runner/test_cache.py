"""What was learned and cut is used again only if nothing that it depends on has changed."""

import os
import stat
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tokbench_bpe.learner import Bpe

from tests.tiny import TinyRun, offering, tiny_run
from tokbench.api import Size, Vocabulary
from tokbench.runner.cache import Cache

pytestmark = pytest.mark.ci

NOTED = "learner: {use: noted, eow: absent}"
BOTH = f"[{{name: noted, {NOTED}}}, {{name: cut, {NOTED}, segmenter: longest-match}}]"


class Noted(Bpe):
    """Note each call; it stands in a class, since tests load no module of it."""

    calls: ClassVar[list[Size]] = []

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Note the size, and learn it."""
        self.calls.append(size)
        return super().learn(words, size)


class Varying(Noted):
    """Say that it learns another vocabulary each time."""

    deterministic: ClassVar[bool] = False


class Runs:
    """Runs that share a cache, and how often each learned and what it took."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"

    def run(self, kept: bool = True, **keys: Any) -> tuple[TinyRun, int]:
        """Run systems of one learner, and count its calls."""
        before = len(Noted.calls)
        offered, cache = offering(noted=Noted, varying=Varying), self.cache if kept else None
        ran = tiny_run(self.folder, offered, kept_in=cache, **{"systems": BOTH, **keys})
        return ran, len(Noted.calls) - before


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def cached(run: TinyRun) -> dict[tuple[str, str], bool]:
    """Return which steps took anything from the cache."""
    steps = ("learn", "segment", "tokens of the training text")
    return {(c.system, c.step): c.cached for c in run.record.cost if c.step in steps}


def test_a_second_run_learns_and_cuts_nothing_and_has_the_same_rows(runs: Runs) -> None:
    first, calls = runs.run()
    again, calls_again = runs.run()
    fresh, _ = runs.run(kept=False)
    assert (calls, calls_again) == (1, 0)
    assert first.rows == again.rows == fresh.rows
    # The second system of the first run learns alike.
    assert [step for step, taken in cached(first).items() if taken] == [("cut", "learn")]
    assert set(cached(again).values()) == {True}
    assert set(cached(fresh).values()) == {False}


CHANGES: list[tuple[int, dict[str, Any]]] = [
    (0, {"metrics": "[oov-words-running, fertility, tokens]"}),
    (0, {"resamples": "50"}),
    (0, {"texts": {"test": "c ab\n" * 30}}),
    (0, {"corpora": "{train: train.txt, test: {held-out: test.txt, more: train.txt}}"}),
    (1, {"seed": "7"}),
    (1, {"sizes": "[4, 6]"}),
    (1, {"texts": {"train": "ab ab abc c\n"}}),
    (1, {"systems": "[{learner: {use: noted, eow: absent, ties: first}}]"}),
]
"""How often changed configs learn again, and what changes in them."""


def test_only_a_change_that_learning_depends_on_learns_again(runs: Runs) -> None:
    runs.run()
    for calls, change in CHANGES:
        changed, calls_of_changed = runs.run(**change)
        assert calls_of_changed == calls, change
        assert changed.rows == runs.run(kept=False, **change)[0].rows, change


def test_another_text_is_cut_and_the_others_are_taken(runs: Runs) -> None:
    runs.run()
    many = len([*runs.cache.iterdir()])
    runs.run(corpora="{train: train.txt, test: {held-out: test.txt, more: train.txt}}")
    assert len([*runs.cache.iterdir()]) == many + len(["noted", "cut"])


def test_a_change_of_the_engine_learns_again(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else tests that compare both would compare one with itself."""
    runs.run()
    monkeypatch.setenv("TOKBENCH_ENGINE", "python")
    assert runs.run()[1] == 1


class Numbered(Noted):
    """Number its tokens in what it leaves to the segmenter."""

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn, with keys and values that JSON has not."""
        return replace(super().learn(words, size), extra={"tokens": {1: (2, 3)}})


def test_what_is_learned_is_what_the_cache_gives_back(runs: Runs) -> None:
    offered, systems = (
        offering(numbered=Numbered),
        "[{name: one, learner: {use: numbered, eow: absent}}]",
    )
    for kept in (False, True):
        run = tiny_run(runs.folder, offered, kept_in=runs.cache, systems=systems)
        assert cached(run)["one", "learn"] == kept
        assert [vocabulary.extra for vocabulary in run.learned.values()] == [
            {"tokens": {"1": [2, 3]}}
        ]


OFFERING = """
from tokbench.api import hookimpl
from tokbench_bpe.segmenters import {0}
@hookimpl
def tokbench_segmenters():
    return {{"mine": {0}}}
"""


def test_a_plugin_file_that_offers_another_component_cuts_again(tmp_path: Path) -> None:
    for segmenter in ("LongestMatch", "FewestTokens"):
        systems = "[{learner: {use: bpe, eow: absent}, segmenter: mine}]"
        plugin = OFFERING.format(segmenter)
        run = tiny_run(tmp_path, plugin, kept_in=tmp_path / "cache", systems=systems)
        assert set(cached(run).values()) == {False}


def test_nothing_is_kept_of_a_learner_that_varies(runs: Runs) -> None:
    """Not even for another system with the same learner."""
    varying = "learner: {use: varying, eow: absent}"
    systems = f"[{{name: one, {varying}}}, {{name: other, {varying}}}]"
    run, calls = runs.run(systems=systems, repeats="2")
    assert calls == 2 * 2
    assert not runs.cache.exists()
    assert set(cached(run).values()) == {False}


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [truncated, flipped, emptied])
def test_a_damaged_file_is_named_and_done_again(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    cache = Cache(tmp_path)
    cache.keep("0" * 32, b"learned")
    assert cache.find("0" * 32) == b"learned"
    (path,) = tmp_path.iterdir()
    damage(path)
    assert cache.find("0" * 32) is None
    assert cache.notes == [f"{path}: is damaged, so this is done again"]
    assert not path.exists()


def test_fresh_takes_only_what_this_run_made(tmp_path: Path) -> None:
    Cache(tmp_path).keep("0" * 32, b"earlier")
    fresh = Cache(tmp_path, since=time.time() + 60)
    assert fresh.find("0" * 32) is None
    fresh.since -= 120
    fresh.keep("0" * 32, b"now")
    assert fresh.find("0" * 32) == Cache(tmp_path).find("0" * 32) == b"now"


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, most=1000)
    for name in "abc":
        cache.keep(name * 32, bytes(300))
        os.utime(tmp_path / f"{name * 32}.kept", (time.time() - 100 + ord(name), time.time()))
    assert cache.find("a" * 32)
    cache.keep("d" * 32, bytes(300))
    cache.trim()
    assert {path.name[0] for path in tmp_path.iterdir()} == {"a", "c", "d"}
    assert cache.size <= 1000


def test_a_long_run_stays_below_the_limit(tmp_path: Path) -> None:
    cache = Cache(tmp_path, most=1000)
    for number in range(20):
        cache.keep(f"{number:032x}", bytes(300))
    assert cache.size <= 2 * 1000
    (tmp_path / "thesis.tex").write_text("years of work" * 1000)
    cache.trim()
    assert cache.size <= 1000
    assert (tmp_path / "thesis.tex").exists()


def test_what_is_larger_than_the_limit_pushes_nothing_out(tmp_path: Path) -> None:
    cache = Cache(tmp_path, most=1000)
    cache.keep("0" * 32, bytes(300))
    cache.keep("1" * 32, bytes(1000))
    cache.trim()
    assert [path.name[0] for path in tmp_path.iterdir()] == ["0"]


def test_a_process_that_adds_little_to_a_full_folder_trims_it(tmp_path: Path) -> None:
    """Else the folder of a worker, where no run ends, would grow by what each process adds."""
    for number in range(9):
        Cache(tmp_path).keep(f"{number:032x}", bytes(300))
    Cache(tmp_path, most=1000).keep("f" * 32, b"little")
    assert Cache(tmp_path).size <= 1000


def test_a_run_looks_at_a_full_folder_once_and_only_if_it_adds_to_it(tmp_path: Path) -> None:
    for number in range(9):
        Cache(tmp_path, will_close=True).keep(f"{number:032x}", bytes(300))
    cache = Cache(tmp_path, most=1000, will_close=True)
    cache.close()
    assert cache.size == 9 * 332
    cache.keep("f" * 32, b"little")
    assert cache.size == 9 * 332 + 32 + len(b"little")
    cache.close()
    assert cache.size <= 1000
    assert cache.find("f" * 32) == b"little"


def test_what_a_killed_writer_leaves_is_never_taken_and_goes_later(tmp_path: Path) -> None:
    left = tmp_path / f"{'0' * 32}-{'1' * 16}.new"
    left.write_bytes(b"half")
    cache = Cache(tmp_path, most=1000)
    assert cache.find("0" * 32) is None
    cache.trim()
    assert left.exists()  # its writer may live
    os.utime(left, (0, 0))
    cache.keep("1" * 32, bytes(990))
    cache.trim()
    assert not left.exists()


def test_a_folder_that_cannot_be_written_costs_one_note(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file" / "cache")
    cache.keep("0" * 32, b"one")
    cache.keep("1" * 32, b"two")
    assert cache.find("0" * 32) is None
    assert cache.notes == [f"{tmp_path}/file/cache: nothing more is kept: Not a directory"]


def test_the_folder_holds_plain_files_without_pickles(runs: Runs) -> None:
    runs.run()
    kinds = set()
    for path in runs.cache.iterdir():
        assert stat.S_ISREG(path.lstat().st_mode)
        kinds.add(path.read_bytes()[32:34])
    assert kinds == {b'{"', b"PK"}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
def test_two_processes_may_keep_the_same_at_the_same_time(tmp_path: Path) -> None:
    cache, content = Cache(tmp_path), bytes(1_000_000)
    copy = os.fork()
    try:
        for _ in range(12):
            cache.keep("0" * 32, content)
            assert cache.find("0" * 32) == content
    finally:
        if not copy:
            os._exit(len(cache.notes))
    assert os.waitpid(copy, 0)[1] == 0
    assert cache.notes == []
    assert [path.suffix for path in tmp_path.iterdir()] == [".kept"]
