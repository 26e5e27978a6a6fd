"""The console blocks of the documents print what the documents say."""

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.consoles import Command, commands, differences

TESTED_ELSEWHERE = ("docs/bytes.md", "docs/interchange.md")
"""Documents whose sessions begin with files that their own tests make."""

SHARED_NEEDED = (
    "docs/howto-korean.md",
    "docs/howto-ready-made.md",
    "docs/questions.md",
    "docs/tutorials.md",
)
"""Documents whose commands read the shared texts and tokenizers."""

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("README*.md"), *(ROOT / "docs").glob("*.md"))
    if "```console" in path.read_text(encoding="utf-8")
)


PAGES = [name for name in PAGES if name not in TESTED_ELSEWHERE]


def test_there_are_pages_to_run() -> None:
    assert {"README.md", "README.ko.md", "docs/start.md", "docs/tutorials.md"} <= {*PAGES}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PAGES if name not in SHARED_NEEDED])
def test_a_page_prints_what_it_says(name: str, tmp_path: Path) -> None:
    assert not differences(ROOT / name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PAGES if name in SHARED_NEEDED])
def test_a_page_of_shared_texts_prints_what_it_says(
    name: str, tmp_path: Path, shared: Path
) -> None:
    assert not differences(ROOT / name, tmp_path)


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
