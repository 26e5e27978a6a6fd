"""The section on sizes: what it shows, and when it is left out."""

from dataclasses import replace
from pathlib import Path

from tokbench_views.sizes import (
    advice_table,
    four_digits,
    legend,
    percent,
    size_table,
    which_size,
)

from tests.tiny import tiny_run
from tokbench.run_folder import AdviceRow, Labels, SizeStatistics

from .markdown import section, tables


def advice(
    system: str = "bpe", corpus: str = "held-out", metric: str = "fertility", **changed: object
) -> AdviceRow:
    fields: dict[str, object] = {
        "system": system,
        "corpus": corpus,
        "metric": metric,
        "better": "lower",
        "tolerance": 0.01,
        "best_size": "4000",
        "best_value": 1.25,
        "within_size": "2000",
        "within_value": 1.2601,
        "not_worse_size": "2000",
        "curve_best_size": None,
        "curve_best_value": None,
        "curve_within_size": None,
        "curve_within_value": None,
        "knee_of": "sizes",
        "knee_size": "1000",
        "knee_value": 1.5,
    }
    return AdviceRow(**{**fields, **changed})


SIZES = (
    SizeStatistics("bpe", "1000", 1000, 12_345, 1 / 3, 1234, 2.5, 1.75),
    SizeStatistics("bpe", "2000", 1998, 9_000, None, None, None, None, 0.000125),
)
NOT_WORSE = "smallest size not significantly worse"
HEAD = [*("metric", "system", "corpus", "better", "best", "within 1 %", NOT_WORSE, "knee", "sizes")]


def test_the_section_shows_the_rules_and_the_training_text(tmp_path: Path) -> None:
    of_all = advice(), advice("a|b"), advice("bpe", "another-text")
    run = replace(tiny_run(tmp_path), advice=of_all, sizes=SIZES)
    shown = section(which_size(run), "Which size is enough?")
    rules, sizes = tables(shown)
    cells = ["lower", "4000 (1.25)", "2000 (1.26)", "2000", "1000 (1.5)", "listed"]
    assert rules == [
        HEAD,
        ["tokens per word", "bpe", "held-out", *cells],
        ["tokens per word", "a\\|b", "held-out", *cells],
    ]
    assert sizes == [
        ["system", "size", "vocabulary size", "D", "F95%", "H", "MUV × 1000"],
        ["bpe", "1000", "1,000", "0.3333", "1,234", "1.75", ""],
        ["bpe", "2000", "1,998", "", "", "", "0.125"],
    ]
    for column in (*HEAD[4:], "D", "F95%", "H", "MUV × 1000"):
        assert f"\n- *{column}*: " in shown
    assert which_size(replace(run, advice=())) == ""


def test_a_curve_is_shown_where_there_is_one() -> None:
    row = advice(
        curve_best_size="3990", curve_best_value=1.24,
        curve_within_size="1870", curve_within_value=1.252, knee_size=None, knee_value=None,
    )  # fmt: skip
    ((*_, best, within, not_worse, knee, sizes),) = advice_table([row], Labels()).rows
    assert (best, within, not_worse, knee, sizes) == (
        "3990 (1.24)", "1870 (1.252)", "2000", "", "every",
    )  # fmt: skip


def test_the_tolerance_stands_in_title_and_legend() -> None:
    assert (percent(0.01), percent(0.025), percent(0)) == ("1 %", "2.5 %", "0 %")
    assert "within 2.5 %" in advice_table([advice(tolerance=0.025)], Labels()).columns
    assert legend({"within {tolerance}": "at most {tolerance}"}, [advice(tolerance=0.025)]) == (
        "- *within 2.5 %*: at most 2.5 %.\n"
    )


def test_every_column_has_its_cell() -> None:
    for table in (advice_table([advice()], Labels()), size_table(SIZES)):
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_numbers_have_four_digits() -> None:
    assert [four_digits(x) for x in (None, 0.0, 1.09, 0.94004, 0.0000439, 51_899.0, -1234.5)] == [
        "", "0", "1.09", "0.94", "4.39e-05", "51,899", "-1,234",
    ]  # fmt: skip
