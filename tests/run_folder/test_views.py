"""Every view of a run is the same from memory and from its folder."""

import re
from pathlib import Path

import pytest
from tokbench_views.tables import summary

from tests.tiny import BPE, LISTED, documents, run_of, tiny_run
from tests.views.test_documents import FAILING
from tokbench import Run, plugins
from tokbench.run_folder import write_run
from tokbench.sizes.advice import advice_from


def run_config(root: Path, name: str, folder: Path) -> Run:
    """Run a config of the checkout with few resamples."""
    path = root / name
    text = re.sub(r"^resamples: .*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = re.sub(r"(\.\./)+corpora", str(root / "corpora"), text) + "\nresamples: 50\n"
    copied = folder / path.name
    copied.write_text(text, encoding="utf-8")
    odd = [path.with_name("plugin.py")] if path.parent.name == "same_runs" else []
    return run_of(copied, plugins.load(odd))


def assert_same_views(run: Run, folder: Path) -> None:
    """Compare all views of a run with those of what its folder gives; and the folders."""
    written = documents(run)
    write_run(folder / "one", run, written)
    loaded = Run.load(folder / "one")
    assert documents(loaded) == written
    assert summary(loaded) == summary(run)
    assert advice_from(run) == list(run.advice) == list(loaded.advice)
    assert advice_from(loaded, 0.1) == advice_from(run, 0.1)
    write_run(folder / "two", loaded, written)
    files, files_again = (
        {str(p.relative_to(side)): p.read_bytes() for p in side.rglob("*") if p.is_file()}
        for side in (folder / "one", folder / "two")
    )
    assert files == files_again
    signed = [run.signature(row) for row in run.rows]
    assert [loaded.signature(row) for row in loaded.rows] == signed


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("configs/korean.yaml", marks=pytest.mark.ci),
        pytest.param("configs/bpe.yaml", marks=pytest.mark.nightly),
        pytest.param("benchmarks/same_runs/merges-curve.yaml", marks=pytest.mark.ci),
        pytest.param("benchmarks/same_runs/both-contexts.yaml", marks=pytest.mark.ci),
    ],
)
def test_shipped_configs_have_the_same_views(root: Path, tmp_path: Path, name: str) -> None:
    assert_same_views(run_config(root, name, tmp_path), tmp_path)


def test_failures_lists_and_gold_have_the_same_views(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        FAILING.replace("no | idea", "no | idea \\udcff"),
        texts={
            "test": "ab abd c\nabc ab\n" * 20, "novel": "abd\tnew\nzz\t007\n",
            "gold": "abc\tab c\tNA\n",
        },
        corpora=LISTED,
        systems=f"[{BPE}, char, word, failing, {{name: '007', learner: bpe}}]",
        sizes="{from: 2, to: 9, list: [2, 9], curve: true}",
        metrics="[fertility, tokens, oov-words-running, vocabulary-use, boundary-f1-micro]",
    )  # fmt: skip
    assert run.record.failures
    assert {row.status for row in run.rows} > {"ok", "undefined"}
    assert_same_views(run, tmp_path)
