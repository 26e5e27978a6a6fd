"""docs/how-to/interchange.md: its session is what is printed, and its table names every format."""

import re
import shlex
from pathlib import Path

import pytest

from tests.interchange.samples import FORMATS
from tests.run_cli import tokbench_here as tokbench

LOW = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3


@pytest.fixture(scope="module")
def document(root: Path) -> str:
    return (root / "docs" / "how-to" / "interchange.md").read_text("utf-8")


def test_the_session_is_what_is_printed(document: str, tmp_path: Path) -> None:
    (tmp_path / "low.txt").write_text(LOW)
    block = re.search(r"^```console\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    assert block is not None
    shown = ""
    for line in re.findall(r"^\$ tokbench (.*)$", block[1], re.MULTILINE):
        command, _, output = line.partition(" > ")
        done = tokbench(*shlex.split(command), cwd=tmp_path)
        if output:
            (tmp_path / output).write_text(done.stdout)
        shown += f"$ tokbench {line}\n" + done.stderr + ("" if output else done.stdout)
    assert shown == block[1]


def test_every_format_has_its_row_and_its_section(document: str) -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|", document, re.MULTILINE)
    sections = re.findall(r"^### (.*)$", document, re.MULTILINE)
    assert rows == sections == [*FORMATS]
