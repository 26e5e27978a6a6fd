"""Animals: lines that misbehave, for any place in a plugin, and healthy plugins to put them in."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from tokbench.workers.limits import Limits

TRAIN = "low lower lowest\nnew newer newest\nwide wider widest\nthe cat sat on the mat\n" * 3
TEST = "the newest cat\na wide mat\nslower\n"
LONG, MEMORY, OUTPUT = 600, 700, 300


@dataclass(frozen=True)
class Animal:
    """Lines of Python, and the failure that they lead to; none if the work is done all the same.

    An answer at random is refused wherever it is given, by a message of that place. Only what ends
    at a limit of time has a short one: on a busy machine, healthy work may take long.
    """

    lines: str
    failure: str = ""
    seconds: int = LONG
    idle_seconds: int = LONG

    @property
    def limits(self) -> Limits:
        """The limits to meet it with."""
        return Limits(
            seconds=self.seconds, idle_seconds=self.idle_seconds, memory=MEMORY, output=OUTPUT
        )


TWICE = ", as at its first attempt"
ZOO = {
    "raises": Animal("raise ValueError('no idea')", "ValueError: no idea (zoo.py:"),
    "exits": Animal("sys.exit(0)", "SystemExit: 0 (zoo.py:"),
    "ends at once": Animal("os._exit(0)", f"ended with exit code 0 and no answer{TWICE}"),
    "aborts": Animal("os.abort()", f"was ended by SIGABRT{TWICE}"),
    "crashes": Animal("ctypes.string_at(0)", f"was ended by SIGSEGV{TWICE}"),
    "loops": Animal(
        "while True: pass", "took longer than 10 s and was ended (`limits`: seconds)", seconds=10
    ),
    "waits": Animal(
        "time.sleep(600)", "neither computed nor printed for 3 s and was ended", idle_seconds=3
    ),
    "allocates": Animal("x = []\nwhile True: x.append(bytearray(9_999_999))", "MemoryError"),
    "forks": Animal("if once(): os.fork()"),
    "leaves one that sleeps": Animal(
        "if once() and not os.fork(): os.setsid(); note(); time.sleep(9999)"
    ),
    "goes elsewhere": Animal("os.chdir('/')"),
    "closes all": Animal("os.closerange(0, 99)", f"ended with exit code 1 and no answer{TWICE}"),
    "rings": Animal(
        "signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(9)", f"was ended by SIGALRM{TWICE}"
    ),
    "interrupts": Animal("raise KeyboardInterrupt", "KeyboardInterrupt (zoo.py:"),
    "replaces": Animal("json.dumps = json.loads = lambda *a, **k: '{}'"),
    "prints much": Animal("if once(): [os.write(n, b'zoo\\n' * 12_500_000) for n in (1, 2)]"),
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
calls = []
def once():
    "Return whether a process comes here first: a hook may be called for each word."
    calls.append(None)
    return len(calls) == 1
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
    "compare": """
class Mine(ParallelMetric):
    "Compare."
    formula, range, denominator = "tokens / tokens", (0.0, 99.0), "theirs"
    def compare(self, segmentation, reference):
        note()
        {lines}
        return {{"ours": segmentation.line_tokens, "theirs": reference.line_tokens}}
    def score(self, sums, size):
        return sums["ours"] / sums["theirs"]
@hookimpl
def tokbench_metrics(): return {{"mine": Mine}}
""",
    "rows": """
class Mine(TrainingMetric):
    "Tabulate."
    formula, range, denominator = "tokens / words", (0.0, 99.0), "words"
    columns = {{"tokens": "number"}}
    def count(self, segmentation, training):
        tokens = segmentation.tokens[segmentation.words.order]
        return {{"tokens": tokens, "words": tokens * 0 + 1}}
    def score(self, sums, size):
        return sums["tokens"] / sums["words"]
    def rows(self, training):
        note()
        {lines}
        return [{{"tokens": len(training.cut(["newest"]).ids)}}]
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

OF_COMMANDS = {
    "check_size": """
class Mine(Learner):
    "Learn."
    def check_size(self, words, size):
        note()
        {lines}
    def learn(self, words, size):
        return Vocabulary((*sorted({{*''.join(words)}}),), segmenter={{'use': 'char'}})
@hookimpl
def tokbench_learners(): return {{"mine": Mine}}
""",
    "trace": """
class Mine(Learner):
    "Learn."
    def learn(self, words, size):
        return Vocabulary((*sorted({{*''.join(words)}}),), segmenter={{'use': 'char'}})
    def trace(self, words, size):
        note()
        {lines}
        return iter(())
@hookimpl
def tokbench_learners(): return {{"mine": Mine}}
""",
    "explain": """
class Mine(Segmenter):
    "Cut."
    def segment(self, word, prepared):
        return [*word]
    def explain(self, word, prepared):
        note()
        {lines}
        return None
@hookimpl
def tokbench_segmenters(): return {{"mine": Mine}}
""",
}
"""Hooks that commands call, and runs do not."""


def indented(lines: str) -> str:
    return lines.replace("\n", "\n        ")


def assert_gone(pids):
    """The plugin's code ran in other processes, none of which is left."""
    assert pids
    assert os.getpid() not in pids
    for _ in range(600):
        left = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
        if not left:
            return
        time.sleep(0.1)
    assert not left
