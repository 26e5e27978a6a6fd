"""What people read of a run, as files to look at: `tests/data/documents/`.

The run has all that a document can show: two kinds of text, gold words with categories, noise,
a curve, a system that fails, one that loses words, and two that agree. `pytest --renew` writes the
files; read them with `git diff`, as a user would.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tokbench_page.page import page
from tokbench_views.report import details, report
from tokbench_views.tables import ending

from tests.tiny import BPE, TinyRun, tiny_run

GOLDEN = Path(__file__).parents[1] / "data" / "documents"
FAILING = """
from tokbench.api import Learner, hookimpl
class Failing(Learner):
    "Fail."
    def learn(self, words, size):
        raise ValueError("no | idea")
@hookimpl
def tokbench_learners():
    return {"failing": Failing}
"""
TEXTS = {
    "train": "low low low lower\nnewest newest widest\n" * 20 + "wide new|er lowest\n",
    "test": "low lower newest\nslower widest low\nLow new 42 wider\n" * 20,
    "novel": "slowest\tblend\nnewlow\tblend\nxyz\tother\n",
    "gold": "lower\tlow er\tsuffix\nnewest\tnew est\tsuffix\nslower\tslow er\tNA\n",
}
CORPORA = """
  train: train.txt
  test: {held-out: test.txt}
  lists: {novel: novel.txt}
  gold: {parts: gold.txt}
  pairs: {typos: {generate: keyboard, of: held-out}}"""
SYSTEMS = f"""[{BPE}, {{name: twin, learner: {{use: bpe, eow: absent, merge: list}}}}, char, word,
  wordpiece, failing, {{name: bytes, learner: utf8-bytes}}]"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> TinyRun:
    return tiny_run(
        tmp_path_factory.mktemp("documents"), FAILING, TEXTS, corpora=CORPORA, systems=SYSTEMS,
        sizes="{from: 14, to: 24, list: [16, 20, 24], curve: true}",
        metrics="[oov-words-running, unknown-characters, fertility, kept-whole-running, "
        "boundary-kappa, boundary-f1-micro, fertility-change, renyi-efficiency-observed]",
        gate="0.2", resamples="40",
    )  # fmt: skip


def page_text(run: TinyRun) -> str:
    """Return the page without its styles, scripts and data."""
    (main,) = re.findall(r"<main>.*</main>\n", page(run), re.S)
    return main


def terminal_text(run: TinyRun) -> str:
    return ending(run, "'my run'")


DOCUMENTS = {
    "report.md": report, "metrics.md": details, "terminal.txt": terminal_text,
    "page.html": page_text,
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document(name: str, run: TinyRun, golden: Callable[[Path, str], None]) -> None:
    write = DOCUMENTS[name]
    golden(GOLDEN / name, write(run))
