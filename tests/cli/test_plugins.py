import csv
import json
from pathlib import Path

import pytest

from tests.run_cli import tokbench_here

PLUGIN = '''
from pydantic import Field
from tokbench.api import Splitter, hookimpl

class Halves(Splitter):
    """Cut a text in its middle."""
    requires = "half-package[all]"
    requires_version = {"half-of-it": "0"}
    from_end: bool = Field(False, description="where a middle is missing, the later one")

    def split(self, text):
        return []

tokbench_splitters = hookimpl(lambda: {"halves": Halves})
'''


def run(*arguments: str | Path) -> str:
    done = tokbench_here("plugins", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_without_a_name_each_plugin_is_shown_with_what_it_offers() -> None:
    header, *rows = csv.reader(run("--format", "csv").splitlines())
    assert header == ["plugin", "package", "version", "kind", "engine", "offers"]
    offered = {(plugin, kind): names for plugin, _, _, kind, _, names in rows}
    assert offered["char", "learner"] == "char"
    assert offered["korean", "splitter"] == "kiwi, mecab-ko"
    assert ("metrics", "metric") in offered


def test_a_name_is_described_in_full_whatever_kinds_have_it() -> None:
    learner, segmenter = run("bpe").split("\nsegmenter bpe\n")
    assert learner.startswith("learner bpe\n\nByte pair encoding: ")
    assert "\nreads     words\nsize      as asked\npromises  prefix-closed, " in learner
    assert "\ncuts" not in learner
    assert (
        "\nmin-pair-count: whole number (at least 1); default `1`\n"
        "    stop when no pair is as frequent as this\n"
    ) in learner
    assert "\ncuts      words\npackage   tokbench\n" in f"\n{segmenter}"
    assert "\nexample   {use: bpe, merge: indexed}\n" in learner


def test_components_are_a_table_or_records_of_every_fact() -> None:
    header, *rows = run("--components").splitlines()
    assert header.split() == ["component", "kind", "reads", "cuts", "promises", "needs", "install"]
    assert sum(row.split()[:2] == ["words", "splitter"] for row in rows) == 1
    records = json.loads(run("--components", "--format", "json"))
    assert len(records) == len(rows)
    bpe = next(record for record in records if record["component"] == "bpe")
    assert bpe["meaning"].startswith("Byte pair encoding: ")
    assert bpe["options"].startswith("merge (`indexed`, ")
    char = [record for record in records if record["component"] == "char"]
    assert json.loads(run("char", "--format", "json")) == char
    assert [*csv.DictReader(run("char", "--format", "csv").splitlines())] == char
    titles = "component | kind | reads | cuts | promises | needs | install"
    assert run("char", "--format", "md").startswith(f"| {titles} |\n")


def test_a_plugin_file_s_component_is_described_and_its_missing_extra_named(
    tmp_path: Path,
) -> None:
    halves = tmp_path / "halves.py"
    halves.write_text(PLUGIN, encoding="utf-8")
    done = tokbench_here("plugins", "halves", "-p", halves)
    assert done.returncode == 0
    assert done.stdout == (
        "splitter halves\n\nCut a text in its middle.\n\n"
        "needs     half-of-it\n"
        "install   pip install 'half-package[all]'\n"
        f"package   {halves}\n"
        "example   {use: halves, from-end: false}\n\n"
        "from-end: `true`, `false`; default `false`\n"
        "    where a middle is missing, the later one\n"
    )
    assert done.stderr == (
        "not usable here: the splitter 'halves' needs half-of-it: pip install 'half-package[all]'\n"
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("longest-mach", "; did you mean 'longest-match'?"),
        ("fertility", "; it is a metric: tokbench metrics fertility"),
        ("bert-vocab", "; it is a format of tokbench export and import"),
    ],
)
def test_an_unknown_name_is_an_error_with_a_hint(name: str, hint: str) -> None:
    done = tokbench_here("plugins", name)
    kinds = "learner, segmenter, splitter, gold reader, pair generator, analysis or view"
    message = f"error: no plugin offers a {kinds} '{name}'{hint}\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_a_broken_plugin_costs_the_list_its_exit_code_but_no_name_of_another(
    tmp_path: Path,
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import nowhere_to_be_found", encoding="utf-8")
    done = tokbench_here("plugins", "-p", broken, "--format", "csv")
    assert done.returncode == 3
    assert done.stderr.startswith(f"broken: broken.py ({broken}): ModuleNotFoundError: ")
    assert "nowhere" not in done.stdout
    assert tokbench_here("plugins", "char", "-p", broken).returncode == 0
