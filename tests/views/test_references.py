"""The file of references, and what `cite --format bibtex` takes from it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tokbench_views.references import TOOL, bibtex, cited, named, references

from tests.offered import offered
from tests.tiny import tiny_run

CITATION = re.compile(r"(\w*[^\W\dA-Z](?: and [A-Z]\w+| et al\.)? (?:19|20)\d\d)")
"""Names and a year; a name is not in capitals only, as that of a shared task is."""


@pytest.fixture(scope="module")
def sources() -> list[str]:
    return [metric.source for metric in offered("metric").values()]


def test_every_publication_that_a_metric_names_has_an_entry(sources: list[str]) -> None:
    for source in sources:
        names = sorted(named(references()[key]) for key in cited(source))
        assert names == sorted(CITATION.findall(source)), source
    assert {key for source in sources for key in cited(source)} == {*references()} - {TOOL}


def test_each_entry_is_bibtex() -> None:
    for key, entry in references().items():
        first, *fields, last = entry.split("\n")
        assert re.fullmatch(r"@(article|book|inproceedings|misc|techreport)\{\w+,", first)
        assert last == "}"
        assert all(re.fullmatch(r"  [a-z]+ = \{.+\},", field) for field in fields), key
        assert all(field.count("{") == field.count("}") for field in fields), key
        assert not re.search(r"(?<!\\)[&%#$~^]", entry), key


def test_a_run_cites_tokbench_and_its_metrics(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, metrics="[fertility, kept-whole-running]")
    comments, *entries = bibtex(run).rstrip("\n").split("\n\n")
    assert comments.split("\n") == [
        "% fertility: acs2019, rust2021",
        "% kept-whole-running: known as word coverage",
    ]
    assert [re.findall(r"\{(\w+),", entry)[0] for entry in entries] == [
        "tokbench", "acs2019", "rust2021",
    ]  # fmt: skip
    assert f"note = {{Version {run.record.tokbench}}}" in entries[0]
    hostile = [replace(m, source="a\n@misc{x,}") for m in run.record.metrics]
    record = replace(run.record, metrics=tuple(hostile))
    assert "\n@misc{x" not in bibtex(replace(run, record=record))
