"""The documents tell the truth: examples run, tables and outputs are those of the program."""

import ast
import doctest
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tokbench_bpe
import tokbench_char
import tokbench_word
from tokbench_views.references import TOOL, references

import tokbench
from tokbench.cli import COMMANDS

from .run_cli import tokbench_here as run

PACKAGES = (tokbench, tokbench_bpe, tokbench_char, tokbench_word)


def modules() -> Iterator[str]:
    for package in PACKAGES:
        yield package.__name__
        for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            yield info.name


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def test_examples_in_docstrings_run() -> None:
    loaded = [importlib.import_module(name) for name in modules()]  # one may load another
    results = [doctest.testmod(module) for module in loaded]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 0


def test_every_module_says_what_it_is() -> None:
    silent = [name for name in modules() if not importlib.import_module(name).__doc__]
    assert silent == []


def test_each_promise_names_a_test_that_there_is(root: Path) -> None:
    page = (root / "docs" / "reference" / "reliability.md").read_text(encoding="utf-8")
    promises = page.partition("## Promises and their tests")[2].partition("\n## ")[0]
    tests = re.findall(r"\[`(test_\w+)`\]\(\.\./\.\./([\w/.]+)\)", promises)
    assert len(tests) > 10
    for test, path in tests:
        assert f"def {test}(" in (root / path).read_text(encoding="utf-8"), test
    readme = (root / "README.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    linked = re.findall(r"docs/reference/reliability\.md#([\w-]+)", readme)
    assert linked
    assert {*linked} <= anchors


def test_the_readme_lists_every_command(readme: str) -> None:
    for name, text in COMMANDS.items():
        assert f"| `tokbench {name}` | {text} |\n" in readme


def test_the_citation_and_the_changelog_have_this_version(root: Path) -> None:
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    released = re.search(rf"\nversion: {tokbench.__version__}\ndate-released: (\d+)-", citation)
    assert released
    assert f"  year = {{{released[1]}}},\n" in references()[TOOL]
    assert f"\n## {tokbench.__version__}\n" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_readmes_are_short_and_have_the_same_set_up(readme: str, root: Path) -> None:
    korean = (root / "README.ko.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 160
    blocks = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    assert blocks.findall(readme) == blocks.findall(korean)
    assert len(blocks.findall(readme)) == 2


@pytest.mark.nightly
def test_the_python_of_its_page_runs(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads the folder of the first run, as that run names it, and runs a config."""
    for name in ("configs", "corpora"):
        (tmp_path / name).symlink_to(root / name)
    done = run("run", "-q", "configs/bpe.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    monkeypatch.chdir(tmp_path)
    page = (root / "docs" / "how-to" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    values = [eval_block(block) for block in blocks]
    assert [type(value).__name__ for value in values] == ["DataFrame", "DataFrame"]
    assert values[0].loc["bpe", "4000"] == pytest.approx(1.389, abs=0.001)
    assert {*values[1]["system"]} == {"bpe", "unigram"}


def eval_block(block: str) -> Any:
    """Run statements, and return the value of the last one, as a notebook shows it."""
    *statements, last = ast.parse(block).body
    assert isinstance(last, ast.Expr)
    names: dict[str, Any] = {}
    exec(compile(ast.Module(statements, []), "python.md", "exec"), names)
    return eval(compile(ast.Expression(last.value), "python.md", "eval"), names)


PLACE = re.compile(r"`([a-z_]+(?:/[a-z_]+)*\.py)(?:: (\w+))?`")


@pytest.mark.parametrize("page", ["docs/explanation/architecture.md", "CONTRIBUTING.md"])
def test_pages_for_contributors_name_files_and_functions_that_exist(root: Path, page: str) -> None:
    text = (root / page).read_text(encoding="utf-8")
    places = PLACE.findall(text)
    assert len(places) > 3
    for path, name in places:
        files = [folder / path for folder in (root, root / "tokbench") if (folder / path).is_file()]
        assert files, f"{page} names {path}"
        defined = rf"^\s*(?:def|class) {name}\b"
        assert not name or re.search(defined, files[0].read_text("utf-8"), re.MULTILINE), (
            f"{page} names {path}: {name}"
        )
