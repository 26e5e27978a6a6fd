"""The speed of cutting: of which text, at which size, and how often it is measured."""

from pathlib import Path

import pytest

from tests.run_cli import tokbench_here
from tests.tiny import prepare, tiny_run
from tokbench.api.text import byte_length
from tokbench.run_folder import Run

WORDS = "ab abc b c ab a b c ab abc é b"


def test_each_system_is_measured_at_its_largest_size_on_the_first_text(tmp_path: Path) -> None:
    texts = {"test": f"ab abc\n{WORDS} d d\n"}
    systems = "[bpe, {name: line, learner: sentencepiece-bpe}, char]"
    run = tiny_run(tmp_path, systems=systems, sizes="[9, 12]", texts=texts)
    speeds = {speed.system: speed for speed in run.record.speeds}
    assert {name: speed.size for name, speed in speeds.items()} == {
        "bpe": "12", "line": "12", "char": ""
    }  # fmt: skip
    for speed in speeds.values():
        assert len(speed.cut_seconds) == len(speed.request_seconds) == 5
        assert min(speed.cut_seconds + speed.request_seconds) > 0
    alone, in_context = speeds["bpe"], speeds["line"]
    assert alone.cut_bytes == sum(map(byte_length, {*WORDS.split(), "d"}))
    assert alone.request_bytes == byte_length(WORDS.replace(" ", "")), "its 12 words"
    assert in_context.cut_bytes == byte_length(f"ab abc{WORDS} d d")
    assert in_context.request_bytes == byte_length(WORDS), "the line up to its 12th word"


def test_a_list_has_no_request(tmp_path: Path) -> None:
    corpora = "{train: {path: train.txt}, lists: {parts: {path: test.txt}}}"
    run = tiny_run(tmp_path, systems="[char]", corpora=corpora, texts={"test": "ab\nabd\n"})
    (speed,) = run.record.speeds
    assert (speed.request_bytes, speed.request_seconds) == (None, ())
    assert speed.cut_bytes == 5


ENDING = """
import os
from itertools import count
from tokbench.api import Segmenter, hookimpl

CALLS = count()

class Ending(Segmenter):
    "Cut into letters, and end the process in the tenth call."
    def segment(self, word, prepared):
        return [*word]
    def segment_many(self, words, prepared):
        if next(CALLS) == 9:
            os._exit(7)
        return super().segment_many(words, prepared)

@hookimpl
def tokbench_segmenters():
    return {"ending": Ending}
"""


@pytest.mark.ci
def test_a_segmenter_that_crashes_meanwhile_costs_its_speed_alone(tmp_path: Path) -> None:
    systems = "[{name: ending, learner: {use: bpe, eow: absent}, segmenter: ending}, char]"
    prepare(tmp_path, ENDING, systems=systems, sizes="[6]")
    arguments = "run", "-q", "tiny.yaml", "-o", "out", "-p", "plugin.py"
    done = tokbench_here(*arguments, cwd=tmp_path, in_children=True)
    assert done.returncode == 0, done.stderr
    assert "warning: system ending: speed: ended its process with exit code 7" in done.stderr
    run = Run.load(tmp_path / "out")
    assert [speed.system for speed in run.record.speeds] == ["char"]
    assert {row.system for row in run.rows if row.value is not None} == {"ending", "char"}
