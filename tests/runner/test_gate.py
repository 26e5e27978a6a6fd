"""Lengths of text that is unknown or lost are marked, not tested, and advised on nowhere."""

from pathlib import Path
from typing import Any

import pytest

from tests.tiny import TinyRun, row, tiny_run

GATED = {
    "tokens",
    "fertility",
    "continued-words",
    "chars-per-token",
    "bytes-per-token",
    "attention-cost",
    "parity",
}
LONG = {"test": "ab abd c\nabc ab\n" * 15, "clean": "ab c\nabc ab\n" * 15}
BOTH = "{train: train.txt, test: {held-out: test.txt, clean: clean.txt}}"


def run(folder: Path, **keys: Any) -> TinyRun:
    """Run on two texts, one of which holds abd, whose d is unknown: a fifth of its words."""
    return tiny_run(folder, texts=LONG, **{"corpora": BOTH, "gate": None, "metrics": "all", **keys})


def test_lengths_above_the_gate_are_marked_and_not_tested(tmp_path: Path) -> None:
    done = run(tmp_path)
    for r in done.rows:
        gated = r.corpus == "held-out" and r.metric in GATED
        assert r.gated == ("yes" if gated else ""), r
        if gated:
            assert (r.p, r.p_holm) == (None, None)
    assert row(done, "char", "fertility", "clean").p is not None
    assert row(done, "char", "fertility").difference is not None


def test_a_gated_baseline_is_compared_with_nothing(tmp_path: Path) -> None:
    """Of the words c and b, which it has not learned, the system `word` at size 2 knows neither."""
    done = run(tmp_path, sizes="[2, 4]", systems="[word, utf8-bytes]", metrics="[fertility]")
    (baseline,) = (
        r
        for r in done.rows
        if (r.system, r.corpus, r.subset, r.size) == ("word", "clean", "all", "2")
    )
    assert baseline.gated == "yes"
    against = row(done, "utf8-bytes", "fertility", "clean")
    assert against.baseline == "word@4"
    assert against.p is not None
    small = run(tmp_path, sizes="[2]", systems="[word, utf8-bytes]", metrics="[fertility]")
    assert row(small, "utf8-bytes", "fertility", "clean").gated == ""
    assert row(small, "utf8-bytes", "fertility", "clean").p is None


@pytest.mark.parametrize(("gate", "gated"), [("0.19", "yes"), ("0.2", ""), ("0.21", "")])
def test_the_gate_is_the_largest_share_that_passes(tmp_path: Path, gate: str, gated: str) -> None:
    done = run(tmp_path, gate=gate, metrics="[fertility]")
    assert row(done, "char", "fertility").gated == gated
    assert {r.gated for r in done.coverage if r.corpus == "held-out"} == {gated}
    assert {r.gated for r in done.coverage if r.corpus == "clean"} == {""}


def test_a_translation_is_gated_with_its_reference(tmp_path: Path) -> None:
    metrics = "[{use: parity, reference: held-out}]"
    done = run(tmp_path, metrics=metrics)
    assert row(done, "char", "parity(reference=held-out)", "clean").gated == "yes"


def test_no_rule_about_sizes_sees_them(tmp_path: Path) -> None:
    """`word` knows b and c from size 4 on, so that of 2, 3, 4 and 5 two sizes remain."""
    sizes = "{from: 2, to: 5, list: [2, 3, 4, 5], curve: true}"
    done = run(tmp_path, sizes=sizes, systems="[word]", metrics="[fertility, kept-whole-running]")
    advice = {(advised.corpus, advised.metric): advised for advised in done.advice}
    assert ("held-out", "fertility") not in advice
    assert ("held-out", "kept-whole-running") in advice
    clean = advice["clean", "fertility"]
    assert (clean.best_size, clean.curve_best_size) == ("4", "4")
