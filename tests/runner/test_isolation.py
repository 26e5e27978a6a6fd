"""Where the work of plugins is done changes no byte of the results."""

from pathlib import Path

import pytest

from tests.run_cli import tokbench

pytestmark = pytest.mark.nightly

PLUGIN = """
import os
from pathlib import Path
from tokbench.api import *

def note(what):
    with Path({log!r}).open("a") as log:
        log.write(f"{{what}} {{os.getpid()}}\\n")

class Half(Learner):
    "Learn the first half of each word, most frequent first."
    prefix_closed: bool = True
    def learn(self, words, size):
        note("learner")
        alphabet = sorted({{*"".join(words)}})
        halves = {{}}
        for word, count in words.items():
            half = word[: len(word) // 2 + 1]
            halves[half] = halves.get(half, 0) + count
        found = sorted(halves, key=lambda one: (-halves[one], one))
        tokens = dict.fromkeys((*alphabet, *found))
        return Vocabulary((*tokens,)[: max(size.number, len(alphabet))],
                          segmenter={{"use": "greedy"}})

class Greedy(Segmenter):
    "Cut off the longest known token, from the left."
    def prepare(self, vocabulary):
        return {{token: number for number, token in enumerate(vocabulary.tokens)}}
    def segment(self, word, prepared):
        note("segmenter")
        tokens = []
        while word:
            end = next((n for n in range(len(word), 0, -1) if word[:n] in prepared), 1)
            tokens.append(word[:end])
            word = word[end:]
        return tokens

class Camel(Splitter):
    "Split before capital letters."
    def split(self, text):
        note("splitter")
        cuts = [0, *(n for n in range(1, len(text)) if text[n].isupper()), len(text)]
        return [*zip(cuts, cuts[1:])] if text else []

class Longest(AdditiveMetric):
    "Share of tokens in words of three tokens or more."
    formula, range, denominator = "tokens / tokens", (0.0, 1.0), "all"
    def count(self, segmentation):
        note("metric")
        all = segmentation.tokens * segmentation.count
        return {{"long": all * (segmentation.tokens > 2), "all": all}}
    def score(self, sums, size):
        return sums["long"] / sums["all"]

@hookimpl
def tokbench_learners(): return {{"half": Half}}
@hookimpl
def tokbench_segmenters(): return {{"greedy": Greedy}}
@hookimpl
def tokbench_splitters(): return {{"camel": Camel}}
@hookimpl
def tokbench_metrics(): return {{"longest": Longest}}
"""
CONFIG = """
corpora: {{train: train.txt, test: {{held-out: test.txt}}}}
sizes: [60, 90]
systems:
- bpe
- half
- {{name: own-split, learner: bpe, split: camel}}
- {{name: greedy, learner: bpe, segmenter: greedy}}
- {{learner: morfessor}}
metrics: [fertility, oov-words-running, kept-whole-running, longest, renyi-efficiency-observed]
resamples: 50
isolation: {isolation}
"""
TRAIN = "theCat satOnThe mat\nlowLower lowest newNewer newest\nwideWider the widestCat\n" * 9
TEST = "theNewest cat sat\nlowestWide slower matCat\nZürich 안녕\n"


DIFFER = {"run.json", "cost.md", "report.html"}
"""Files that hold times, or the config with its `isolation`."""


def test_the_files_are_the_same_wherever_plugins_work(tmp_path: Path) -> None:
    pytest.importorskip("morfessor")
    (tmp_path / "train.txt").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "test.txt").write_text(TEST, encoding="utf-8")
    files, processes = {}, {}
    for isolation in ("foreign", "all", "none"):
        log = tmp_path / isolation
        (tmp_path / "own.py").write_text(PLUGIN.format(log=str(log)), encoding="utf-8")
        (tmp_path / "config.yaml").write_text(CONFIG.format(isolation=isolation))
        out = tmp_path / f"out-{isolation}"
        done = tokbench("run", "-q", "config.yaml", "-p", "own.py", "-o", out, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        files[isolation] = {
            str(path.relative_to(out)): path.read_bytes()
            for path in sorted(out.rglob("*"))
            if path.is_file() and path.name not in DIFFER
        }
        lines = [line.split() for line in log.read_text().splitlines()]
        processes[isolation] = {
            what: {pid for kind, pid in lines if kind == what}
            for what in ("learner", "segmenter", "splitter", "metric")
        }
        assert {*DIFFER} <= {path.name for path in out.iterdir()}
    assert {"results.csv", "report.md", "vocabularies/half@90.json"} <= {*files["none"]}
    assert [name for name in files["none"] if name.endswith(".npz")]
    assert files["foreign"] == files["none"]
    assert files["all"] == files["none"]
    # They did work in other processes than the run, and in the run's own without isolation.
    (here,) = set.union(*processes["none"].values())
    for isolation in ("foreign", "all"):
        for what, pids in processes[isolation].items():
            assert pids, what
            assert here not in pids
    assert len(set.union(*processes["foreign"].values())) > 1
