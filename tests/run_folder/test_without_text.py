"""`samples: none`: no line and no word of a text is in any file of the run folder."""

import io
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from tests.page_data import data_of, packed
from tests.run_cli import tokbench_here
from tokbench import Run
from tokbench.run_folder import Row

TRAINING = "the old miller grinds yellow corn beside a slow river\nnobody ever sees him resting\n"
TEST = "a quick wanderer buys yellow flour before winter\nthe wanderer never pays in silver coins\n"
LISTED = "flibbertigibbet\tnonsense\nquartzite\tstone\n"
GOLD = "wanderer\twander er\nresting\trest ing\nunquantifiable\tun quantifi able\n"
CONFIG = """
corpora:
  train: {path: train.txt, words: whitespace}
  test: {held-out: test.txt}
  lists: {novel: novel.txt}
  gold: {parts: {path: gold.txt, format: tsv}}
  pairs: {typos: {generate: keyboard, of: held-out}}
systems: [bpe, char, byte-bpe, {name: mine, learner: mine}]
sizes: [280]
samples: SAMPLES
metrics: all
resamples: 100
"""
PLUGIN = """
from tokbench.api import Learner, Vocabulary, hookimpl
class Mine(Learner):
    "Fail, and say on which text."
    def learn(self, words, size):
        raise ValueError(f"odd words: {[*words][:8]}, {' '.join(words)}")
tokbench_learners = hookimpl(lambda: {"mine": Mine})
"""
WORDS = {"wanderer", "flour", "silver", "flibbertigibbet", "quartzite", "unquantifiable"}
"""Words of the test corpora that are no tokens."""


def run_with(folder: Path, samples: str) -> Path:
    """Run all kinds of corpora, and a system that fails."""
    texts = {"train": TRAINING * 20, "test": TEST * 20, "novel": LISTED, "gold": GOLD}
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    (folder / "mine.py").write_text(PLUGIN, encoding="utf-8")
    (folder / "c.yaml").write_text(CONFIG.replace("SAMPLES", samples), encoding="utf-8")
    done = tokbench_here("run", "-q", "-p", "mine.py", "-o", "out", "c.yaml", cwd=folder)
    assert done.returncode == 1, done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_with(tmp_path_factory.mktemp("none"), "none")


@pytest.fixture(scope="module")
def with_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_with(tmp_path_factory.mktemp("lines"), "lines")


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from chain(*map(strings, [*value, *value.values()]))
    elif isinstance(value, list):
        yield " ".join(text for text in value if isinstance(text, str))
        yield from chain(*map(strings, value))


def text_in(path: Path) -> str:
    """Return all text of a file, that which is packed too; words that stand in order as a line."""
    if path.suffix == ".npz":
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            texts = {n: arrays[n].tobytes().decode() for n in arrays.files if n.endswith("utf8")}
        return "\n".join(texts.values())
    text = path.read_text(encoding="utf-8")
    if path.name == "report.html":
        text = "\n".join([text, packed(text, "data"), *strings(data_of(text))])
    return text


def leaks(folder: Path) -> set[str]:
    """Return the files that hold five words in a row of a text, or a word of a test corpus."""
    lines = [line.split() for line in (TRAINING + TEST).splitlines()]
    runs = [" ".join(line[i : i + 5]) for line in lines for i in range(len(line) - 4)]
    odd = re.compile("|".join([*map(re.escape, runs), *sorted(WORDS)]))
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)) for path in files if odd.search(text_in(path))}


@pytest.mark.ci
def test_no_file_holds_a_line_or_a_word_of_the_texts(folder: Path, with_text: Path) -> None:
    assert leaks(folder) == set()
    kept = {"data/words.npz", "data/metrics.md", "report.md", "report.html", "run.json"}
    assert kept <= leaks(with_text), "the search finds what there is"


@pytest.mark.ci
def test_a_packed_run_holds_no_line_or_word_of_the_texts(with_text: Path, tmp_path: Path) -> None:
    assert tokbench_here("pack", with_text, "-o", tmp_path / "run.zip").returncode == 0
    ZipFile(tmp_path / "run.zip").extractall(tmp_path / "packed")
    assert leaks(tmp_path / "packed") == set()


@pytest.mark.ci
def test_all_numbers_are_the_same_and_the_folder_is_whole(folder: Path, with_text: Path) -> None:
    def numbers(folder: Path) -> list[Row]:
        return [row for row in Run.load(folder).rows if row.metric]

    assert numbers(folder) == numbers(with_text)
    assert tokbench_here("verify", folder).returncode == 0
    before = (folder / "report.md").read_bytes()
    assert tokbench_here("report", folder).returncode == 0
    assert (folder / "report.md").read_bytes() == before
    assert leaks(folder) == set()


@pytest.mark.ci
def test_what_needs_the_text_says_that_there_is_none(folder: Path, with_text: Path) -> None:
    done = tokbench_here("compare", with_text, folder)
    assert done.returncode == 2
    why = "text held-out: a run kept no text of it, as with `samples: none`"
    assert why in done.stderr
