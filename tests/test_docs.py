"""The documents tell the truth: examples run, tables and outputs are those of the program."""

import doctest
import importlib
import pkgutil
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import tokbench_bpe
import tokbench_char
import tokbench_word

import tokbench
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


def test_examples_in_docstrings_run() -> None:
    results = [doctest.testmod(importlib.import_module(name)) for name in modules()]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 0


def test_every_module_says_what_it_is() -> None:
    silent = [name for name in modules() if not importlib.import_module(name).__doc__]
    assert silent == []


def test_the_readme_lists_every_command(readme: str) -> None:
    for name, text in COMMANDS.items():
        assert f"| `tokbench {name}` | {text} |\n" in readme


def test_the_readme_holds_the_table_of_metrics(readme: str, root: Path) -> None:
    document = (root / "docs" / "metrics.md").read_text(encoding="utf-8")
    table = re.search(r"^\| metric \| unit.*?\n\n", document, re.MULTILINE | re.DOTALL)
    assert table is not None
    assert table[0].replace("(#", "(docs/metrics.md#") in readme


def test_the_config_of_the_readme_is_right(readme: str, root: Path, tmp_path: Path) -> None:
    block = re.search(r"^```yaml\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert block is not None
    path = tmp_path / "config.yaml"
    path.write_text(block[1].replace("../corpora", str(root / "corpora")))
    assert [s.name for s in load_experiment(path, load()).systems] == [
        "bpe",
        "textbook",
        "bpe+longest-match",
        "word",
    ]


def test_the_trace_of_the_readme_is_what_is_printed(readme: str, tmp_path: Path) -> None:
    (tmp_path / "low.txt").write_text("low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3)
    session = readme.split("$ tokbench learn", 1)[1].split("```")[0]
    command, *rest = ("$ tokbench learn" + session).split("\n")
    printed = "\n".join(rest).split("$ tokbench learn")[0]
    assert run(*shlex.split(command)[2:], cwd=tmp_path).stdout == printed
    learn, _, answer = ("$ tokbench learn" + session.split("$ tokbench learn")[1]).split("\n")[:3]
    vocabulary = run(*shlex.split(learn.split(" > ")[0])[2:], cwd=tmp_path).stdout
    (tmp_path / "low.json").write_text(vocabulary)
    assert run("segment", "low.json", cwd=tmp_path, stdin=b"lowest\n").stdout == answer + "\n"


@pytest.mark.slow
def test_the_run_of_the_readme_is_what_is_printed(readme: str, root: Path, tmp_path: Path) -> None:
    session = readme.split("$ tokbench run configs/bpe.yaml\n")[1].split("```")[0]
    done = run("run", root / "configs" / "bpe.yaml", cwd=tmp_path)
    assert done.stdout == session
    (folder,) = (tmp_path / "runs").iterdir()
    report = (folder / "report.md").read_text(encoding="utf-8")
    shown = [line for line in readme.split("\n") if line.startswith(("| bpe@4000 |", "| char |"))]
    assert len(shown) == 2
    assert all(line in report for line in shown)
    signature = re.search(r"^```\n(bpe\(.*)\n```$", readme, re.MULTILINE)
    assert signature is not None
    found = Run.load(folder)
    assert signature[1] in {found.signature(row) for row in found.rows}


PLACE = re.compile(r"`([a-z_]+(?:/[a-z_]+)*\.py)(?:: (\w+))?`")


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
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
