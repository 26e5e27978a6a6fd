"""The beginning of the report, its signatures, and the measured cost."""

from dataclasses import replace
from pathlib import Path

import pytest
from tokbench_views.report import cost_report, details, overview, report, signatures

from tests.shipped import ShippedRun
from tests.tiny import BPE, LISTED, tiny_run
from tokbench.run_folder.record import Cost, Speed

from .markdown import code_text, tables

MOST_LINES = 200
RUNS = "a script without spaces between words"


def test_the_treatment_of_each_corpus_is_shown(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        corpora="{train: {path: train.txt, words: whitespace, normalise: [lowercase, "
        "{remove: '[|`]'}]}, test: {held-out: {path: test.txt, errors: skip-line}}}",
    )
    corpora, _ = tables(overview(run))
    assert [code_text(row[2]) for row in corpora[1:]] == ["whitespace", "words.v2"]
    assert [code_text(row[3]) for row in corpora[1:]] == [
        'normalise=[lowercase,{remove:"[|`]"}]',
        "errors=skip-line",
    ]


def test_a_size_that_was_reached_counts_though_another_was_left_out(tmp_path: Path) -> None:
    _, systems = tables(overview(tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2, 4]")))
    assert systems[1][3] == "4"


def test_merges_are_reported_with_the_size_that_they_gave(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}]", sizes=None, merges="[1, 9]")
    _, systems = tables(overview(run))
    assert systems[1][3] == "4 (requested merges:1), 5 (requested merges:9)"


def test_without_a_baseline_nothing_is_marked(tmp_path: Path) -> None:
    texts = {"test": "ab abc abc\n" * 20}
    assert "| 2.667‡ ▲ (2.667–2.667) |" in details(tiny_run(tmp_path, texts=texts))
    text = details(tiny_run(tmp_path, texts=texts, baseline="null"))
    assert "| 2.667‡ (2.667–2.667) |" in text
    assert "There is no baseline, so no differences are tested." in text
    assert not {"▲", "▼"} & {*text}


@pytest.mark.parametrize(
    ("script", "words"),
    [("Chinese", "他说今天很好。\n"), ("Thai", "ฉันรักภาษาไทย\n"), ("Japanese", "今日はいい天気\n")],
)
def test_unspaced_scripts_are_said_to_be_runs(tmp_path: Path, script: str, words: str) -> None:
    text = overview(tiny_run(tmp_path, texts={"test": words}))
    assert f"\n*held-out*: this text contains {RUNS}" in text


@pytest.mark.parametrize("words", ["한국어 문장\n", "ab abd c\n", "日 本\n"])
def test_spaced_scripts_are_words(tmp_path: Path, words: str) -> None:
    assert RUNS not in overview(tiny_run(tmp_path, texts={"test": words}))


def test_an_unspaced_list_needs_no_warning(tmp_path: Path) -> None:
    texts = {"novel": "今日\n", "gold": "天気\t天 気\n"}
    assert RUNS not in overview(tiny_run(tmp_path, texts=texts, corpora=LISTED))


def test_the_report_is_complete_where_nothing_was_scored(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2]")
    text = report(run)
    assert "- nothing was scored: no system has a vocabulary\n" in text
    assert [len(table) for table in tables(text)] == [3, 2]


def test_they_are_those_of_the_results(tmp_path: Path) -> None:
    run = tiny_run(tmp_path)
    text = signatures(run)
    distinct = {run.signature(row).replace(f"|{row.metric}|", "|METRIC|") for row in run.rows}
    assert len(distinct) == 5
    assert all(f"- `{signature}`\n" in text for signature in distinct)


def test_backticks_in_an_option_stay_inside_the_code(tmp_path: Path) -> None:
    ticked = "{name: b, learner: {use: bpe, eow: {kind: fused, text: '``'}}}"
    (line,) = (
        line
        for line in signatures(tiny_run(tmp_path, systems=f"[{ticked}]", sizes="[100]")).split("\n")
        if line.startswith("- ")
    )
    assert line.startswith("- ```bpe(eow={kind:fused,text:``})|size=100|")
    assert line.endswith("```")


def test_what_a_metric_says_of_itself_holds_no_tags_and_links(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, metrics="[fertility]")
    hostile = [
        replace(m, meaning="Red \x1b[0m <img src=x> [x](y), `code`.") for m in run.record.metrics
    ]
    text = details(replace(run, record=replace(run.record, metrics=tuple(hostile))))
    assert r"Red \x1b\[0m \<img src=x\> \[x\](y), `code`." in text


def test_steps_are_listed_in_order_with_their_sum_then_speeds(tmp_path: Path) -> None:
    costs = (
        Cost("bpe", "learn", "500", 1.25, 99.6),
        Cost("char", "learn", "", 0.0014, 101.2, True),
    )
    speeds = (
        Speed("bpe", "500", 6000, (0.003, 0.002, 0.006), 60, (0.00025, 0.0005, 0.00025)),
        Speed("char", "", 10, (0.00001,) * 3, None, ()),
    )
    run = tiny_run(tmp_path)
    text = cost_report(replace(run, record=replace(run.record, cost=costs, speeds=speeds)))
    assert "\nAll steps: 1.25 s.\n" in text
    assert tables(text) == [
        [
            ["system", "step", "size", "seconds", "peak memory, MB", "from where"],
            ["bpe", "learn", "500", "1.250", "100", ""],
            ["char", "learn", "all", "0.001", "101", "cached"],
        ],
        [
            ["system", "size", "MB/s", "ms per request"],
            ["bpe", "500", "2.000 (1.000 to 3.000)", "0.250 (0.250 to 0.500)"],
            ["char", "all", "1.000 (1.000 to 1.000)", ""],
        ],
    ]


@pytest.mark.ci
@pytest.mark.parametrize(
    "config", ["toy", "bpe", "oov", "korean-morphemes", "oov-korean", "pretrained"]
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
    assert "`data/metrics.md` has every metric at all sizes" in report(tiny_run(tmp_path))
