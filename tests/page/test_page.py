"""report.html as a file: what it holds, what it lets run, and that nothing in it is markup."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest
from tokbench_page.page import page
from tokbench_page.view import Page

from tests.page_data import data_of, packed
from tests.tiny import BPE, LISTED, TinyRun, tiny_run
from tests.views.markdown import tables
from tokbench.printing import number
from tokbench.run_folder import Run, write_run

VENDOR = files("tokbench_page") / "vendor"
METRICS = "[fertility, kept-whole-running, boundary-kappa, oov-words-running]"
HOSTILE = "</script><script>alert(1)</script>{{ 7*7 }}<!--"


def a_run(folder: Path, odd: str = "", **keys: str) -> TinyRun:
    texts = {"novel": "abd\tblend\n", "gold": "abc\tab c\nab\ta b\n", "odd": odd}
    keys = {"corpora": LISTED, "metrics": METRICS} | keys
    return tiny_run(folder, texts=texts, **keys)


def test_only_its_own_scripts_and_styles_may_run(tmp_path: Path) -> None:
    html = page(a_run(tmp_path))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    policy = policy.replace("&#39;", "'")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind, pattern in (
        ("script", r"<script>(.*?)</script>"),
        ("style", r"<style>(.*?)</style>"),
    ):
        sources = re.findall(pattern, html, re.S)
        assert sources
        if kind == "script":
            sources = [packed(html, "scripts"), *sources]
        digests = [b64encode(sha256(source.encode()).digest()).decode() for source in sources]
        allowed = re.search(rf"{kind}-src ([^;]*);", policy)
        assert allowed
        assert allowed[1].split(" ") == [f"'sha256-{digest}'" for digest in digests]


def test_the_vendored_files_are_those_of_their_table() -> None:
    (table,) = tables((VENDOR / "README.md").read_text("utf-8"))
    listed = {row[0].strip("`"): row[3].strip("`") for row in table[1:]}
    digests = {
        file.name: sha256(file.read_bytes()).hexdigest()
        for file in VENDOR.iterdir()
        if file.name.endswith(".js")
    }
    assert listed == digests
    assert "Redistribution and use" in (VENDOR / "LICENSE").read_text("utf-8")


def test_the_licence_of_the_charts_is_inside(tmp_path: Path) -> None:
    bundle = packed(page(a_run(tmp_path)), "scripts")
    assert (VENDOR / "LICENSE").read_text("utf-8") in bundle


def test_its_numbers_are_those_of_the_run(tmp_path: Path) -> None:
    run = a_run(tmp_path)
    data = data_of(page(run))
    names = [system["name"] for system in data["systems"]]
    corpora = [corpus["name"] for corpus in data["corpora"]]
    metrics = [metric["name"] for metric in data["metrics"]]
    assert {*metrics} == {*METRICS.strip("[]").split(", ")}
    shown = {}
    for system, corpus, subset, metric, values, lows, _, signs in data["series"]:
        for i, value in enumerate(values or []):
            if value is not None:
                key = (
                    names[system], data["sizes"][i], corpora[corpus], data["subsets"][subset],
                    metrics[metric],
                )  # fmt: skip
                shown[key] = value, (lows or {i: None})[i], (signs or {i: None})[i] or 0
    expected = {
        (row.system, row.size, row.corpus, row.subset, row.metric): row
        for row in run.rows
        if row.value is not None
        # Of kinds and categories the page has tokens per word only.
        and (row.metric == "fertility" or row.subset.startswith(("all", "unseen", "band:")))
    }
    assert shown.keys() == expected.keys()
    for key, (value, low, signs) in shown.items():
        row = expected[key]
        assert value == pytest.approx(row.value, rel=1e-8)
        assert number(value) == number(row.value), "rounded twice, it is that of the report"
        lost = row.metric in run.record.lengths and run.loses_word_ends(row)
        assert signs == bool(row.gated) + 2 * lost
        if low is not None:
            assert number(low) == number(row.low)


def test_a_signature_is_put_together_from_its_parts(tmp_path: Path) -> None:
    run = a_run(tmp_path)
    parts = {(p["system"], p["size"], p["corpus"]): p for p in data_of(page(run))["signatures"]}
    for row in run.rows:
        if row.metric:
            own, corpus = parts[row.system, row.size, ""], parts["", "", row.corpus]
            joined = "|".join([own["beginning"], corpus["beginning"], row.metric, own["end"]])
            assert joined == run.signature(row)


def test_what_a_text_holds_is_never_markup(tmp_path: Path) -> None:
    """Words, names and notes of any text stand as data, or escaped."""
    corpora = "{train: train.txt, test: {held-out: odd.txt}}"
    run = a_run(tmp_path, corpora=corpora, metrics="[fertility]", odd=f"{HOSTILE}\n")
    record = replace(run.record, name=HOSTILE, notes=(HOSTILE,), failures=(HOSTILE,))
    html = page(replace(run, record=record))
    data = data_of(html)
    assert data["name"] == HOSTILE
    assert html.count("<script>") == 1, "unpack.js"
    assert HOSTILE not in html
    assert "{{ 7*7 }}" in html
    assert "alert(1)" in html


def test_a_run_without_results_and_one_from_its_folder(tmp_path: Path) -> None:
    empty = tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2]")
    assert data_of(page(empty))["systems"] == []
    run = a_run(tmp_path)
    write_run(tmp_path / "run", run)
    assert Page().text(Run.load(tmp_path / "run"), "html") == page(run)


def test_of_many_systems_a_dozen_is_shown(tmp_path: Path) -> None:
    many = ", ".join(f"{{name: s{i}, learner: bpe}}" for i in range(14))
    run = a_run(tmp_path, systems=f"[{many}]", baseline="s13", sizes="[6]")
    data = data_of(page(run))
    assert len(data["systems"]) == 14
    assert len(data["shown"]) == 12
    assert data["shown"][0] == "s13"


def test_a_system_with_a_splitter_of_its_own_is_not_cut_by_the_page(tmp_path: Path) -> None:
    systems = f"[{BPE}, {{name: own, learner: bpe, split: words}}]"
    run = a_run(tmp_path, systems=systems, sizes="[4, 9]")
    data = data_of(page(run))
    assert data["missing"] == ["own"]
    assert [*data["playable"]] == ["bpe"]
    kept = {size: len(run.vocabulary("bpe", size).learned) for size in ("4", "9")}
    sizes = data["playable"]["bpe"]["sizes"]
    assert {size: n for size, (_, n) in sizes.items()} == kept
