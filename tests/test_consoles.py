"""The console blocks of the documents print what the documents say."""

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.consoles import Command, Shell, commands, differences, renewed

TESTED_ELSEWHERE = ("docs/how-to/interchange.md",)
"""Documents whose sessions begin with files that their own tests make."""

SHARED_NEEDED = (
    "docs/explanation/bytes.md",
    "docs/how-to/korean.md",
    "docs/how-to/ready-made.md",
    "docs/replications/tutorials.md",
)
"""Documents whose commands read the shared texts and tokenizers."""

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md"))
    if "```console" in path.read_text(encoding="utf-8")
)


PAGES = [name for name in PAGES if name not in TESTED_ELSEWHERE]


def test_there_are_pages_to_run() -> None:
    named = {"README.md", "README.ko.md", "docs/start.md", "docs/replications/tutorials.md"}
    assert named <= {*PAGES}


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """One server for all pages, and one cache for all processes of pytest-xdist."""
    base = tmp_path_factory.getbasetemp()
    cache = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "learned"
    with Shell(tmp_path_factory.mktemp("shell"), cache) as shell:
        yield shell


@pytest.mark.ci
@pytest.mark.parametrize("name", [name for name in PAGES if name not in SHARED_NEEDED])
def test_a_page_prints_what_it_says(name: str, tmp_path: Path, renew: bool, shell: Shell) -> None:
    assert not (renewed if renew else differences)(ROOT / name, tmp_path, shell)


@pytest.mark.ci
@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("name", SHARED_NEEDED)
def test_a_page_of_shared_texts_prints_what_it_says(
    name: str, tmp_path: Path, renew: bool, shell: Shell
) -> None:
    test_a_page_prints_what_it_says(name, tmp_path, renew, shell)


def test_the_figures_of_the_report_are_those_of_the_session() -> None:
    """The table of the tutorials, but for seconds, has what the blocks above it say."""
    page = ROOT / "docs" / "replications" / "tutorials.md"
    text = page.read_text("utf-8").partition("\n## 2. ")[0]
    session = {command.written: command.output for block in commands(text) for command in block}
    (totals,) = (session[written] for written in session if "--total" in written)
    tokens = {size: int(cells.split(",")[0]) for size, cells in by_first(totals, ",")}
    (table,) = (session[written] for written in session if "show report table" in written)
    sizes, shares, _ = (line.split()[1:] for line in table.splitlines())
    kept = {size: round(21 * float(share)) for size, share in zip(sizes, shares, strict=True)}
    printed = (ROOT / "tests/data/student_report.txt").read_text("utf-8")
    theirs = {size: rest.split() for size, rest in by_first(printed, "\n", "max_vocab == ")}
    rows = re.findall(r"^\| ([\d,]+) \| (.*) \|$", text.replace("**", ""), re.MULTILINE)
    assert [size.replace(",", "") for size, _ in rows] == [*tokens] == [*kept] == [*theirs]
    for size, their_tokens in zip(tokens, theirs.values(), strict=True):
        whole_words = sum(
            not token.startswith("##") and not after.startswith("##")
            for token, after in itertools.pairwise([*their_tokens, ""])
        )
        _, cells = rows.pop(0)
        assert cells.split(" | ")[:6] == [
            f"{len(their_tokens)}", f"{tokens[size]}",
            f"{len(their_tokens) / 21:.2f}", f"{tokens[size] / 21:.3f}",
            f"{100 * whole_words / 21:.2f} %", f"{100 * kept[size] / 21:.2f} %",
        ]  # fmt: skip


def by_first(text: str, end: str, start: str = "") -> list[tuple[str, str]]:
    """Return lines, or parts that begin with `start`, each cut after its first cell."""
    parts = text.split(start)[1:] if start else text.splitlines()
    return [(part.partition(end)[0], part.partition(end)[2]) for part in parts]


def test_dots_stand_for_any_text_and_for_any_lines() -> None:
    text = "```console\n$ a b\n> c\none ... two\n...\nend\n$ d\n```\n"
    ((first, second),) = commands(text)
    assert (first.script, second.script) == ("a b\nc", "d")
    assert first.matches("one 1 2 two\nend\n")
    assert first.matches("one  two\nx\ny\nend\n")
    assert not first.matches("one two\nend\n")
    assert not first.matches("one  two\nx\n")
    assert second.matches("")
    assert not second.matches("x\n")
    assert not Command("$ d", "a.c\n").matches("abc\n")
