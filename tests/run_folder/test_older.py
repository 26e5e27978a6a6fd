"""A run folder that an earlier version wrote in format 3 is read as it is."""

import shutil
from pathlib import Path

import pytest
from tokbench_views.tables import summary

from tests.run_cli import tokbench_here
from tokbench.run_folder import Run

FOLDER = Path(__file__).parents[1] / "data" / "run_of_format_3"


def test_its_numbers_vocabularies_and_tokens_are_read() -> None:
    run = Run.load(FOLDER)
    (row,) = (
        row
        for row in run.rows
        if (row.system, row.size, row.metric, row.corpus, row.subset)
        == ("bpe", "24", "fertility", "held-out", "all")
    )
    segmentation = run.segmentation("bpe", "held-out", "24")
    tokens = segmentation.tokens @ segmentation.count
    assert row.value == pytest.approx(tokens / segmentation.count.sum())
    assert run.vocabulary("bpe", "16").size == 16
    assert len(run.frame("curves")) > 20
    assert run.record.unreached == ()
    assert "bpe" in summary(run)
    assert {outcome.told_edge for outcome in run.record.outcomes} == {""}
    assert not any(map(run.loses_word_ends, run.rows)), "it is not known"
    assert run.record.labels["fertility"] == "fertility", "it has no labels"


@pytest.mark.parametrize(
    "command",
    [
        ("verify", FOLDER),
        ("show", FOLDER, "page"),
        ("compare", FOLDER, FOLDER),
        ("export", f"{FOLDER}:bpe@24", "--to", "hf"),
    ],
)
def test_commands_take_it(command: tuple[str | Path, ...]) -> None:
    done = tokbench_here(*command)
    assert (done.returncode, done.stderr.count("warning")) == (0, 0)


def test_its_documents_are_written_where_they_stand_now(tmp_path: Path) -> None:
    """Those of then are removed; its data stays."""
    folder = tmp_path / "run"
    shutil.copytree(FOLDER, folder)
    data = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    (folder / "cost.md").write_text("of then")
    done = tokbench_here("report", folder)
    assert done.returncode == 0, done.stderr
    written = {"answer.json", "data/cost.md", "data/metrics.md", "report.html", "report.md"}
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    assert files == data | {*map(Path, written)}
    assert tokbench_here("verify", folder).returncode == 0
    assert {row.system for row in Run.load(folder).rows} == {"bpe", "char", "wordpiece"}
