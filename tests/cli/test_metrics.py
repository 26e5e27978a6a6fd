import csv
import json

import pytest
from click.testing import CliRunner
from tokbench_commands.metrics import command
from tokbench_metrics import tokbench_metrics

from tokbench.errors import UsageError

PLUGIN = '''
from tokbench.api import WholeMetric, hookimpl

class Zero(WholeMetric):
    """Always 0."""
    formula = "0"
    range = (0, 0)

    def measure(self, segmentation):
        return 0.0

@hookimpl
def tokbench_metrics():
    return {"zero": Zero}
'''


def run(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False)


def test_the_table_has_unit_direction_range_and_formula():
    header, *rows = run().stdout.splitlines()
    assert header.split() == ["metric", "unit", "better", "range", "formula"]
    fertility = next(row for row in rows if row.startswith("fertility "))
    assert fertility.split(maxsplit=3)[1:3] == ["line", "lower"]
    assert fertility.split(maxsplit=3)[3].split("  ")[0] == "at least 0"
    assert fertility.endswith(" tokens / running words")


def test_one_metric_is_shown_in_full():
    out = run("renyi-efficiency-declared").stdout
    assert out.startswith("renyi-efficiency-declared\n\nThe Rényi entropy")
    assert "formula   log2(sum of p^power) / (1 - power) / log2(|V| + 1)" in out
    assert "range     0 to 1 by default" in out
    assert "; power (default 2.5): the order of the entropy" in out
    assert "needs" not in out


def test_json_and_csv_hold_every_fact():
    records = json.loads(run("--format", "json").stdout)
    rows = list(csv.DictReader(run("--format", "csv").stdout.splitlines(keepends=True)))
    assert rows == records
    assert {*tokbench_metrics()} <= {record["metric"] for record in records}
    (one,) = json.loads(run("exact-match", "--format", "json").stdout)
    assert (one["needs"], one["unit"]) == ("gold", "word")


def test_markdown_is_the_page_or_one_section():
    assert run("--format", "md").stdout.startswith("# Metrics\n")
    assert run("tokens", "--format", "md").stdout.startswith("## tokens\n")


def test_an_unknown_name_is_an_error_with_a_suggestion():
    with pytest.raises(UsageError, match=r"no plugin offers a metric 'fertilty'.*'fertility'"):
        run("fertilty")


def test_a_plugin_file_s_metrics_are_shown(tmp_path):
    file = tmp_path / "zero.py"
    file.write_text(PLUGIN, encoding="utf-8")
    assert "Always 0." in run("zero", "-p", file).stdout


def test_a_broken_plugin_is_named_beside_the_table(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("import nowhere_to_be_found", encoding="utf-8")
    result = run("-p", file)
    assert "plugin broken.py is broken: ModuleNotFoundError" in result.stderr
    assert "nowhere" not in result.stdout
