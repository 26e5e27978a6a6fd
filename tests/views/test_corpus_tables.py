"""The report's table of each corpus: systems by metric at the largest common size."""

from pathlib import Path

import pytest
from tokbench_views.metric_tables import corpus_tables
from tokbench_views.report import details, report
from tokbench_views.shared import common_size

from tests.shipped import ShippedRun
from tests.tiny import BPE, tiny_run

from .markdown import section, tables

MOST_LINES = 200


def test_systems_stand_at_the_largest_size_that_half_of_them_share(tmp_path: Path) -> None:
    """Three of four systems have 4, two have 5: half as many as most, so 5 is common."""
    systems = (
        f"[{BPE}, {{name: two, learner: {{use: bpe, eow: absent}}}}, "
        "{name: small, learner: {use: bpe, eow: absent}, sizes: [4]}, char]"
    )
    run = tiny_run(tmp_path, systems=systems)
    assert common_size(run) == "5"
    (table,) = tables(corpus_tables(run))
    assert table[0] == ["system", "oov-words-running", "fertility"] or table[0][1] == "fertility"
    assert [row[0] for row in table[1:]] == ["bpe@5, two@5", "small@4", "char"]


def test_what_all_share_is_named_below(tmp_path: Path) -> None:
    """All letters of the gold word are known to both, and cut alone every word is one more."""
    texts = {"gold": "abc\tab c\n"}
    corpora = "{train: train.txt, test: {held-out: test.txt}, gold: {parts: gold.txt}}"
    run = tiny_run(
        tmp_path, texts=texts, corpora=corpora, systems=f"[{BPE}, char]", sizes="[4]",
        metrics="[unknown-characters, fertility, tokens]",
    )  # fmt: skip
    text = corpus_tables(run)
    assert "\nThe same for all, or as another: unknown-characters " in text


def test_a_metric_that_equals_another_is_named_once(tmp_path: Path) -> None:
    """Of words of one unit each, a token more is the same in characters and in code points."""
    run = tiny_run(tmp_path, metrics="[chars-per-token, bytes-per-token]")
    assert (
        section(details(run), "bytes-per-token").strip()
        == "The same as *chars-per-token* everywhere."
    )


@pytest.mark.ci
@pytest.mark.parametrize(
    "config", ["toy", "bpe", "oov", "korean", "korean-morphemes", "oov-korean", "pretrained"]
)
def test_the_report_of_a_shipped_config_is_short(config: str, shipped_run: ShippedRun) -> None:
    report = (shipped_run(config) / "report.md").read_text("utf-8")
    assert report.count("\n") <= MOST_LINES


@pytest.mark.ci
def test_the_folder_of_the_main_config_is_small(shipped_run: ShippedRun) -> None:
    """Page included."""
    files = [path for path in shipped_run("bpe").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 3_600_000


def test_the_report_points_to_the_rest(tmp_path: Path) -> None:
    assert "`metrics.md` has every metric at all sizes" in report(tiny_run(tmp_path))
