"""`tokbench advise`: from a run folder alone, without plugins."""

import csv
import json
from pathlib import Path

import pytest

from tests.run_cli import Done, tokbench_here
from tests.tiny import BPE, TEXTS, config
from tests.views.markdown import section, tables

LINES = {
    "train": "ab ab ab ab abc abc b c\n" * 3,
    "test": "ab abd c\nabc ab\n" * 20,
}
KEYS = {"sizes": "[3, 4, 5]", "systems": f"[{BPE}, char, word]"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the worked example, on enough lines for intervals."""
    folder = tmp_path_factory.mktemp("advise")
    (folder / "other.txt").write_text("abc\n", encoding="utf-8")
    tests = "{held-out: test.txt, other: other.txt}"
    return write(folder, corpora=f"{{train: train.txt, test: {tests}}}")


def write(folder: Path, **keys: str) -> Path:
    for name in TEXTS:
        (folder / f"{name}.txt").write_text(LINES[name], encoding="utf-8")
    (folder / "tiny.yaml").write_text(config(**{**KEYS, **keys}), encoding="utf-8")
    done = tokbench_here("run", "-q", "-o", "out", "tiny.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def rows(done: Done) -> list[dict[str, str]]:
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(done.stdout.splitlines()))


def test_a_folder_says_again_what_its_run_found(run: Path) -> None:
    assert tokbench_here("advise", run, "--format", "csv").stdout == (run / "advice.csv").read_text(
        encoding="utf-8"
    )
    assert tokbench_here("advise", run, "--by-size", "--format", "csv").stdout == (
        run / "sizes.csv"
    ).read_text(encoding="utf-8")


def test_it_is_another_name_of_a_view(run: Path) -> None:
    for form in ("table", "md", "csv", "json"):
        same = ("--tolerance", "0.2", "--system", "bpe", "--format", form)
        shown = tokbench_here("show", run, "sizes", *same)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert tokbench_here("advise", run, *same).stdout == shown.stdout


def test_the_worked_example(run: Path) -> None:
    """Tokens of ab abd c abc ab: by letters 11; with ab 7 (ab, ab d, c, ab c, ab); with abc 6.

    5 words, so 2.2, 1.4 and 1.2 tokens a word; d is unknown at every size.
    """
    found = {
        (row["system"], row["metric"]): row
        for row in rows(tokbench_here("advise", run, "--format", "csv"))
        if row["corpus"] == "held-out"
    }
    assert {system for system, _ in found} == {"bpe", "word"}
    fertility = found["bpe", "fertility"]
    assert (fertility["best-size"], fertility["best-value"]) == ("5", "1.2")
    assert (fertility["within-size"], fertility["not-worse-size"]) == ("5", "5")
    oov = found["bpe", "oov-words-running"]
    assert (oov["best-size"], oov["within-size"], oov["not-worse-size"]) == ("3", "3", "3")


@pytest.mark.parametrize(("tolerance", "size"), [("0", "5"), ("0.2", "4"), ("0.9", "3")])
def test_another_tolerance_is_applied(run: Path, tolerance: str, size: str) -> None:
    """1.4 is a sixth above 1.2, and 2.2 five sixths."""
    arguments = ("--tolerance", tolerance, "--system", "bpe", "--format", "json")
    found = json.loads(tokbench_here("advise", run, *arguments).stdout)
    fertility = next(row for row in found if row["metric"] == "fertility")
    assert (fertility["within-size"], fertility["tolerance"]) == (size, float(tolerance))


@pytest.mark.parametrize("form", ["table", "md"])
def test_people_see_both_tables_and_what_they_mean(run: Path, form: str) -> None:
    out = tokbench_here("advise", run, "--format", form, "--tolerance", "0.02").stdout
    rules = ("within 2 %", "smallest size not significantly worse", "knee")
    for word in (*rules, "F95%", "MUV × 1000", "*D*: class imbalance"):
        assert word in out
    alone = tokbench_here("advise", run, "--format", form, "--by-size").stdout
    assert "knee" not in alone
    assert out.endswith(alone)


def test_a_tolerance_of_minus_nothing_is_none(run: Path) -> None:
    for form in ("table", "csv"):
        said = [
            tokbench_here("advise", run, "--format", form, f"--tolerance={zero}").stdout
            for zero in ("-0", "0")
        ]
        assert said[0] == said[1]
        assert "-0" not in said[0]


def test_only_a_system_or_a_corpus(run: Path) -> None:
    done = tokbench_here("advise", run, "--system", "word", "--format", "csv")
    assert {row["system"] for row in rows(done)} == {"word"}
    sizes = tokbench_here("advise", run, "--system", "word", "--by-size", "--format", "csv")
    assert [(row["system"], row["size"]) for row in rows(sizes)] == [
        ("word", "3"), ("word", "4"), ("word", "5"),
    ]  # fmt: skip
    done = tokbench_here("advise", run, "--corpus", "other", "--format", "csv")
    assert {row["corpus"] for row in rows(done)} == {"other"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["--system", "wrod"],
            2,
            "error: --system: the run has no system 'wrod'; did you mean 'word'?\n",
        ),
        (
            ["--corpus", "x"],
            2,
            "error: --corpus: the run has no corpus 'x'; there are: held-out, other\n",
        ),
        (
            ["--tolerance", "1"],
            2,
            "error: view sizes: tolerance: found '1', expected a number less than 1",
        ),
        (
            ["--tolerance", "-0.1"],
            2,
            "error: view sizes: tolerance: found '-0.1', expected a number greater than or equal",
        ),
        (
            ["--tolerance", "nan"],
            2,
            "error: view sizes: tolerance: found 'nan', expected a number less than 1",
        ),
        (
            ["--by-size", "--corpus", "other"],
            2,
            "error: --corpus: with --by-size there is none: leave",
        ),
        (["--tolerance", "1%"], 2, "error: view sizes: tolerance: found '1%', expected a number"),
        (["--system", "char"], 0, "There is nothing to advise on: no system here was run at two"),
    ],
)
def test_messages(run: Path, arguments: list[str], code: int, message: str) -> None:
    done = tokbench_here("advise", run, *arguments)
    assert done.returncode == code
    assert message in (done.stderr if code else done.stdout)
    note = "note: `tokbench show RUN sizes` shows the same\n"
    assert done.stderr.endswith(note) is (code == 0)


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    done = tokbench_here("advise", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {tmp_path}: not a run of tokbench (no run.json of ours)\n"
    assert tokbench_here("advise", tmp_path / "nowhere").returncode == 4
    done = tokbench_here("advise", tmp_path / ("x" * 300))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(f"error: {tmp_path / ('x' * 300)}: ")
    assert "Errno" not in done.stderr


def test_a_curve_gives_every_size(tmp_path: Path) -> None:
    sizes = "{from: 3, to: 5, list: [3, 5], curve: true}"
    folder = write(tmp_path, sizes=sizes, systems=f"[{BPE}]")
    done = tokbench_here("advise", folder, "--format", "csv")
    assert done.stdout == (folder / "advice.csv").read_text(encoding="utf-8")
    done = tokbench_here("advise", folder, "--tolerance", "0.2", "--format", "csv")
    (fertility,) = [row for row in rows(done) if row["metric"] == "fertility"]
    assert (fertility["within-size"], fertility["curve-within-size"]) == ("5", "4")
    assert (fertility["curve-best-size"], fertility["knee-of"]) == ("5", "curve")


@pytest.mark.nightly
def test_what_is_said_of_the_student_report_s_size_is_so(
    root: Path, shared: Path, tmp_path: Path
) -> None:
    """The tables of docs/shakespeare.md on the size 2,500."""
    text = (root / "docs" / "shakespeare.md").read_text(encoding="utf-8")
    by_metric, by_size = tables(section(text, "Is 2,500 the right size?"))
    config = root / "configs" / "shakespeare.yaml"
    folder = str(shared / "shakespeare")
    done = tokbench_here("run", "-q", "-o", "out", config, cwd=tmp_path, TOKBENCH_CORPORA=folder)
    assert done.returncode == 0, done.stderr

    def said(tolerance: str) -> list[dict[str, str]]:
        arguments = ("--system", "report", "--corpus", "held-out", "--tolerance", tolerance)
        found = rows(tokbench_here("advise", tmp_path / "out", *arguments, "--format", "csv"))
        metrics = ("fertility", "kept-whole-running", "chars-per-token")
        return [next(row for row in found if row["metric"] == metric) for metric in metrics]

    within = {share: said(share) for share in ("0.01", "0.1", "0.2")}
    fertility, kept, characters = (row["curve-best-value"] for row in within["0.1"])
    expected = {
        "best of all sizes from 100 to 10,000": [
            f"{float(fertility):.3f}", f"{float(kept):.1%}".replace("%", " %"),
            f"{float(characters):.3f}",
        ],
        "smallest size within 1 % of the best": sizes(within["0.01"], "curve-within-size"),
        "smallest size within 10 %": sizes(within["0.1"], "curve-within-size"),
        "smallest size within 20 %": sizes(within["0.2"], "curve-within-size"),
        "smallest of the six sizes not significantly worse": sizes(
            within["0.1"], "not-worse-size"
        ),
        "knee of all sizes": sizes(within["0.1"], "knee-size"),
    }  # fmt: skip
    written = {title: cells for title, *cells in by_metric[1:]}
    assert {title: written[title] for title in expected} == expected
    measured = rows(
        tokbench_here(
            "advise", tmp_path / "out", "--system", "report", "--by-size", "--format", "csv"
        )
    )
    assert by_size[1:] == [
        [
            f"{int(row['size']):,}",
            f"{float(row['class-imbalance']):.3f}",
            f"{int(row['frequency-95']):,}",
            f"{1000 * float(row['muv']):.3f}" if row["muv"] else "",
        ]
        for row in measured
    ]


def sizes(found: list[dict[str, str]], column: str) -> list[str]:
    return [f"{int(row[column]):,}" for row in found]
