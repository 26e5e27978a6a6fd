import csv
import json

import pytest
from click.testing import CliRunner
from tokbench_commands.plugins import command

from tokbench.errors import PluginError, UsageError

from ..run_cli import tokbench_here

PLUGIN = '''
from pydantic import Field
from tokbench.api import Splitter, hookimpl

class Halves(Splitter):
    """Cut a text in its middle."""
    requires = "half-package[all]"
    requires_modules = ("half_of_a_module",)
    from_end: bool = Field(False, description="where a middle is missing, the later one")

    def split(self, text):
        return []

@hookimpl
def tokbench_splitters():
    return {"halves": Halves}
'''


def run(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False)


@pytest.fixture
def halves(tmp_path):
    file = tmp_path / "halves.py"
    file.write_text(PLUGIN, encoding="utf-8")
    return file


@pytest.fixture
def broken(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("import nowhere_to_be_found", encoding="utf-8")
    return file


def test_without_a_name_each_plugin_is_shown_with_what_it_offers():
    header, *rows = csv.reader(run("--format", "csv").stdout.splitlines())
    assert header == ["plugin", "package", "version", "kind", "engine", "offers"]
    offered = {(plugin, kind): names for plugin, _, _, kind, _, names in rows}
    assert offered["char", "learner"] == "char"
    assert offered["korean", "splitter"] == "kiwi, mecab-ko"
    assert ("metrics", "metric") in offered


def test_a_name_is_described_in_full_whatever_kinds_have_it():
    result = run("bpe")
    learner, segmenter = result.stdout.split("\nsegmenter bpe\n")
    assert learner.startswith("learner bpe\n\nByte pair encoding: ")
    assert "\nreads     words\nsize      as asked\npromises  prefix-closed, " in learner
    assert "\ncuts" not in learner
    assert (
        "\nmin-pair-count: whole number (at least 1); default `1`\n"
        "    stop when no pair is as frequent as this\n"
    ) in learner
    assert "\ncuts      words\npackage   tokbench\n" in segmenter
    assert (result.exit_code, result.stderr) == (0, "")


def test_markdown_is_the_sections_or_the_page():
    page = run("--components", "--format", "md").stdout
    sections = run("bpe", "--format", "md").stdout
    assert page.startswith(
        "# Learners, segmenters, splitters, gold readers, pair generators, analyses and views\n"
    )
    assert sections.startswith("## Learner bpe\n")
    for part in sections.split("\n## Segmenter "):
        assert part in page
    assert "| `merge` | `indexed`, `list`, `regex`, `replace` | `indexed` | how " in sections


def test_components_are_a_table_or_records_of_every_fact():
    header, *rows = run("--components").stdout.splitlines()
    assert header.split() == ["component", "kind", "reads", "cuts", "promises", "needs", "install"]
    assert sum(row.split()[:2] == ["words", "splitter"] for row in rows) == 1
    records = json.loads(run("--components", "--format", "json").stdout)
    text = run("--components", "--format", "csv").stdout
    assert [*csv.DictReader(text.splitlines(keepends=True))] == records
    assert {record["kind"] for record in records} == {
        "learner",
        "segmenter",
        "splitter",
        "gold reader",
        "pair generator",
        "analysis",
        "view",
    }
    assert len(records) == len(rows)
    bpe = next(record for record in records if record["component"] == "bpe")
    assert bpe["meaning"].startswith("Byte pair encoding: ")
    assert bpe["options"].startswith("merge (`indexed`, ")
    assert json.loads(run("char", "--format", "json").stdout) == [
        record for record in records if record["component"] == "char"
    ]


def test_a_plugin_file_s_component_is_described_and_its_missing_extra_named(halves):
    result = run("halves", "-p", halves)
    assert result.exit_code == 0
    assert result.stdout == (
        "splitter halves\n\nCut a text in its middle.\n\n"
        "needs     half_of_a_module\n"
        "install   pip install 'half-package[all]'\n"
        f"package   {halves}\n\n"
        "from-end: `true`, `false`; default `false`\n"
        "    where a middle is missing, the later one\n"
    )
    assert result.stderr == (
        "not usable here: the splitter 'halves' needs half_of_a_module: "
        "pip install 'half-package[all]'\n"
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("longest-mach", "; did you mean 'longest-match'?"),
        ("fertility", "; it is a metric: tokbench metrics fertility"),
        ("bert-vocab", "; it is a format of tokbench export and import"),
        ("korean", "; the plugin of that name offers kiwi, mecab-ko"),
    ],
)
def test_an_unknown_name_is_an_error_with_a_hint(name, hint):
    done = tokbench_here("plugins", name)
    kinds = "learner, segmenter, splitter, gold reader, pair generator, analysis or view"
    message = f"error: no plugin offers a {kinds} '{name}'{hint}\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_where_nothing_is_close_all_names_are_listed():
    known = r"view 'xyzzy'; there are: answer, bert-base-uncased, bpe, .*, wordpiece, words$"
    with pytest.raises(UsageError, match=known):
        run("xyzzy")


BROKEN = (
    r"^plugin broken\.py is broken: ModuleNotFoundError: .* \(broken\.py:1\); "
    "no plugin offers a "
)


def test_a_broken_plugin_may_be_why_a_name_is_unknown(broken):
    with pytest.raises(PluginError, match=BROKEN + r".*'xyzzy'; there are: "):
        run("xyzzy", "-p", broken)


def test_a_broken_plugin_costs_the_list_its_exit_code_but_no_name_of_another(broken):
    for arguments in ((), ("--components",)):
        result = run(*arguments, "-p", broken, "--format", "csv")
        assert result.stderr.startswith(f"broken: broken.py ({broken} ): ModuleNotFoundError: ")
        assert "nowhere" not in result.stdout
    assert tokbench_here("plugins", "--components", "-p", broken).returncode == 3
    assert tokbench_here("plugins", "char", "-p", broken).returncode == 0


def test_all_components_or_one_but_not_both():
    done = tokbench_here("plugins", "bpe", "--components")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--components goes without NAME" in done.stderr


@pytest.mark.parametrize("code", ["", "tokbench_metrics = hookimpl(lambda: {})\n"])
def test_a_plugin_that_offers_nothing_is_told_what_is_expected(tmp_path, code):
    (tmp_path / "empty.py").write_text("from tokbench.api import hookimpl\n" + code)
    done = tokbench_here("plugins", "-p", "empty.py", cwd=tmp_path)
    assert done.returncode == 3
    nothing = "it offers nothing: expected a function with @hookimpl that returns a component"
    assert nothing in done.stderr
