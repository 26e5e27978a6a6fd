"""Whole runs through the real command: results, folders, exit codes, reproducibility."""

import csv
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tokbench import Run

from .page_data import data_of
from .run_cli import tokbench, tokbench_here
from .shipped import OF_SHARED_DATA, ROOT, ShippedRun, environment_of

CONFIG = """
corpora:
  train: train.txt
  test: {held-out: test.txt}
sizes: [30, 40]
systems: [bpe, char, word]
metrics: [oov-words-running, fertility, tokens]
resamples: 100
"""


def rows(run: Path) -> Iterator[dict[str, str]]:
    with (run / "results.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def test_a_run_leaves_its_folder_in_the_current_one(tmp_path: Path) -> None:
    """25 lines `lowest newN`: lowest is unseen; new0, new1 and new2 hold an unseen digit."""
    (tmp_path / "config.yaml").write_text(CONFIG)
    (tmp_path / "train.txt").write_text("low low low lower\nnewest newest widest\n" * 5)
    (tmp_path / "test.txt").write_text("".join(f"lowest new{n % 3}\n" for n in range(25)))
    done = tokbench_here("run", "config.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (run,) = (tmp_path / "runs").iterdir()
    assert run.name.startswith("config-")
    assert sorted(path.relative_to(run).as_posix() for path in run.rglob("*")) == [
        "answer.json",
        "data",
        "data/advice.csv",
        "data/cost.md",
        "data/coverage.csv",
        "data/health.csv",
        "data/metrics.md",
        "data/numbers.csv",
        "data/segmentations",
        "data/segmentations/bpe.npz",
        "data/segmentations/char.npz",
        "data/segmentations/word.npz",
        "data/signatures.csv",
        "data/sizes.csv",
        "data/unseen.csv",
        "data/vocabularies",
        "data/vocabularies/bpe.json",
        "data/vocabularies/char.json",
        "data/vocabularies/word.json",
        "data/words.npz",
        "report.html",
        "report.md",
        "results.csv",
        "run.json",
    ]
    assert done.stdout.endswith(f"Report: runs/{run.name}/report.html\n")
    assert {row["size"] for row in rows(run) if row["system"] == "bpe"} == {"30", "40"}
    assert {row["size"] for row in rows(run) if row["system"] == "char"} == {""}
    assert {row["baseline"] for row in rows(run) if row["system"] == "char"} == {"bpe@40"}
    by_metric = {(r["system"], r["size"], r["subset"], r["metric"]): r for r in rows(run)}
    char = by_metric["char", "", "all", "tokens"]
    assert (char["value"], char["n"]) == ("250", "25")
    word = by_metric["word", "30", "all", "oov-words-running"]
    # No running word is anything else, so resamples could not tell how rare that is.
    assert (word["value"], word["n"], word["low"], word["high"]) == ("1", "50", "", "")
    assert (word["events"], word["event-units"]) == ("0", "0")
    assert by_metric["char", "", "all", "oov-words-running"]["value"] == "0.5"
    read = Run.load(run)
    (row,) = (r for r in read.rows if (r.system, r.subset, r.metric) == ("char", "all", "tokens"))
    signature = read.signature(row).split("|")
    assert signature[0] == "char"
    assert signature[1].startswith("train=train@")
    assert signature[-3:-1] == ["tokens", "resamples=100,seed=0"]


@pytest.mark.parametrize(
    "config",
    [
        *(pytest.param(name, marks=pytest.mark.ci) for name in ("toy", "bpe")),
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ("korean", *OF_SHARED_DATA)),
    ],
)
def test_shipped_configs_give_the_same_bytes_twice(
    config: str, shipped_run: ShippedRun, tmp_path: Path
) -> None:
    """Everything but what was measured depends only on config, corpora and versions.

    Seconds stand in run.json, in cost.md, and in one chart of report.html. One run was in this
    process, or in one that ran other configs before; the other is in a fresh one, which orders sets
    otherwise.
    """
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = environment_of(tmp_path) | {"PYTHONHASHSEED": seed}
    path = ROOT / "configs" / f"{config}.yaml"
    done = tokbench("run", "-q", path, "-o", tmp_path / "fresh", **environment)
    assert done.returncode == 0, done.stderr
    assert reproducible(tmp_path / "fresh") == reproducible(shipped_run(config))


def reproducible(folder: Path) -> tuple[dict[str, bytes], str, dict[str, Any]]:
    """Return what must be the same each time: files, the page without its data, its data."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    del contents["run.json"], contents["data/cost.md"]
    page = contents.pop("report.html").decode()
    data = data_of(page)
    assert data.pop("cost")
    return contents, re.sub('id="data">.*<', "", page), data


@pytest.mark.nightly
def test_shakespeare_gives_the_figures_of_the_student_report(shared: Path, tmp_path: Path) -> None:
    """Tokens and single-token words as two independent programs give them for the 2018 edition."""
    (tmp_path / "pg100.txt.gz").symlink_to(shared / "shakespeare" / "pg100_2018-06-14.txt.gz")
    cases = map(json.loads, (shared / "golden" / "textbook_cases.jsonl").open(encoding="utf-8"))
    case = next(case for case in cases if case["id"] == "seed000-table")
    (tmp_path / "infer.txt").write_text("\n".join(case["input"]["infer"]) + "\n")
    (tmp_path / "seed.yaml").write_text(
        r"""
corpora:
  train: {path: pg100.txt.gz, words: whitespace, normalise: [lowercase, {remove: '[^a-z\s]'}]}
  test: {infer: {path: infer.txt, words: whitespace, normalise: [lowercase]}}
sizes: [100, 500, 1000, 2500, 5000, 10000]
systems:
  - {name: seed, learner: {use: bpe, merge: indexed, eow: absent, ties: first}}
metrics: [tokens, fertility, kept-whole-running]
"""
    )
    done = tokbench_here("run", "seed.yaml", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    of_all = [row for row in rows(tmp_path / "out") if row["subset"] == "all"]
    values = {
        metric: [float(row["value"]) for row in of_all if row["metric"] == metric]
        for metric in ("tokens", "fertility", "kept-whole-running")
    }
    assert values["tokens"] == [67, 45, 41, 33, 30, 29]
    assert values["fertility"] == pytest.approx([t / 21 for t in values["tokens"]], rel=1e-11)
    kept = [8, 11, 12, 15, 16, 17]
    assert values["kept-whole-running"] == pytest.approx([k / 21 for k in kept], rel=1e-11)
    assert len(list((tmp_path / "out" / "data/vocabularies").iterdir())) == 1
