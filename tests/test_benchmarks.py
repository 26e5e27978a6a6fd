"""The recipes of the benchmarks: larger texts, turns, ratios, and what is measured of a process."""

import sys
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.run_cli import fresh

# GPT-2's split, from the published encoder.py of the model.


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, root: Path):
    """Import a module of the benchmarks, which are scripts beside one another."""
    monkeypatch.syspath_prepend(root / "benchmarks")
    return import_module


@pytest.fixture
def enlarge(module) -> ModuleType:
    return module("enlarge")


@pytest.fixture(scope="module")
def english(root: Path) -> bytes:
    return (root / "corpora" / "english.train.txt").read_bytes()


def enlarged(enlarge: ModuleType, raw: bytes, copies: int, folder: Path, **options) -> list[str]:
    text = enlarge.Text.read(raw, options.get("letters", False))
    enlarge.write(text, folder / "out.txt", copies, options.get("seed", 0))
    return (folder / "out.txt").read_text(encoding="utf-8").split("\n")[:-1]


def test_words_grow_as_the_process_says(enlarge, english: bytes, tmp_path: Path) -> None:
    """Copy j + 1 is expected to add discount * V / j words to the V of the j before it."""
    lines = enlarged(enlarge, english, 10, tmp_path)
    words = Counter(word for line in lines for word in line.split(" ") if word)
    original = Counter(english.decode().split())
    discount = sum(count == 1 for count in original.values()) / len(original)
    expected = len(original) * np.prod([1 + discount / j for j in range(1, 10)])
    assert words.total() == 10 * original.total()
    assert len(words) == pytest.approx(expected, rel=0.02)
    assert sum(count == 1 for count in words.values()) / len(words) == pytest.approx(
        discount, abs=0.02
    )
    for word in ("the", "and"):
        assert words[word] == pytest.approx(10 * original[word], rel=0.02)


def measurement(peer: str, number: int, seconds: float, error: str | None = None) -> dict:
    return {
        "task": "learn", "scale": 1, "round": number, "peer": peer, "seconds": seconds,
        "peak-mb": 10.0, "answer": None, "error": error,
    }  # fmt: skip


def test_ratios_are_those_of_rounds(module) -> None:
    figures = module("figures").Figures(
        [
            measurement("ours", 0, 1.0), measurement("theirs", 0, 2.0),
            measurement("ours", 1, 3.0), measurement("theirs", 1, 2.0),
            measurement("ours", 2, 4.0), measurement("theirs", 2, 4.0),
            measurement("gone", 0, 1.0, "exit code 1: no"),
        ]
    )  # fmt: skip
    ratio = figures.ratio("learn", 1, "ours", "theirs")
    assert (ratio.median, ratio.least, ratio.greatest) == (1.0, 0.5, 1.5)
    assert figures.peers("learn", 1) == ["theirs", "ours"]
    assert figures.ratio("learn", 1, "ours", "gone") is None
    assert figures.errors == {("learn", 1, "gone"): "exit code 1: no"}


WRAPPED = ("gpt2", "bert", "cl100k", "xlnet", "mistral")


def test_every_limit_has_its_figure_once_all_is_measured(module) -> None:
    measurements = []
    wrapped = [f"{of}: {by}" for of in WRAPPED for by in ("library", "tokbench")]
    for task in module("tasks").TASKS:
        for scale in (1, 10, 100) if task.scaled else (1,):
            for peer in (
                "tokbench", "tokbench python", "tokbench, every size", "tokbench, listed sizes",
                "gigatoken", "tokenizers",
                "tokenizers, distinct words", "tokenization-scorer", "tokbench --version",
                "tokbench --help", "a config error", "first line of a run",
                "no bands", "bands", "noise", "none", "foreign", "jobs: 1", "jobs: 2", "one more",
                "without page", "with page",
                "50 systems", *wrapped, "bytes, order 8", "bytes, order chosen",
            ):  # fmt: skip
                record = measurement(peer, 0, 1.0)
                measurements.append({**record, "task": task.name, "scale": scale})
                measurements[-1]["answer"] = {"words": 1, "page-mb": 1}
    goals = [*module("goals").goals(module("figures").Figures(measurements))]
    assert len(goals) > 20
    assert [goal.text for goal in goals if goal.figure is None] == []


def test_a_process_is_measured_from_outside(module, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is read before the process starts and after it has ended, and at no other time."""
    measure = module("measure")
    seen = clock(measure, monkeypatch)
    command = measure.Command([sys.executable, "-c", "print('[1]')"], answers=True)
    done = measure.measure(command)
    assert done.answer == [1]
    assert done.error is None
    assert seen == ["read", "start", "end", "read"]
    assert done.seconds == 1


def test_the_peak_of_a_process_is_measured(root: Path) -> None:
    """By a small one: none can be measured below the peak of its parent."""
    program = """
import sys, measure
holds = measure.Command([sys.executable, "-c", "held = b'x' * 200_000_000"])
print(measure.measure(holds).peak_mb)
"""
    assert 200 < float(fresh(program, cwd=root / "benchmarks")) < 300


def clock(measure: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let each reading of the clock be a second after the last; note it among what happens."""
    seen: list[str] = []

    def noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            result = function(*args, **options)
            seen.append(name)
            return result

        return call

    monkeypatch.setattr(measure.time, "perf_counter", noted("read", count().__next__))
    for name in ("start", "wait", "read_terminal"):
        shown = "end" if name == "wait" else name
        monkeypatch.setattr(measure, f"_{name}", noted(shown, getattr(measure, f"_{name}")))
    return seen


def test_a_process_that_fails_says_why(module) -> None:
    measure = module("measure")
    exits = [sys.executable, "-c", "import sys; sys.exit('no such peer')"]
    assert measure.measure(measure.Command(exits)).error == "exit code 1: no such peer"
    assert measure.measure(measure.Command(exits, code=1)).error is None


@pytest.mark.parametrize("every", [False, True])
def test_the_product_scores_listed_sizes_and_curves_alike(
    module, root: Path, tmp_path: Path, every: bool
) -> None:
    """Of a, b, c BPE knows six forms, with and without the end mark, and then `ab`."""
    text = tmp_path / "text.txt"
    text.write_text("ab ab c\nab c\n")
    answer = module("jobs.curve").run("tokbench", str(text), [6, 7], every)
    assert bool(answer["curves"]) == every
    assert list(answer["scores"]) == [6, 7]
    assert [scores["fertility"] for scores in answer["scores"].values()] == [8 / 5, 1.0]
    assert answer["scores"][6].keys() == {*module("jobs.curve").METRICS}


def test_letters_beyond_ascii_are_built_before_anything_learned(module) -> None:
    from tokbench.api import Learned, Vocabulary

    vocabulary = Vocabulary.build(["a", "é", "€"], [Learned(("a", "é")), Learned(("aé", "€"))])
    tokens = module("byte_ranks").byte_tokens(vocabulary)
    assert tokens[:256] == [bytes([byte]) for byte in range(256)]
    assert tokens[256:] == [
        b"\xc3\xa9", b"\xe2\x82", b"\xe2\x82\xac", b"a\xc3\xa9", b"a\xc3\xa9\xe2\x82\xac",
    ]  # fmt: skip


def test_the_parts_of_a_text_are_whole_lines_and_all_of_it(module, tmp_path) -> None:
    text = tmp_path / "x1.txt"
    text.write_text("".join(f"line {number} {'x' * (number % 7)}\n" for number in range(100)))
    parts = [path.read_text() for path in module("scale").parts_of(text)]
    assert len(parts) == 8
    assert "".join(parts) == text.read_text()
    assert all(part.endswith("\n") for part in parts)


@pytest.mark.nightly
def test_every_way_of_counting_is_measured(module, tmp_path) -> None:
    (tmp_path / "small.txt").write_text("low lower newest\nwidest low\n" * 20)
    scale = module("scale")
    rows = []
    for copies in (1, 3):
        text = scale.enlarged(tmp_path / "small.txt", tmp_path, copies)
        rows += scale.counted(text, copies, workers=1)
    assert [row.how for row in rows[:4]] == [
        "one file", "8 files", "8 files, 1 Dask workers", "8 counts added up",
    ]  # fmt: skip
    assert {(row.running, row.distinct) for row in rows[:4]} == {(100, 4)}
    assert {row.running for row in rows[4:]} == {300}
