"""tokbench in Python: a run gives the numbers of the command, shows itself, and cuts text."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from tokbench_views.answer import CAVEAT

import tokbench
from tests.run_cli import tokbench_here
from tokbench.errors import UsageError

pytestmark = pytest.mark.ci

CONFIG: dict[str, Any] = {
    "corpora": {"train": "train.txt", "test": {"held-out": "test.txt"}},
    "merges": [2, 4, 8],
    "systems": ["bpe", {"name": "a<b", "learner": {"use": "bpe", "eow": "absent"}}, "char"],
    "metrics": ["fertility", "kept-whole-running"],
    "resamples": 100,
}
CONFIG["systems"][1]["name"] = "bare"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make a folder of two texts the current one."""
    path = tmp_path_factory.mktemp("notebook")
    (path / "train.txt").write_text("low lower lowest newest widest\n" * 30)
    (path / "test.txt").write_text("low newer wide lowest\nlow\nwiden <low>\n" * 15)
    with chdir(path):
        yield path


@pytest.fixture(scope="module")
def notebook_run(folder: Path) -> tokbench.Run:
    """Run the mapping once."""
    return tokbench.run(CONFIG)


def test_a_mapping_runs_as_the_file_with_it_does(folder: Path) -> None:
    import yaml

    (folder / "c.yaml").write_text(yaml.safe_dump(CONFIG, sort_keys=False))
    before = {path.name for path in folder.iterdir()}
    of_mapping, of_file = tokbench.run(CONFIG), tokbench.run("c.yaml")
    assert {path.name for path in folder.iterdir()} == before, "nothing is written"
    assert tokbench_here("run", "-q", "c.yaml", "-o", "out", cwd=folder).returncode == 0
    loaded = tokbench.Run.load(folder / "out")
    for table in ("results", "comparisons", "coverage"):
        assert of_mapping.frame(table).equals(loaded.frame(table))
        assert of_file.frame(table).equals(loaded.frame(table))
    assert (of_mapping.record.name, of_file.record.name) == ("config", "c")


def test_a_run_shows_its_answer_and_its_first_chart(notebook_run: tokbench.Run) -> None:
    shown = notebook_run._repr_html_()
    tree = ElementTree.fromstring(shown)
    facts = [item.text for item in tree.iter("li")]
    assert CAVEAT in facts
    lines = [*tree.iter("polyline")]
    assert [len(line.attrib["points"].split()) for line in lines] == [3, 3]
    texts = [text.text for text in tree.iter("text")]
    assert {"tokens per word on held-out, by vocabulary size", "bpe", "bare", "2", "4", "8"} <= {
        *texts
    }
    assert not re.search("<script|http|onload", shown)


def test_without_sizes_there_is_no_chart(folder: Path) -> None:
    shown = tokbench.run({**CONFIG, "systems": ["char"]})._repr_html_()
    assert "<svg" not in shown
    assert "<li>" in shown


def test_only_what_is_public_is_listed() -> None:
    assert dir(tokbench) == ["Run", "__version__", "load", "run"]
    assert all(getattr(tokbench, name) for name in dir(tokbench))


TEXT = "Low newest widér\r\n\nlower lowest xx"
CUTTING = """
corpora: {train: {path: train.txt, normalise: [lowercase]}, test: test.txt}
sizes: [20, 24]
systems:
  - bpe
  - {learner: byte-bpe, sizes: [270]}
  - {name: split, learner: bpe, segmenter: longest-match, split: words}
  - wordpiece
  - char
metrics: [fertility]
"""


@pytest.fixture(scope="module")
def cut(folder: Path) -> Path:
    """Run systems with other parts."""
    (folder / "cut.yaml").write_text(CUTTING)
    assert tokbench_here("run", "-q", "cut.yaml", "-o", "cut", cwd=folder).returncode == 0
    return folder / "cut"


@pytest.mark.parametrize("system", ["bpe@20", "byte-bpe", "split", "wordpiece", "char"])
def test_text_is_cut_as_the_command_cuts_it(cut: Path, system: str) -> None:
    """With the treatment of the training text, and each system's own parts."""
    name, _, size = system.partition("@")
    (cut.parent / "text.txt").write_bytes(TEXT.encode())
    command = ("segment", f"cut:{system}", "text.txt", "--format", "json")
    lines = tokbench_here(*command, cwd=cut.parent).stdout.splitlines()
    tokens = [token for line in lines for word in json.loads(line) for token in word]
    run = tokbench.load(cut)
    assert run.encode(name, TEXT, int(size) if size else "") == tokens
    assert len(tokens) > 4


def test_a_system_that_is_not_there_cuts_nothing(cut: Path) -> None:
    for system, size, message in (
        ("none", "", "no vocabulary of 'none'; there are: bpe"),
        ("bpe", 9999, "system 'bpe' has no size 9999; there are: 20, 24"),
        ("char", 20, "system 'char' has no size 20; it has one only"),
    ):
        with pytest.raises(UsageError, match=message):
            tokbench.load(cut).encode(system, TEXT, size)


def test_a_changed_table_is_read_with_a_warning(cut: Path) -> None:
    folder = cut.parent
    shutil.copytree(cut, folder / "changed")
    path = folder / "changed/data/coverage.csv"
    path.write_text(path.read_text().replace("char", "chars"))
    with pytest.warns(UserWarning, match="coverage.csv: changed since the run wrote it") as caught:
        assert "chars" in {*tokbench.load(folder / "changed").frame("coverage")["system"]}
    assert [warning.filename for warning in caught] == [__file__], "the line of whoever loads it"
    for command in (("show", "changed"), ("compare", "changed", "changed")):
        done = tokbench_here(*command, cwd=folder)
        assert done.returncode == 0
        assert "it is read as it is" in done.stderr
    for command in (("verify", "changed"), ("report", "changed")):
        assert tokbench_here(*command, cwd=folder).returncode == 4


def test_a_wrong_config_is_the_error_of_the_command(folder: Path) -> None:
    with pytest.raises(UsageError, match="did you mean"):
        tokbench.run({**CONFIG, "systems": ["bppe"]})


@pytest.mark.ci
def test_the_notebook_of_the_docs_prints_what_it_holds(
    root: Path, golden: Callable[[Path, str], None]
) -> None:
    """The cells run in order, as in a notebook; what they print is stored in it."""
    path = root / "docs" / "how-to" / "python.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    with chdir(path.parent):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                printed = io.StringIO()
                with redirect_stdout(printed):
                    exec("".join(cell["source"]), names)
                lines = printed.getvalue().splitlines(keepends=True)
                stream = {"name": "stdout", "output_type": "stream", "text": lines}
                cell["outputs"] = [stream] if lines else []
    golden(path, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


@pytest.mark.nightly
def test_type_checkers_find_tokbench_beside_an_editable_installation(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import tokbench\n"
        "from tokbench.api import Learner, Vocabulary\n\n"
        "run: tokbench.Run = tokbench.load('runs/x')\n"
        "vocabulary: Vocabulary = run.vocabulary('bpe', 2000)\n"
        "tokens: list[str] = run.encode('bpe', 'text', size=2000)\n"
        "signatures: list[str] = [run.signature(row) for row in run.frame().itertuples()]\n"
        "wrong: int = run.encode('bpe', 'text')\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "MYPYPATH"}
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "script.py"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [line.split(":")[1] for line in errors] == ["8"], done.stdout
