"""The speed of cutting: of which text, at which size, and how often it is measured."""

from pathlib import Path

from tests.tiny import tiny_run
from tokbench.api import byte_length

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
