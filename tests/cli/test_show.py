"""`tokbench show`: of unseen words the section and its numbers, and which size is enough."""

import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.pages import line
from tests.run_cli import tokbench_here as tokbench
from tests.run_folder.sample import sealed_again
from tests.shipped import ShippedRun
from tests.tiny import BPE, config
from tokbench.api import Vocabulary
from tokbench.printing import cell

CONFIG = """\
corpora: {train: train.txt, test: {held-out: test.txt}, pairs: {typos: typos.txt}}
systems: [char, {learner: word, sizes: [3]}]
metrics: [fertility, lost-whole]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("show")
    (here / "train.txt").write_text("ab ab abc abc b\n", "utf-8")
    (here / "test.txt").write_text("ab abd cab\nabc abd\n", "utf-8")
    (here / "typos.txt").write_text("acb\tabc\tswap\n", "utf-8")
    (here / "config.yaml").write_text(CONFIG, "utf-8")
    done = tokbench("run", "-q", here / "config.yaml", "-o", here / "out")
    assert done.returncode == 0, done.stderr
    return here / "out"


def test_it_is_the_section_of_all_metrics(folder: Path) -> None:
    done = tokbench("show", folder, "oov")
    assert (done.returncode, done.stderr) == (0, "")
    report = (folder / "data/metrics.md").read_text("utf-8")
    assert done.stdout.startswith("## Unseen, rare and special words\n\n")
    assert done.stdout.strip() in report
    assert "### By frequency" in done.stdout
    assert "### Under noise" in done.stdout


def test_what_reads_a_damaged_run_ends_in_one_message(folder: Path, tmp_path: Path) -> None:
    """With digests that fit: no corpora, or a vocabulary of one token under the ids of more."""
    run = tmp_path / "run"
    shutil.copytree(folder, run)
    path = run / "data/vocabularies/char.json"
    vocabulary = Vocabulary.from_json(path.read_text("utf-8"))
    path.write_text(Vocabulary.build(vocabulary.tokens[:1], []).to_json(), "utf-8")
    sealed_again(run)
    compared = tokbench("compare", run, folder)
    record = json.loads((run / "run.json").read_text("utf-8"))
    (run / "run.json").write_text(json.dumps({**record, "corpora": []}), "utf-8")
    sealed_again(run)
    shown = tokbench("show", run, "table")
    for done, runs in ((compared, f"{run} or {folder}"), (shown, run)):
        assert done.returncode == 1
        message = f"error: {runs}: the run is damaged, or what reads it has a mistake: IndexError: "
        assert done.stderr.startswith(message)
        assert done.stderr.count("\n") == 1
    tests_only = {**record, "corpora": record["corpora"][1:]}
    (run / "run.json").write_text(json.dumps(tests_only), "utf-8")
    sealed_again(run)
    packed = tokbench("pack", run, "-o", tmp_path / "run.zip")
    assert (packed.returncode, packed.stderr.count("\n")) == (1, 1)
    assert packed.stderr.startswith(f"error: {run}: the run is damaged, or what reads it ")
    assert not (tmp_path / "run.zip").exists()


def test_on_a_terminal_tables_keep_to_its_width(folder: Path) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    tokbench("show", folder, "table", stdout=screen, COLUMNS="18")
    lines = [line for line in screen.getvalue().splitlines() if not line.startswith("(")]
    assert lines[0].startswith("system ")
    assert max(map(len, lines)) <= 18 < len("system  tokens per word")
    assert tokbench("show", folder, "table").stdout.startswith("| system ")


def test_the_numbers_are_those_of_results(folder: Path) -> None:
    shown = tokbench("show", folder, "oov", "--format", "csv").stdout
    rows = [*csv.DictReader(io.StringIO(shown))]
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        every = [r for r in csv.DictReader(file) if r["metric"] and r["subset"] != "all"]
    assert rows == [{column: row[column] for column in rows[0]} for row in every]
    assert {row["subset"] for row in rows} >= {"unseen", "perturbed:swap"}
    as_json = json.loads(tokbench("show", folder, "oov", "--format", "json").stdout)
    numbers = [{name: cell(value) for name, value in row.items()} for row in as_json["numbers"]]
    assert numbers == rows
    with (folder / "data/unseen.csv").open(encoding="utf-8", newline="") as file:
        unseen = [{name: cell(value) for name, value in row.items()} for row in as_json["unseen"]]
        assert unseen == [*csv.DictReader(file)] != []
    assert as_json["growth"] == []


@pytest.mark.ci
def test_the_summary_names_the_folder_of_the_run(shipped_run: ShippedRun) -> None:
    folder = shipped_run("toy")
    assert f"tokbench show {folder} answer)\n" in tokbench("show", folder, "summary").stdout


@pytest.fixture(scope="module")
def enough(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the worked example with three sizes, on enough lines for intervals."""
    folder = tmp_path_factory.mktemp("sizes")
    (folder / "train.txt").write_text("ab ab ab ab abc abc b c\n" * 3)
    (folder / "test.txt").write_text("ab abd c\nabc ab\n" * 20)
    (folder / "other.txt").write_text("abc\n")
    corpora = "{train: train.txt, test: {held-out: test.txt, other: other.txt}}"
    keys = {"sizes": "[3, 4, 5]", "systems": f"[{BPE}, char, word]"}
    (folder / "tiny.yaml").write_text(config(corpora=corpora, **keys))
    done = tokbench("run", "-q", "-o", "out", "tiny.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def sizes(run: Path, *options: str) -> list[dict[str, str]]:
    """Return the rows of the view `sizes`."""
    done = tokbench("show", run, "sizes", *options, "--format", "csv")
    assert done.returncode == 0, done.stderr
    return [*csv.DictReader(io.StringIO(done.stdout))]


def test_without_options_sizes_are_the_tables_of_the_run(enough: Path) -> None:
    for file, options in (("data/advice.csv", []), ("data/sizes.csv", ["--by-size=true"])):
        with (enough / file).open(encoding="utf-8", newline="") as table:
            assert sizes(enough, *options) == [*csv.DictReader(table)]


@pytest.mark.parametrize(("tolerance", "size"), [("0", "5"), ("0.2", "4"), ("0.9", "3")])
def test_the_smallest_size_within_a_tolerance(enough: Path, tolerance: str, size: str) -> None:
    """Tokens of ab abd c abc ab: by letters 11; with ab 7 (ab, ab d, c, ab c, ab); with abc 6.

    5 words, so 2.2, 1.4 and 1.2 tokens a word: 1.4 is a sixth above 1.2, and 2.2 five sixths.
    """
    options = (f"--tolerance={tolerance}", "--system", "bpe", "--corpus", "held-out")
    rows = {row["metric"]: row for row in sizes(enough, *options)}
    fertility = rows["fertility"]
    assert (fertility["best-size"], fertility["best-value"]) == ("5", "1.2")
    assert fertility["within-size"] == size
    assert rows["oov-words-running"]["best-size"] == "3", "d is unknown at every size"


def test_sizes_of_one_system_or_corpus(enough: Path) -> None:
    assert {row["system"] for row in sizes(enough, "--system", "word")} == {"word"}
    statistics = sizes(enough, "--system", "word", "--by-size=true")
    assert [row["size"] for row in statistics] == ["3", "4", "5"]
    assert {row["corpus"] for row in sizes(enough, "--corpus", "other")} == {"other"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--system", "wrod"], 2, "--system: the run has no system 'wrod'; did you mean 'word'?"),
        (["--corpus", "x"], 2, "--corpus: the run has no corpus 'x'; there are: held-out, other"),
        (["--tolerance", "1"], 2, "view sizes: tolerance: found 1, expected a number less than"),
        (["--by-size=true", "--corpus", "other"], 2, "--corpus: with --by-size there is none: lea"),
        (["--system", "char"], 0, "There is nothing to advise on: no system here was run at two"),
    ],
)
def test_messages_of_sizes(enough: Path, arguments: list[str], code: int, message: str) -> None:
    done = tokbench("show", enough, "sizes", *arguments)
    assert done.returncode == code
    assert message in (done.stderr if code else done.stdout)


@pytest.mark.nightly
def test_what_is_said_of_the_student_report_s_size_is_so(
    root: Path, shipped_run: ShippedRun
) -> None:
    """The tables of docs/replications/shakespeare.md on the size 2,500."""
    run = shipped_run("shakespeare")
    table: list[tuple[str, ...]] = []
    for title, tolerance, column in (
        ("smallest size within 1 % of the best", "0.01", "curve-within-size"),
        ("smallest size within 10 %", "0.1", "curve-within-size"),
        ("smallest size within 20 %", "0.2", "curve-within-size"),
        ("smallest of the six sizes not significantly worse", "0.1", "not-worse-size"),
        ("knee of all sizes", "0.1", "knee-size"),
    ):
        options = ("--system=report", "--corpus=held-out", f"--tolerance={tolerance}")
        rows = {row["metric"]: row for row in sizes(run, *options)}
        three = [rows[name] for name in ("fertility", "kept-whole-running", "chars-per-token")]
        table.append((title, *(f"{int(row[column]):,}" for row in three)))
    fertility, kept, characters = (float(row["curve-best-value"]) for row in three)
    cells = f"{fertility:.3f}", f"{100 * kept:.1f} %", f"{characters:.3f}"
    table.append(("best of all sizes from 100 to 10,000", *cells))
    for row in sizes(run, "--system=report", "--by-size=true"):
        cells = f"{int(row['size']):,}", f"{float(row['class-imbalance']):.3f}"
        added = f"{1000 * float(row['muv']):.3f}" if row["muv"] else ""
        table.append((*cells, f"{int(row['frequency-95']):,}", added))
    page = root / "docs" / "replications" / "shakespeare.md"
    text = page.read_text(encoding="utf-8").replace("| |", "|  |")
    assert [row for row in table if line(*row) not in text] == []


def test_the_help_lists_all_views_with_a_line_each_or_the_options_of_one() -> None:
    done = tokbench("show", "some/run", "tabel", "--help")
    assert (
        done.stderr
        == "error: no plugin offers a view 'tabel'; did you mean 'table' (of tokbench)?\n"
    )
    done = tokbench("show", "--help", COLUMNS="80")
    names = [line.split()[0] for line in done.stdout.partition("\nViews:\n")[2].splitlines()]
    assert {"answer", "oov", "sizes", "table"} < {*names}
    assert names == sorted(names)
    for words in (["sizes"], ["some/run", "sizes"]):
        shown = tokbench("show", *words, "--help", COLUMNS="80").stdout
        assert shown.startswith("Usage: tokbench show RUN sizes [--OPTION VALUE]...\n")
        options = re.findall(r"^  (--\S+)", shown, re.MULTILINE)
        assert options == ["--tolerance", "--system", "--corpus", "--by-size", "--format"]
