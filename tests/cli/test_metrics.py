import csv
import json
import re
from pathlib import Path

import pytest
from tokbench_metrics import tokbench_metrics

from tests.run_cli import tokbench_here
from tokbench.api import Learned, Vocabulary


def run(*arguments: str) -> str:
    done = tokbench_here("metrics", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_table_has_unit_direction_range_and_formula() -> None:
    header, *rows = run().splitlines()
    assert header.split() == ["metric", "label", "unit", "better", "range", "formula"]
    fertility = next(row for row in rows if row.startswith("fertility "))
    assert re.split("  +", fertility) == [
        *("fertility", "tokens per word", "line", "lower", "at least 0", "tokens / running words")
    ]


def test_one_metric_is_shown_in_full() -> None:
    out = run("renyi-efficiency-declared")
    assert out.startswith("renyi-efficiency-declared\n\nThe Rényi entropy")
    assert "formula   log2(sum of p^power) / (1 - power) / log2(|V| + 1)" in out
    assert "range     0 to 1 by default" in out
    assert "\npower: number (above 0); default `2.5`\n    the order of the entropy" in out
    assert "needs" not in out


def test_json_and_csv_hold_every_fact() -> None:
    records = json.loads(run("--format", "json"))
    rows = list(csv.DictReader(run("--format", "csv").splitlines(keepends=True)))
    assert rows == records
    assert {*tokbench_metrics()} <= {record["metric"] for record in records}
    (exact,) = json.loads(run("exact-match", "--format", "json"))
    assert (exact["needs"], exact["unit"]) == ("gold", "word")
    assert "\n| exact-match | words cut as in gold | word | higher | 0 to 1 | " in run(
        "exact-match", "--format", "md"
    )


@pytest.mark.parametrize(
    "command",
    [
        ("metrics", "--format", "csv"),
        ("plugins",),
        ("corpora", "list"),
        ("models", "list"),
        ("explain", "VOCABULARY", "low"),
        ("bytes", "VOCABULARY"),
    ],
)
def test_a_file_gets_what_a_command_would_print(command: tuple[str, ...], tmp_path: Path) -> None:
    vocabulary = tmp_path / "low.json"
    vocabulary.write_text(
        Vocabulary.build("low", [Learned(("l", "o"))], segmenter={"use": "bpe"}).to_json(), "utf-8"
    )
    words = [str(vocabulary) if word == "VOCABULARY" else word for word in command]
    output = tmp_path / "new" / "output"
    printed = tokbench_here(*words).stdout
    written = tokbench_here(*words, "-o", output)
    assert (written.returncode, written.stdout, written.stderr) == (0, "", "")
    assert output.read_bytes().decode() == printed != ""
    again = tokbench_here(*words, "-o", output)
    assert again.stderr == f"error: {output}: already exists: choose another name\n"
    failed = tokbench_here(*words, "--format", "none", "-o", tmp_path / "failed")
    assert failed.returncode == 2
    assert not (tmp_path / "failed").exists()
