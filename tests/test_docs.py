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

import tokbench
from tests.shipped import ShippedRun
from tokbench import Run
from tokbench.cli import COMMANDS
from tokbench.config import load_experiment
from tokbench.plugins import load

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


@pytest.fixture(scope="module")
def guide(root: Path) -> str:
    return (root / "docs" / "explanation" / "guide.md").read_text(encoding="utf-8")


def test_examples_in_docstrings_run() -> None:
    results = [doctest.testmod(importlib.import_module(name)) for name in modules()]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 0


def test_every_module_says_what_it_is() -> None:
    silent = [name for name in modules() if not importlib.import_module(name).__doc__]
    assert silent == []


def test_each_promise_names_a_test_that_there_is(root: Path) -> None:
    page = (root / "docs" / "reference" / "reliability.md").read_text(encoding="utf-8")
    promises = page.partition("## Promises and their tests")[2].partition("\n## ")[0]
    found = re.findall(r"\[`(test_\w+)`\]\(\.\./\.\./([\w/.]+)\)", promises)
    assert len(found) > 10
    for test, path in found:
        assert f"def {test}(" in (root / path).read_text(encoding="utf-8"), test
    readme = (root / "README.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    linked = re.findall(r"docs/reference/reliability\.md#([\w-]+)", readme)
    assert linked
    assert {*linked} <= anchors


def test_the_tables_of_reliability_are_filled_and_found_nothing_wrong(root: Path) -> None:
    page = (root / "docs" / "reference" / "reliability.md").read_text(encoding="utf-8")
    for name in ("fuzz", "soak"):
        table = page.partition(f"<!-- {name} -->\n")[2].partition("<!-- end -->")[0]
        rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
        assert len(rows) > 2, name
        for row in rows:
            assert row[-1] not in ("no", "some", "?"), row


def test_the_readme_lists_every_command(readme: str) -> None:
    for name, text in COMMANDS.items():
        assert f"| `tokbench {name}` | {text} |\n" in readme


def test_the_readmes_are_short_and_have_the_same_set_up(readme: str, root: Path) -> None:
    korean = (root / "README.ko.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 160
    blocks = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    assert blocks.findall(readme) == blocks.findall(korean)
    assert len(blocks.findall(readme)) == 2


LINK = re.compile(r"\]\(([^)#]+)(?:#([^)]+))?\)")


@pytest.mark.parametrize("folder", ["", "docs/**", "configs", "plugins", "corpora", "benchmarks"])
def test_links_between_documents_lead_somewhere(root: Path, folder: str) -> None:
    for page in root.glob(f"{folder}/*.md".lstrip("/")):
        for target, _ in LINK.findall(page.read_text(encoding="utf-8")):
            if not target.startswith(("http", "mailto")):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_config_of_the_guide_is_right(guide: str, root: Path, tmp_path: Path) -> None:
    block = re.search(r"^```yaml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert block is not None
    path = tmp_path / "config.yaml"
    path.write_text(block[1].replace("../corpora", str(root / "corpora")))
    assert [s.name for s in load_experiment(path, load()).systems] == [
        "bpe",
        "textbook",
        "bpe+longest-match",
        "word",
    ]


@pytest.mark.ci
def test_the_guide_shows_rows_and_a_signature_of_its_run(
    guide: str, shipped_run: ShippedRun
) -> None:
    report = (shipped_run("bpe") / "report.md").read_text(encoding="utf-8")
    shown = [line for line in guide.split("\n") if line.startswith(("| bpe@4000 |", "| char |"))]
    assert len(shown) == 2
    assert all(line in report for line in shown)
    signature = re.search(r"^```\n(bpe\(.*)\n```$", guide, re.MULTILINE)
    assert signature is not None
    run = Run.load(shipped_run("bpe"))
    assert signature[1] in {run.signature(row) for row in run.rows}


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
    exec(compile(ast.Module(statements, []), "guide.md", "exec"), names)
    return eval(compile(ast.Expression(last.value), "guide.md", "eval"), names)


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
