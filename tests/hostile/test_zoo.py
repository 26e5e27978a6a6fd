"""A zoo of plugins that misbehave, in every hook: each costs only itself, in another process.

Each animal is a few lines in front of what a healthy plugin does at that place.
"""

import csv
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tokbench.cli import run_command

TRAIN = "low lower lowest\nnew newer newest\nwide wider widest\nthe cat sat on the mat\n" * 3
TEST = "the newest cat\na wide mat\nslower\n"
LIMITS = "{seconds: 3, idle-seconds: 1, memory: 700, output: 300}"


@dataclass(frozen=True)
class Animal:
    """Lines of Python, and the failure that they lead to; none if the work is done all the same."""

    lines: str
    failure: str = ""


TWICE = ", as at its first attempt"
ZOO = {
    "raises": Animal("raise ValueError('no idea')", "ValueError: no idea (zoo.py:"),
    "exits": Animal("sys.exit(0)", "SystemExit: 0 (zoo.py:"),
    "ends at once": Animal("os._exit(0)", f"ended with exit code 0 and no answer{TWICE}"),
    "aborts": Animal("os.abort()", f"was ended by SIGABRT{TWICE}"),
    "crashes": Animal("ctypes.string_at(0)", f"was ended by SIGSEGV{TWICE}"),
    "loops": Animal("while True: pass", "took longer than 3 s and was ended (`limits`: seconds)"),
    "waits": Animal("time.sleep(99)", "neither computed nor printed for 1 s and was ended"),
    "allocates": Animal("x = []\nwhile True: x.append(bytearray(9_999_999))", "MemoryError"),
    "forks": Animal("os.fork()"),
    "leaves one that sleeps": Animal("if not os.fork(): os.setsid(); note(); time.sleep(99)"),
    "goes elsewhere": Animal("os.chdir('/')"),
    "closes all": Animal("os.closerange(0, 99)", f"ended with exit code 1 and no answer{TWICE}"),
    "rings": Animal(
        "signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(9)", f"was ended by SIGALRM{TWICE}"
    ),
    "interrupts": Animal("raise KeyboardInterrupt", "KeyboardInterrupt (zoo.py:"),
    "replaces": Animal("json.dumps = json.loads = lambda *a, **k: '{}'"),
    "prints much": Animal("for out in (1, 2): os.write(out, b'zoo\\n' * 10_000_000)"),
    "prints without end": Animal(
        "while True: os.write(1, b'zoo\\n' * 100_000)",
        "printed more than 300 MB and was ended (`limits`: output)",
    ),
    "writes without end": Animal(
        "out = open('much', 'wb')\nwhile True: out.write(bytes(9_999_999))",
        "OSError: [Errno 27] File too large (zoo.py:",
    ),
    "answers without end": Animal("return iter(int, 1)", "limits"),
    "answers at random": Animal("return os.urandom(9)", ""),
}

HEAD = """
import ctypes, json, os, signal, sys, time
from tokbench.api import *
def note():
    with open({pids!r}, "a") as file:
        file.write(f"{{os.getpid()}}\\n")
"""
HOOKS = {
    "learn": """
class Mine(Learner):
    "Learn."
    def learn(self, words, size):
        note()
        {lines}
        return Vocabulary((*sorted({{*''.join(words)}}),), segmenter={{'use': 'char'}})
@hookimpl
def tokbench_learners(): return {{"mine": Mine}}
""",
    "load": """
class Mine(Learner):
    "Load."
    @property
    def reads(self): return "nothing"
    def load(self):
        note()
        {lines}
        return Vocabulary((*"abcdefghijklmnopqrstuvwxyz",), segmenter={{'use': 'char'}})
@hookimpl
def tokbench_learners(): return {{"mine": Mine}}
""",
    "segment": """
class Mine(Segmenter):
    "Cut."
    def segment(self, word, prepared):
        note()
        {lines}
        return [*word]
@hookimpl
def tokbench_segmenters(): return {{"mine": Mine}}
""",
    "prepare": """
class Mine(Segmenter):
    "Cut."
    def prepare(self, vocabulary):
        note()
        {lines}
        return vocabulary
    def segment(self, word, prepared):
        return [*word]
@hookimpl
def tokbench_segmenters(): return {{"mine": Mine}}
""",
    "segment_lines": """
class Mine(TextSegmenter):
    "Cut."
    def segment_lines(self, lines, prepared):
        note()
        {lines}
        import numpy as np
        row = np.cumsum([0] + [len(line) for line in lines])
        return LineTokens.from_lengths(row, [-1] * row[-1], [1] * row[-1])
@hookimpl
def tokbench_segmenters(): return {{"mine": Mine}}
""",
    "timeline": """
class Mine(Segmenter):
    "Cut."
    def segment(self, word, prepared):
        return [*word]
    def timeline(self, words, prepared, since=0):
        note()
        {lines}
        return None
@hookimpl
def tokbench_segmenters(): return {{"mine": Mine}}
""",
    "decode": """
class Mine(Segmenter):
    "Cut."
    def segment(self, word, prepared):
        return [*word]
    def decode(self, ids, vocabulary):
        note()
        {lines}
        return "".join(vocabulary.tokens[i] for i in ids)
@hookimpl
def tokbench_segmenters(): return {{"mine": Mine}}
""",
    "split": """
class Mine(Splitter):
    "Split."
    def split(self, text):
        note()
        {lines}
        return [(0, 1), (1, len(text))] if len(text) > 1 else [(0, 1)]
@hookimpl
def tokbench_splitters(): return {{"mine": Mine}}
""",
    "count": """
class Mine(AdditiveMetric):
    "Count."
    formula, range, denominator = "tokens / words", (0.0, 99.0), "words"
    def count(self, segmentation):
        note()
        {lines}
        return {{"tokens": segmentation.tokens * segmentation.count, "words": segmentation.count}}
    def score(self, sums, size):
        return sums["tokens"] / sums["words"]
@hookimpl
def tokbench_metrics(): return {{"mine": Mine}}
""",
    "score": """
class Mine(AdditiveMetric):
    "Count."
    formula, range, denominator = "tokens / words", (0.0, 99.0), "words"
    def count(self, segmentation):
        return {{"tokens": segmentation.tokens * segmentation.count, "words": segmentation.count}}
    def score(self, sums, size):
        note()
        {lines}
        return sums["tokens"] / sums["words"]
@hookimpl
def tokbench_metrics(): return {{"mine": Mine}}
""",
    "measure": """
class Mine(WholeMetric):
    "Measure."
    formula, range = "tokens", (0.0, 999.0)
    def measure(self, segmentation):
        note()
        {lines}
        return float(segmentation.tokens.sum())
@hookimpl
def tokbench_metrics(): return {{"mine": Mine}}
""",
    "analyse": """
class Mine(Analysis):
    "Analyse."
    columns = {{"tokens": "number"}}
    def rows(self, used):
        note()
        {lines}
        return [{{"tokens": len(used.cut(["newest"]).ids)}}]
@hookimpl
def tokbench_analyses(): return {{"mine": Mine}}
""",
}
SYSTEMS = {
    "learn": "mine",
    "load": "mine",
    "split": "{name: mine, learner: bpe, split: mine}",
    **dict.fromkeys(
        ("segment", "prepare", "segment_lines", "timeline", "decode"),
        "{name: mine, learner: bpe, segmenter: mine}",
    ),
}
CONFIG = """
corpora: {{train: train.txt, test: {{held-out: test.txt}}}}
sizes: [40]
systems: [char, bpe{system}]
metrics: [fertility{metric}]
resamples: 20
limits: {limits}
"""


@dataclass(frozen=True)
class Ran:
    """The exit code of a run, what it said, the rows that it wrote, and the plugin's processes."""

    code: int
    out: str
    err: str
    rows: list[dict[str, str]]
    pids: list[int]


def results_of(folder: Path) -> list[dict[str, str]]:
    path = folder / "results.csv"
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@pytest.fixture
def healthy(run_zoo):
    """The rows of a run without the zoo."""
    return run_zoo("", "", "").rows


@pytest.fixture
def run_zoo(tmp_path, monkeypatch, capsys):
    """Run a config with a plugin file through the real command line."""
    (tmp_path / "train.txt").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "test.txt").write_text(TEST, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    pids = tmp_path / "pids"

    def run(plugin, system, metric, command=("run", "-o", "out")):
        pids.unlink(missing_ok=True)
        Path("zoo.py").write_text(HEAD.format(pids=str(pids)) + plugin, encoding="utf-8")
        config = CONFIG.format(system=system, metric=metric, limits=LIMITS)
        Path("config.yaml").write_text(config, encoding="utf-8")
        files = ["-p", "zoo.py"] if plugin else []
        config = [] if command[0] == "plugins" else ["config.yaml"]
        monkeypatch.setattr(sys, "argv", ["tokbench", *command, *files, *config])
        code = run_command()
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        rows = results_of(Path("out")) if code in (0, 1) and command[0] == "run" else []
        found = pids.read_text().split() if pids.exists() else []
        return Ran(code, out, err, rows, [*map(int, found)])

    return run


def indented(lines: str) -> str:
    return lines.replace("\n", "\n        ")


def assert_gone(pids):
    """The plugin's code ran in other processes, none of which is left."""
    assert pids
    assert os.getpid() not in pids
    for _ in range(100):
        left = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
        if not left:
            return
        time.sleep(0.05)
    assert not left


OF_METRICS = ("count", "score", "measure")
QUICK = {("learn", animal) for animal in ZOO} | {("segment", "crashes"), ("count", "ends at once")}
NO_HARM = {("prepare", "answers without end"), ("prepare", "answers at random")}
"""What is prepared may be anything; nobody looks at it but the segmenter."""

CASES = [
    pytest.param(hook, animal, marks=[] if (hook, animal) in QUICK else pytest.mark.slow)
    for hook in HOOKS
    for animal in ZOO
    if (hook, animal) not in NO_HARM
]


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize(("hook", "animal"), CASES)
def test_an_animal_costs_only_itself(run_zoo, healthy, hook, animal):
    one = ZOO[animal]
    plugin = HOOKS[hook].format(lines=indented(one.lines))
    system = f", {SYSTEMS[hook]}" if hook in SYSTEMS else ""
    done = run_zoo(plugin, system, ", mine" if hook in OF_METRICS else "")
    failed = [line for line in done.err.splitlines() if line.startswith("failed: ")]
    if one.failure or failed:
        assert done.code == 1
        assert any(one.failure in line for line in failed), failed
        who = {"analyse": "analysis mine"}.get(hook, "mine")
        assert all(who in line for line in failed)
    else:
        assert done.code == 0, done.err
    statuses = {row["status"] for row in done.rows if row["system"] == "mine"}
    if hook in SYSTEMS and failed:
        assert all(one.failure in status for status in statuses - {""}), statuses
    compared = [row for row in done.rows if row["system"] != "mine" and row["metric"] != "mine"]
    kept = ("system", "metric", "size", "subset", "value", "low", "high", "difference")
    assert [[row[k] for k in kept] for row in compared] == [
        [row[k] for k in kept] for row in healthy
    ]
    assert not [name for name in os.listdir() if name.startswith(".tokbench-")]
    assert_gone(done.pids)
