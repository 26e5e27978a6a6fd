"""Spans that follow from the tokens alone are those that the library gives when it is asked."""

from base64 import b64decode
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor
from tokbench_sentencepiece.learners import SentencePieceBpe
from tokbench_sentencepiece.lines import CHANGED, SAME, SPACED, PreparedModel

from tokbench.api import Size, Vocabulary

WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3, "한국어": 3, "naïve": 2, "12a": 1}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "single spaces": {"remove_extra_whitespaces": True},
    "no space before": {"add_dummy_prefix": False, "remove_extra_whitespaces": True},
    "space after": {"treat_whitespace_as_suffix": True, "remove_extra_whitespaces": True},
    "bytes": {"byte_fallback": True, "remove_extra_whitespaces": True},
    "nfkc": {"normalisation": "nmt_nfkc", "remove_extra_whitespaces": True},
}


@cache
def vocabulary(name: str) -> Vocabulary:
    size = 340 if name == "bytes" else 50
    return SentencePieceBpe.configure(**OPTIONS[name]).learn(WORDS, Size(total=size))


@cache
def prepared(name: str) -> PreparedModel:
    return PreparedModel.of(vocabulary(name))


def by_the_library(name: str, line: str) -> list[tuple[int, int]]:
    processor = SentencePieceProcessor(model_proto=b64decode(vocabulary(name).extra["model"]))
    offsets = processor.encode(line, out_type="offset_mapping", return_bytes=True)["offsets"]
    return [(start, end) for start, end in offsets]


pieces = st.sampled_from(
    ["low", "newest", " ", "  ", "한", "국어", "naïve", "ﬁ", "é", "🙂", "▁", "\t"]
)


@pytest.mark.parametrize("name", OPTIONS)
@example(lines=["low ", "newest  low", " "])
@given(lines=st.lists(st.lists(pieces, max_size=8).map("".join), max_size=6))
def test_spans_are_the_librarys(name: str, lines: Sequence[str]) -> None:
    found = prepared(name).encode(lines)
    byte = vocabulary(name).bytes
    for i, line in enumerate(lines):
        part = slice(found.row[i], found.row[i + 1])
        theirs = by_the_library(name, line)
        ours = list(zip(found.starts[part].tolist(), found.ends[part].tolist(), strict=True))
        assert len(ours) == len(theirs)
        for token, one, other in zip(found.ids[part].tolist(), ours, theirs, strict=True):
            # The library gives the last byte token of a character the whole of it.
            assert one == other or token in byte


@pytest.mark.parametrize(
    ("name", "line", "how"),
    [
        ("plain", "low  newest", SAME),
        ("single spaces", "low newest", SAME),
        ("single spaces", "  low   newest ", SPACED),
        ("no space before", " low", SPACED),
        ("space after", "low newest", CHANGED),
        ("space after", "low ", CHANGED),
        ("bytes", "low🙂", SAME),
        ("plain", "low🙂", CHANGED),
        ("nfkc", "ﬁ", CHANGED),
        ("nfkc", "low\tlow", CHANGED),
    ],
)
def test_the_library_is_asked_only_for_what_it_changes(name: str, line: str, how: int) -> None:
    ready = prepared(name)
    assert ready.how(line, ready.processor.encode(line)) == how
