"""The table of bits per byte in docs/replications/field.md is what its config gives."""

import csv
import re
from pathlib import Path

import pytest

from . import pages
from .conftest import ROOT
from .recomputed import agrees_with_csv_files
from .run_cli import tokbench_here as tokbench
from .test_field import CORPORA

SHOWN = ("bpe", "unigram", "char", "word")
TEXT = "oliver-twist"

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def folder(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of four systems of the config; the others take minutes more."""
    corpora = tmp_path_factory.mktemp("corpora")
    for name, path in CORPORA.items():
        (corpora / name).symlink_to(shared / path)
    text = (ROOT / "configs" / "field-bits.yaml").read_text("utf-8")
    systems = re.search(r"^systems:\n(?:  .*\n)+", text, re.MULTILINE)
    assert systems
    config = tmp_path_factory.mktemp("config") / "field-bits.yaml"
    config.write_text(text.replace(systems[0], f"systems: [{', '.join(SHOWN)}]\n"), "utf-8")
    out = config.parent / "out"
    done = tokbench("run", "-q", config, "-o", out, TOKBENCH_CORPORA=str(corpora))
    assert done.returncode == 0, done.stderr
    return out


def test_the_recommendation_agrees_with_its_csv_files(folder: Path) -> None:
    agrees_with_csv_files(folder)


def test_the_page_shows_values_intervals_and_orders(folder: Path) -> None:
    page = (ROOT / "docs" / "replications" / "field.md").read_text("utf-8")
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["subset"] == "all"]
    whole_rows = {(r["system"], r["metric"]): r for r in rows if r["training-share"] == "1"}
    part_rows = {(r["system"], r["metric"]): r for r in rows if r["training-share"] == "0.3"}
    with (folder / "data/bits-per-byte.csv").open() as file:
        held_back = [*csv.DictReader(file)]
    for system in SHOWN:
        bits = [float(r["held-back-bits-per-byte"]) for r in held_back if r["system"] == system]
        row = whole_rows[system, "bits-per-byte"]
        # Holm's correction is over all systems of the table, so the marks are the config's.
        shown = pages.interval({**row, "p-holm": ""})
        shown = shown.replace(" (", " † (") if row["gated"] else shown
        cells = (
            shown,
            str(1 + bits.index(min(bits))),
            pages.plain({**whole_rows[system, "bits-per-byte-witten-bell"], "p-holm": ""}),
            pages.plain({**part_rows[system, "bits-per-byte"], "p-holm": ""}),
        )
        expected = pages.line(f"`{system}`", *cells)
        assert expected in re.sub(r" [▲▼] \(", " (", page)


def test_all_systems_of_the_config_stand_in_the_table() -> None:
    page = (ROOT / "docs" / "replications" / "field.md").read_text("utf-8")
    table = page.split("## As parts of a model")[1].split("\n## ")[0]
    systems = re.findall(r"^\| `(\S+)` \|", table, re.MULTILINE)
    assert len(systems) == len(set(systems)) == 14
    bits = [float(re.search(r"\d\.\d+", row)[0]) for row in re.findall(r"^\| `.*", table, re.M)]
    assert bits == sorted(bits)
