"""What a long test text costs in memory while it is scored, and that its scores are right."""

import json
import os
import subprocess
import sys

import pytest

LINE = 25

SCORED = f"""
import json, resource, sys
import numpy as np
from tokbench.api import Vocabulary, Words
from tokbench.config import NamedMetric
from tokbench.corpora.load import TestCorpus
from tokbench.metrics import tokbench_metrics
from tokbench.runner.bench import Bench
from tokbench.runner.failures import Failures
from tokbench.runner.scoring import score
from tokbench.runner.segmenting import segment
from tokbench_char import CharSegmenter

# Zipfian: word w, of 20,000, has a share that falls as 1 / (w + 1).
running, distinct = int(sys.argv[1]), 20_000
shares = np.cumsum(1 / np.arange(1.0, distinct + 1))
draw = np.random.default_rng(0)
order = np.empty(running, dtype=np.uint32)
for first in range(0, running, 100_000):
    some = order[first : first + 100_000]
    some[:] = np.searchsorted(shares, shares[-1] * draw.random(len(some)))
words = Words(
    text=tuple("x" * (w % 7) + str(w) for w in range(distinct)),
    order=order,
    lines=np.arange(0, running + 1, {LINE}),
    documents=np.zeros(running // {LINE}, dtype=np.int32),
    train_count=np.arange(distinct) % 5,
)
bench = Bench.prepare(TestCorpus("long", "text", words, "0" * 64, "whitespace"), 100, 0)
segmenter = CharSegmenter()
vocabulary = Vocabulary((*"x0123456789",))
segmentation = segment(words, vocabulary, segmenter, segmenter.prepare(vocabulary))
failures = Failures()
metrics = [
    NamedMetric(name, metric.configure())
    for name, metric in tokbench_metrics().items()
    if name != "parity"  # it compares two texts
]
found = score(bench, metrics, segmentation, failures)
assert not failures.failures, failures.failures
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

# The same from the running words, one by one.
chars = [len(words.text[number]) for number in order.tolist()]
lines = [sum(chars[a : a + {LINE}]) for a in range(0, running, {LINE})]
unseen = sum(number % 5 == 0 for number in order.tolist())
expected = {{"tokens": sum(chars), "fertility": sum(chars) / running, "attention-cost": 1.0,
             "unseen-words-running": unseen / running, "chars-per-token": 1.0}}
scored = {{name: found[name, "all"].value for name in expected}}
low, high = min(lines) * len(lines), max(lines) * len(lines)
samples = found["tokens", "all"].samples
assert ((low <= samples) & (samples <= high)).all()
print(json.dumps({{"peak": peak, "scored": scored, "expected": expected}}))
"""


def peak_of(running: int) -> int:
    """Score a text of so many running words in a process of its own; give its peak in bytes."""
    # Else the allocator keeps what was freed, more or less of it as sizes fall.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "131072"}
    done = subprocess.run(
        [sys.executable, "-c", SCORED, str(running)],
        capture_output=True, encoding="utf-8", env=environment, check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert answer["scored"] == pytest.approx(answer["expected"], rel=1e-12)
    # Kilobytes, but bytes on macOS.
    return int(answer["peak"]) * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.slow
def test_a_running_word_costs_its_number_and_its_share_of_the_table() -> None:
    """A word has 4 bytes in the text, and about as many in the table of blocks: 5 an entry.

    The rest is what each line counts. Columns of the text's length would take 8 bytes each.
    """
    small, large = 100_000, 8_000_000
    assert (peak_of(large) - peak_of(small)) / (large - small) < 10
