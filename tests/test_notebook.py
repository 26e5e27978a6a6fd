"""`tokbench.run(config)` in a notebook: the numbers of the command, charts, and what is shown."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from tokbench_views.answer import CAVEAT

import tokbench
from tests.run_cli import tokbench_here
from tokbench.errors import UsageError

CONFIG: dict[str, Any] = {
    "corpora": {"train": "train.txt", "test": {"held-out": "test.txt"}},
    "merges": [2, 4, 8],
    "systems": ["bpe", {"name": "a<b", "learner": {"use": "bpe", "eow": "absent"}}, "char"],
    "metrics": ["fertility", "kept-whole-running"],
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
    found, of_file = tokbench.run(CONFIG), tokbench.run("c.yaml")
    assert {path.name for path in folder.iterdir()} == before, "nothing is written"
    assert tokbench_here("run", "-q", "c.yaml", "-o", "out", cwd=folder).returncode == 0
    loaded = tokbench.Run.load(folder / "out")
    for table in ("results", "comparisons", "coverage"):
        assert found.frame(table).equals(loaded.frame(table))
        assert of_file.frame(table).equals(loaded.frame(table))
    assert (found.record.name, of_file.record.name) == ("config", "c")


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


def test_a_wrong_config_is_the_error_of_the_command(folder: Path) -> None:
    with pytest.raises(UsageError, match="did you mean"):
        tokbench.run({**CONFIG, "systems": ["bppe"]})
