"""The table that is asked for, and the short one that ends a run."""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tokbench_page.data import page_data
from tokbench_views.metric_tables import corpus_tables
from tokbench_views.tables import chosen, summary, written
from tokbench_views.views import OneTable

from tests.run_cli import Done, tokbench_here
from tests.tiny import BPE, LISTED, offering, tiny_run
from tokbench.api import Metric
from tokbench.api.arrays import Segmentation
from tokbench.run_folder import Run, write_run

TEXTS = {"test": "ab abd c\nabc ab\n" * 30, "gold": "abc\tab c\n"}
CORPORA = "{train: train.txt, test: {held-out: test.txt}, gold: {a_b: gold.txt}}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("table")
    run = tiny_run(
        here, texts=TEXTS, corpora=CORPORA, systems=f"[{BPE}, char]",
        metrics="[fertility, tokens, oov-words-running]",
    )  # fmt: skip
    write_run(here / "run", run)
    return here / "run"


def table(folder: Path, *options: str) -> Done:
    return tokbench_here("show", folder, "table", *options)


def results(folder: Path, **columns: str) -> list[dict[str, str]]:
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    return [row for row in rows if all(row[key] == value for key, value in columns.items())]


def test_metrics_are_columns_by_default(folder: Path) -> None:
    head, _, *lines = table(folder).stdout.split("\n")
    assert head == "| system | tokens per word | tokens | words it cannot write |"
    (row,) = results(
        folder, system="bpe", size="5", corpus="held-out", subset="all", metric="fertility"
    )
    value, low, high = (float(row[key]) for key in ("value", "low", "high"))
    assert lines[0].startswith(f"| bpe | {value:.3f}‡ ({low:.3f}–{high:.3f}~) |")
    assert "`train=" in lines[-2]
    assert "METRIC" not in lines[-2]
    assert "|fertility|" in table(folder, "--metric", "fertility").stdout


def test_sizes_corpora_and_subsets_are_columns_too(folder: Path) -> None:
    for columns, titles in (
        ("size", ["4", "5", "one size"]),
        ("corpus", ["held-out", "a_b"]),
        ("subset", ["all", "unseen", "kind:new-character", "band:1", "band:2-5"]),
        ("size --size 5", ["5", "one size"]),
        ("corpus --corpus a_b", ["a_b"]),
        ("subset --subset band:1", ["band:1"]),
    ):
        text = table(folder, "--metric", "fertility", "--columns", *columns.split()).stdout
        assert text.split("\n")[0] == f"| system | {' | '.join(titles)} |".replace("_", "\\_")


def test_a_column_needs_numbers_of_a_system_that_is_shown(folder: Path) -> None:
    text = table(folder, "--metric", "fertility", "--columns", "size", "--system", "bpe").stdout
    assert text.split("\n")[0] == "| system | 4 | 5 |"


def test_metrics_may_be_rows(folder: Path) -> None:
    across = table(folder).stdout.split("\n")
    head, _, *lines = table(folder, "--rows", "metric").stdout.split("\n")
    assert head == "| metric | bpe | char |"
    cells = [line.strip("| ").split(" | ")[1] for line in across[2:4]]
    assert lines[0] == f"| tokens per word | {' | '.join(cells)} |"
    assert table(folder, "--rows", "metric", "--columns", "size").returncode == 2


def test_a_system_without_the_size_of_the_caption_says_its_own(tmp_path: Path) -> None:
    systems = f"[{BPE}, {{name: two, learner: {{use: bpe, eow: absent}}, sizes: [4]}}, char]"
    write_run(tmp_path / "run", tiny_run(tmp_path, systems=systems))
    lines = table(tmp_path / "run", "--size", "5").stdout.split("\n")[2:5]
    assert [line.split(" ")[1] for line in lines] == ["bpe", "two@4", "char"]
    rows = csv.DictReader(io.StringIO(table(tmp_path / "run", "--format", "csv").stdout))
    assert {row["system"] for row in rows} == {"bpe", "two", "char"}


def test_csv_and_json_have_every_digit(folder: Path) -> None:
    options = ("--metric", "fertility", "--subset=unseen", "--format")
    as_csv = [*csv.DictReader(io.StringIO(table(folder, *options, "csv").stdout))]
    as_json = json.loads(table(folder, *options, "json").stdout)
    assert [float(row["value"]) for row in as_csv] == [row["value"] for row in as_json]
    for row in as_csv:
        (result,) = results(
            folder, system=row["system"], size=row["size"], metric=row["metric"], subset="unseen",
            corpus="held-out",
        )  # fmt: skip
        assert float(row["value"]) == float(result["value"])


def test_each_metric_is_shown_on_the_first_corpus_that_has_it(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("low lower lowest\n" * 30)
    (tmp_path / "gold.tsv").write_text("lower\tlow er\nlowest\tlow est\n")
    (tmp_path / "c.yaml").write_text(
        "corpora: {train: text.txt, test: {held-out: text.txt}, gold: {parts: gold.tsv}}\n"
        "sizes: [20]\nsystems: [bpe]\nmetrics: [fertility, tokens, boundary-kappa]\n"
    )
    tokbench_here("run", "-q", "c.yaml", "-o", "run", cwd=tmp_path)
    every = table(tmp_path / "run", "--format", "table").stdout
    text, gold = every.split("\n\n")
    assert text.startswith("system  tokens per word ")
    assert "(held-out, all words, " in text
    assert gold.startswith("system  agreement with morphemes\n")
    assert "(parts, all words, " in gold
    numbers = json.loads(table(tmp_path / "run", "--format", "json").stdout)
    assert [(row["metric"], row["corpus"]) for row in numbers] == [
        ("fertility", "held-out"), ("tokens", "held-out"), ("boundary-kappa", "parts"),
    ]  # fmt: skip
    done = table(tmp_path / "run", "--metric", "boundary-kappa", "--corpus", "held-out")
    assert (done.returncode, done.stdout) == (2, "")
    missing = "--metric: boundary-kappa has no numbers on held-out, all words"
    assert f"error: {missing}: name another --corpus" in done.stderr


def test_a_metric_of_pairs_is_shown_on_their_kind(tmp_path: Path) -> None:
    corpora = (
        "{train: train.txt, test: {held-out: test.txt}, "
        "pairs: {typos: {generate: keyboard, of: held-out}}}"
    )
    metrics = "[fertility-change, fertility]"
    texts = {"test": "lower newest\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=corpora, systems="[char]", metrics=metrics)
    assert [(table.columns, table.about) for table in chosen(run, OneTable())] == [
        (["fertility-change"], "typos, perturbed:keyboard words"),
        (["fertility"], "held-out, all words"),
    ]


def test_latex_is_escaped_and_cites(folder: Path) -> None:
    text = table(folder, "--corpus", "a_b", "--metric", "fertility", "--format", "latex").stdout
    assert "\\begin{tabular}{lr}\n\\toprule\nsystem & tokens per word \\\\\n\\midrule\n" in text
    assert "\\caption{a\\_b, all words, vocabulary size 5 (char 3). " in text
    assert "test=a\\_b@" in text
    assert "\\textbar\\allowbreak{}tokbench=" in text
    assert text.count("{") == text.count("}")


def test_latex_marks_what_is_best_and_what_surely_differs(tmp_path: Path) -> None:
    """char has another size, so that it is not compared; one system alone is not the best."""
    two = f"[{BPE}, {{name: best, learner: {{use: bpe, eow: absent, ties: first}}}}, char]"
    run = tiny_run(tmp_path, systems=two, metrics="[kept-whole-running]")
    cells = {
        "bpe": {"value": 0.25, "low": 0.2, "high": 0.5, "training_sd": 0.125},
        "best": {"value": 0.75, "low": 0.7, "high": 0.8, "p_holm": 0.01, "difference": 0.5},
        "char": {"value": 1.0, "low": None, "high": None},
    }
    rows = tuple(replace(row, training_samples=3, **cells[row.system]) for row in run.rows)
    (made,) = chosen(replace(run, rows=rows), OneTable(subset="all"))
    text = made.written("latex")
    assert "\nbpe & 0.250 {\\footnotesize(0.200–0.500, sd 0.125)} \\\\\n" in text
    assert "\nbest & \\textbf{0.750 $\\bigtriangleup$} {\\footnotesize(0.700–0.800)} \\\\\n" in text
    assert "\nchar & 1.000 \\\\\n" in text  # of another size
    assert "sd: standard deviation over 3 samples of the training text." in text
    assert "$\\bigtriangleup$: surely higher than bpe" in text
    assert "bigtriangledown" not in text
    assert "\\textbf" not in replace(made, systems=made.systems[:1]).written("latex")


def test_a_table_for_a_terminal(folder: Path) -> None:
    text = table(folder, "--size", "4", "--format", "table").stdout
    assert text.startswith("system  tokens per word ")
    narrow = "~: may be too narrow: the text is short."
    about = "held-out, all words, vocabulary size 4 (char 3)"
    assert text.endswith(f"({about}. Brackets: 95 % intervals. {narrow})\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metric", "fertilty"], "the run has no metric 'fertilty'; did you mean 'fertility'?"),
        (["--corpus", "x"], "the run has no corpus 'x'; there are: held-out, a_b"),
        (["--subset", "unsen"], "the run has no subset 'unsen'; did you mean 'unseen'?"),
        (["--size", "9"], "the run has no size '9'; there are: 4, 5"),
        (["--columns", "x"], "columns: found 'x', expected 'metric', 'size', 'corpus' or 'subset'"),
        (["--columns", "size", "--metric", "tokens", "--metric", "fertility"], "expected one"),
        (["--colour", "red"], "unknown key `colour`; did you mean `columns`?"),
        (["--size"], "--size: expected a value"),
        (["size", "4"], "found 'size', expected --OPTION VALUE"),
        (["--format", "pdf"], "--format: found 'pdf'; the view can be shown as md, table, csv"),
    ],
)
def test_a_wrong_question_is_one_message(folder: Path, options: list[str], message: str) -> None:
    done = table(folder, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_a_view_the_answer_is_shown(folder: Path) -> None:
    assert tokbench_here("show", folder).stdout == tokbench_here("show", folder, "answer").stdout


def test_what_to_cite(folder: Path) -> None:
    citation = json.loads(tokbench_here("show", folder, "cite", "--format", "json").stdout)
    assert len(citation["signatures"]) == 3
    parts = citation["shared"].split("|")
    assert all(part in s.split("|") for s in citation["signatures"] for part in parts)
    assert citation["signatures"][0] in tokbench_here("show", folder, "cite").stdout


class States(Metric):
    """Distinct cuts of words."""

    formula, range, unit = "n", (0, float("inf")), "word"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"states": segmentation.word * 0 + 1}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return sums["states"]


def titles(run: Run) -> list[str]:
    """Return the titles of the columns of the table that ends a run."""
    return re.split("  +", summary(run).split("\n")[0])


def test_headline_metrics_are_shown_where_the_config_lists_none(tmp_path: Path) -> None:
    texts = {"novel": "abd\n", "gold": "abc\tab c\n"}
    for metrics in (None, "all"):
        run = tiny_run(tmp_path, texts=texts, corpora=LISTED, systems=f"[{BPE}]", metrics=metrics)
        assert titles(run) == [
            *("system", "vocabulary size", "tokens per unseen word", "tokens per word"),
            *("words kept as one token", "F1 of morpheme boundaries", "agreement with morphemes"),
        ]


def test_listed_metrics_are_shown_in_their_order(tmp_path: Path) -> None:
    """On the terminal, in the report, on the page and in `show table`, one's own too."""
    names = ["tokens", "chars-per-token", "states", "fertility"]
    run = tiny_run(tmp_path, offering(states=States), metrics=f"[{', '.join(names)}]")
    assert summary(run) == (
        "system  vocabulary size  tokens   characters per token  states  tokens per word\n"
        "bpe     4                7.000‡   1.571‡                4.000   1.400‡\n"
        "char    3                11.000‡  1.000‡                4.000   2.200‡\n"
        "word    4                5.000    2.200                 4.000   1.000\n"
        "(held-out)\n"
        "(‡: word ends lost: compare these lengths with each other only)"
    )
    assert "| system | tokens | characters per token | tokens per word |" in corpus_tables(run)
    assert "The same for all, or as another: states 4.000." in corpus_tables(run)
    assert [metric["name"] for metric in page_data(run)["metrics"]] == names
    (table,) = chosen(run, OneTable())
    assert table.columns == names


def test_without_headlines_the_first_metrics_are_shown(tmp_path: Path) -> None:
    """As of a run that does not say which metrics its config lists."""
    names = ["tokens", "chars-per-token", "bytes-per-token", "vocabulary-use", "round-trip"]
    metrics = f"[{', '.join([*names, 'attention-cost'])}]"
    run = tiny_run(tmp_path, systems=f"[{BPE}]", metrics=metrics)
    unlisted = tuple(replace(metric, listed=False) for metric in run.record.metrics)
    assert summary(replace(run, record=replace(run.record, metrics=unlisted))) == (
        "system  vocabulary size  tokens  characters per token  bytes per token  "
        "share of the vocabulary used  words written exactly\n"
        "bpe     5                6.000‡  1.833‡                1.833‡           "
        "0.600                         0.800\n"
        "(held-out)\n"
        "(‡: word ends lost: compare these lengths with each other only)"
    )


def test_undefined_is_empty(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        texts={"test": "a a\n"},
        systems="[char]",
        metrics="[shannon-efficiency-observed, tokens]",
    )
    assert summary(run).split("\n")[1].split() == ["char", "3", "2.000‡"]


def test_without_any_result_there_is_no_table(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2]")
    assert (summary(run), written(run, OneTable(), "md")) == ("", "Nothing was scored.\n")


UNSEEN = {"test": "ab abc cab\nabc ab\n"}


def test_tokens_per_unseen_word_stand_where_all_agree_on_oov_words(tmp_path: Path) -> None:
    """All states are known, so that no word is oov but for whole words, which are not compared."""
    run = tiny_run(tmp_path, texts=UNSEEN, metrics=None, gate="0.01")
    assert summary(run) == (
        "system  vocabulary size  tokens per unseen word  tokens per word  "
        "words kept as one token\n"
        "bpe     5                2.000‡                  1.200‡           0.800\n"
        "char    3                3.000‡                  2.600‡           0.000\n"
        "word    4                1.000†                  1.000†           0.800\n"
        "(held-out)\n"
        "(†: more than 1 % of the words lost (unknown or changed): not compared)\n"
        "(‡: word ends lost: compare these lengths with each other only)"
    )
    listed = tiny_run(tmp_path, texts=UNSEEN, metrics="[oov-words-running, fertility]", gate="0.01")
    assert titles(listed)[2:] == ["words it cannot write", "tokens per word"]


def test_oov_words_stand_where_systems_differ(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, texts=UNSEEN, metrics="[oov-words-running, fertility]")
    assert titles(run)[2:] == ["words it cannot write", "tokens per word"]


def test_for_word_all_is_the_classical_oov_rate(tmp_path: Path) -> None:
    """A vocabulary of all training words knows just the words that were seen."""
    run = tiny_run(
        tmp_path, texts=UNSEEN, systems="[word]", sizes="[4]",
        metrics="[oov-words-running, unseen-words-running, fertility, kept-whole-running]",
    )  # fmt: skip
    values = {(row.metric, row.subset): row.value for row in run.rows}
    for subset, rate in (("all", 1 / 5), ("unseen", 1), ("band:1", None), ("band:2-5", 0)):
        assert values.get(("oov-words-running", subset)) == rate
        assert values.get(("unseen-words-running", subset)) == rate
    assert values["fertility", "unseen"] == 1, "an unseen word is one unknown token"
    assert values["kept-whole-running", "unseen"] == 0
