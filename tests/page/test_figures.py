"""Charts of a run as Vega-Lite specifications with their numbers, and as files."""

from pathlib import Path
from typing import Any

import pytest
import vl_convert
from tokbench_page.charts import style
from tokbench_page.figures import COLUMNS, figure
from tokbench_views.views import OneTable

from tests.run_cli import tokbench_here
from tests.tiny import BPE, LISTED, TinyRun, tiny_run
from tokbench.api import UsageError
from tokbench.run_folder import write_run

SYSTEMS = f"[{BPE}, {{name: marked, learner: bpe, sizes: [6, 8]}}, char]"
TEXTS = {"novel": "abd\tblend\n", "gold": "abc\tab c\nab\ta b\n", "test": "ab abd c\nabc ab\n" * 30}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> TinyRun:
    folder = tmp_path_factory.mktemp("figures")
    metrics = "[fertility, boundary-kappa]"
    return tiny_run(folder, texts=TEXTS, corpora=LISTED, metrics=metrics, systems=SYSTEMS)


def points(run: TinyRun, kind: str, **choice: Any) -> list[dict[str, Any]]:
    drawn: list[dict[str, Any]] = figure(run, kind, OneTable(**choice)).spec["datasets"]["points"]
    return drawn


def values(run: TinyRun, metric: str, subset: str = "all") -> dict[tuple[str, str], Any]:
    """Return the rows of a metric by system and size, on the corpus that figures take."""
    corpus = "parts" if metric == "boundary-kappa" else "held-out"
    place = metric, corpus, subset
    return {
        (row.system, row.size): row
        for row in run.rows
        if (row.metric, row.corpus, row.subset) == place
    }


def test_points_are_the_numbers_of_the_run(run: TinyRun) -> None:
    tokens, kappa = values(run, "fertility"), values(run, "boundary-kappa")
    several = {key: row for key, row in tokens.items() if row.system != "char"}
    assert [(p["system"], p["x"], p["y"], p["low"], p["high"]) for p in points(run, "sizes")] == [
        (row.system, row.vocabulary_size, row.value, row.low, row.high)
        for row in several.values()
    ]  # fmt: skip
    assert [(p["x"], p["y"]) for p in points(run, "scatter")] == [
        (tokens[key].value, kappa[key].value) for key in kappa
    ]
    assert [p["group"] for p in points(run, "intervals")] == ["bpe@5", "marked", "char"]
    assert [p["group"] for p in points(run, "intervals", metric=("boundary-kappa",))] == [
        "char", "bpe@5", "marked",
    ], "the highest agreement first"  # fmt: skip
    bands = [p for p in points(run, "bands", size="4") if p["system"] == "bpe"]
    assert [(p["group"], p["y"]) for p in bands] == [
        (group, values(run, "fertility", band)["bpe", "4"].value)
        for group, band in [
            ("never seen", "unseen"), ("seen once", "band:1"), ("seen 2-5 times", "band:2-5"),
        ]
    ]  # fmt: skip


def test_lengths_without_word_ends_are_hollow_and_lost_text_is_left_out(tmp_path: Path) -> None:
    corpora = "{train: train.txt, test: {held-out: test.txt}}"
    run = tiny_run(tmp_path, corpora=corpora, systems=SYSTEMS, gate="0", metrics="[fertility]")
    with pytest.raises(
        UsageError, match="nothing to draw: no system has two sizes that may be compared"
    ):
        figure(run, "sizes", OneTable())
    run = tiny_run(tmp_path, corpora=corpora, systems=SYSTEMS, metrics="[fertility]")
    assert {p["system"] for p in points(run, "intervals") if p["lost"]} == {"bpe", "char"}
    assert "Hollow: word ends lost" in figure(run, "intervals", OneTable()).caption
    caption = figure(run, "sizes", OneTable()).caption
    assert " only. Not drawn: char. train=" in caption
    assert "|fertility|" in caption


def test_a_system_keeps_its_style_when_others_are_left_out(run: TinyRun) -> None:
    spec = figure(run, "sizes", OneTable(system=("marked",))).spec
    shapes = [layer["encoding"]["shape"] for layer in spec["layer"] if "shape" in layer["encoding"]]
    assert shapes[0]["scale"] == {"domain": ["marked"], "range": [style(1)["shape"]]}
    assert shapes[0]["legend"]


def test_what_a_chart_cannot_show_is_refused(run: TinyRun) -> None:
    with pytest.raises(UsageError, match="--subset: a chart of bands shows each subset"):
        figure(run, "bands", OneTable(subset="unseen"))
    with pytest.raises(UsageError, match="--metric: found 1, expected 2 for scatter"):
        figure(run, "scatter", OneTable(metric=("fertility",)))


@pytest.mark.ci
@pytest.mark.parametrize("kind", COLUMNS)
def test_a_figure_is_drawn(kind: str, run: TinyRun) -> None:
    drawing = vl_convert.vegalite_to_svg(figure(run, kind, OneTable()).spec)
    for text in ("marked", "tokens per word (lower is better)"):
        assert f">{text}</text>" in drawing


@pytest.mark.ci
def test_the_command_writes_a_file_and_a_caption(run: TinyRun, tmp_path: Path) -> None:
    write_run(tmp_path / "run", run)
    for name, begin in (("a.pdf", b"%PDF"), ("a.png", b"\x89PNG"), ("a.svg", b"<svg")):
        done = tokbench_here("figure", "run", "sizes", "-o", name, cwd=tmp_path)
        assert done.stdout.startswith(f"Written: {name}\nCaption: tokens per word, held-out")
        assert (tmp_path / name).read_bytes().startswith(begin)
    done = tokbench_here("figure", "run", "sizes", "-o", "a.jpg", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "error: -o: a.jpg: found '.jpg', expected one of .pdf, .svg, .png\n"
