"""Price the last 1 MB of a text by count models of all of it, by bytes or tokens of BPE.

The clock covers cutting both texts into events, choosing the order unless one is given, and the
estimates of both smoothings.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from tokbench_bpe.learner import Bpe
from tokbench_bytes.baselines import Utf8Bytes
from tokbench_lm.metrics import BitsPerByte

from tokbench.api import Size
from tokbench.api.arrays import TrainingLines, Words
from tokbench.corpora.words import build_words
from tokbench.cut import BoundSegmenter, segment
from tokbench.plugins import load

SCORED = 10**6


def run(name: str, text: str, size: int | None, order: int | None) -> dict[str, Any]:
    """Price tokens of BPE or, without a size, bytes; return the seconds and the bits per byte."""
    lines = Path(text).read_text("utf-8").splitlines()
    last = len(lines)
    while last > 0 and sum(map(len, lines[last:])) < SCORED:
        last -= 1_000
    learned, scored = words_of(lines), words_of(lines[max(last, 0) :])
    if size is None:
        vocabulary = Utf8Bytes().load()
    else:
        counts = Counter(word for line in lines for word in line.split())
        vocabulary = Bpe().learn(counts, Size(total=size))
    bound = BoundSegmenter(load(lazy=True).segmenter_of(vocabulary)[1], vocabulary)
    segmentation = segment(bound, scored)
    cut = bound.lines if bound.cuts_lines else bound.tokens
    metric = BitsPerByte(order=order)
    begin = perf_counter()
    sums = {
        key: column.sum()
        for key, column in metric.count(segmentation, TrainingLines(learned, cut, False)).items()
    }
    seconds = perf_counter() - begin
    return {"seconds": seconds, "bits-per-byte": float(metric.score(sums, vocabulary.size))}


def words_of(lines: Sequence[str]) -> Words:
    """Return the words of lines, as white space divides them."""
    return build_words((line.split(), 0, 0) for line in lines)
