"""A run written by hand: two systems, a text and a list, a curve, a failure."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from tokbench.api import Learned, Vocabulary
from tokbench.api.arrays import Segmentation, Words
from tokbench.run_folder import Run
from tokbench.run_folder.arrays import segmentation_arrays
from tokbench.run_folder.record import (
    CorpusRecord,
    Cost,
    FileRecord,
    MetricRecord,
    OutcomeRecord,
    Record,
    SystemRecord,
)
from tokbench.run_folder.seal import SEAL, seal
from tokbench.run_folder.tables import (
    AdviceRow,
    AnalysisRow,
    ComparisonRow,
    CoverageRow,
    CurveSteps,
    GrowthRow,
    Row,
    SignatureRow,
    SizeStatistics,
    UnseenRow,
)


def row(system: str, size: str, value: float | None, **changes: object) -> Row:
    fields: dict[str, Any] = {
        "corpus": "text", "subset": "all", "context": "isolated", "vocabulary_size": 4,
        "metric": "fertility", **changes,
    }  # fmt: skip
    return Row(system=system, size=size, value=value, **fields)


RECORD = Record(
    tokbench="0.1.0",
    name="by-hand",
    analyses={"lengths": {"kind": "text", "tokens": "number"}},
    config="seed: 0\n",
    resolved={"seed": 0, "systems": [{"name": "bpe", "sizes": [3, 4]}]},
    baseline="bpe",
    seed=0,
    resamples=100,
    resample_by="line",
    gate=0.01,
    corpora=(
        CorpusRecord("train", "training", "0" * 64, "words", "", 9, 3),
        CorpusRecord("text", "text", "1" * 64, "words", "errors=replace", 3, 2, 2, 1, 1),
        CorpusRecord(
            "novel", "list", "2" * 64, "entries", "", 1, 1, 1, 0, 0, categories=("name",)
        ),
    ),
    systems=(
        SystemRecord("bpe", "bpe", None, "bpe(eow=absent)", "words", ("3", "4"), 5),
        SystemRecord("char", "char", "char", "char+char", "words", (), None),
        SystemRecord("broken", "broken", None, "broken", "lines", ("3",), None),
    ),
    metrics=(
        MetricRecord(
            "fertility", "segmentation", "Tokens a word.", "t / w", (1.0, None), "lower", "line",
            "", True, "Nobody knows.", None,
        ),
    ),
    outcomes=(
        OutcomeRecord("bpe", "bpe", "3", "isolated", False, 3, 0, None),
        OutcomeRecord("bpe", "bpe", "4", "isolated", False, 4, 1, None),
        OutcomeRecord("char", "char", "", "isolated", False, 3, None, 9),
    ),
    files=(FileRecord("m.txt", "3" * 64),),
    packages={"numpy": "2.0"},
    cost=(Cost("bpe", "learn", "4", 0.25, 99.5),),
    machine={"python": "3.11", "cores": None},
    engine={},
    warnings=("a warning",),
    notes=("a note", "lone \udcff"),
    failures=("system broken at size 3: ValueError: no",),
)  # fmt: skip
VOCABULARY = Vocabulary.build(("a", "b", "c"), [Learned(("a", "b"), 5)], segmenter={"use": "bpe"})
WORDS = Words(
    text=("ab", "한"),
    order=np.array([0, 1, 0], dtype=np.uint32),
    lines=np.array([0, 2, 3]),
    documents=np.zeros(2, dtype=np.int32),
    train_count=np.array([5, 0]),
    groups={"kind:new-character": np.array([False, True]), "band:1": np.array([True, False])},
)
LISTED = Words(
    text=("c",),
    order=np.zeros(1, dtype=np.uint32),
    lines=np.array([0, 1]),
    documents=np.zeros(1, dtype=np.int32),
    train_count=np.array([1]),
    category=("name",),
)


def segmentation(words: Words, *tokens: tuple[int, list[int], int, int]) -> Segmentation:
    """Lay out (word, ids, since, until); each token of ab covers a byte, but where it is one."""
    word, ids, since, until = zip(*tokens, strict=True)
    ends = [[words.bytes[w]] if len(cut) == 1 else [1, 2] for w, cut in zip(word, ids, strict=True)]
    return Segmentation(
        words=words,
        vocabulary=VOCABULARY,
        word=np.array(word),
        row=np.cumsum([0, *map(len, ids)]),
        ids=np.array([i for cut in ids for i in cut]),
        starts=np.array([0 if i == 0 else 1 for cut in ids for i in range(len(cut))]),
        ends=np.array([end for cut in ends for end in cut]),
        round_trip=np.array([min(cut) >= 0 for cut in ids]),
        since=np.array(since),
        until=np.array(until),
    )


TIMELINE = segmentation(WORDS, (0, [0, 1], 0, 1), (0, [3], 1, 2), (1, [-1], 0, 2))
OF_LIST = segmentation(LISTED, (0, [2], 0, 2))
CHARS = segmentation(WORDS, (0, [0, 1], 0, 2), (1, [-1], 0, 2))
RUN = Run(
    record=RECORD,
    rows=(
        row("bpe", "3", 1.5, low=1.25, n=3.0, vocabulary_size=3),
        row("bpe", "4", 1 / 8, p_holm=0.01, baseline="bpe@4"),
        row("bpe", "4", None, subset="unseen", status="undefined"),
        row("char", "", 1.66666666667),
        Row("broken", size="3", status="ValueError: no"),
    ),
    comparisons=(
        ComparisonRow(
            "fertility", "text", "all", "isolated", "3", "bpe", "word", 0.5, 0.25, 0.75, 0.01,
            "higher",
        ),
    ),
    coverage=(
        CoverageRow("bpe", "3", "isolated", "text", 0.333333333333, 0.5, "yes", 0.0, 1.5, 0.25),
        CoverageRow("bpe", "3", "isolated", "novel", 0.0, 0.0, "", 1.0, None, None),
        CoverageRow("bpe", "4", "isolated", "text", 0.25, 0.25, "yes", 0.75, 1.25, 0.125),
        CoverageRow("bpe", "4", "isolated", "novel", 0.0, 0.0, "", 1.0, None, None),
        CoverageRow("char", "", "isolated", "text", 0.0, 0.125, "", 0.0, 2.5, 1.0),
        CoverageRow("char", "", "isolated", "novel", 0.0, 0.0, "", 1.0, None, None),
    ),
    curves=(
        CurveSteps(
            "bpe", "text", "all", "fertility", "", np.array([3, 4, 6]), ["nan", "1.5", "1.25"]
        ),
        CurveSteps("bpe", "text", "all", "m, x", "merges:", np.array([0]), ["9"]),
    ),
    advice=(
        AdviceRow(
            "bpe", "text", "fertility", "lower", 0.01, "4", 0.125, "4", 0.125, "3", None, None,
            None, None, "sizes", None, None,
        ),
    ),
    sizes=(
        SizeStatistics("bpe", "3", 3, 9, 0.5, 2, 1.5, 2.25),
        SizeStatistics("bpe", "4", 4, 0, None, None, None, None, None),
    ),
    analyses=(AnalysisRow("lengths", "bpe", "3", {"kind": "learned", "tokens": 2}),),
    growth=(GrowthRow("held-out", 0.1, 1000, 300, 0.25, 0.5, None),),
    unseen=(
        UnseenRow("text", "all", 1, 1, 0.333333333333, 0.0, 0.5, 0.5, 0.25),
        UnseenRow("text", "new-character", 1, 1, 0.333333333333, None, None, 0.5, None),
        UnseenRow("novel", "all", 0, 0, 0.0, None, None, 0.0, None),
    ),
    signatures=(
        SignatureRow("bpe", "3", "", "bpe(eow=absent)|size=3", "resamples=100,seed=0|tokbench=1"),
        SignatureRow("bpe", "4", "", "bpe(eow=absent)|size=4", "resamples=100,seed=0|tokbench=1"),
        SignatureRow("char", "", "", "char", "resamples=100,seed=0|tokbench=1"),
        SignatureRow("", "", "novel", "train=train@000000|test=novel@222222|words=entries", ""),
        SignatureRow("", "", "text", "train=train@000000|test=text@111111|words=words", ""),
    ),
    learned={"bpe": VOCABULARY, "char": Vocabulary(("a", "b", "c"))},
    texts={"text": WORDS, "novel": LISTED},
    states={
        "bpe": {
            **segmentation_arrays("text", TIMELINE, timeline=True),
            **segmentation_arrays("novel", OF_LIST, timeline=True),
        },
        "char": {
            **segmentation_arrays("text", CHARS),
            **segmentation_arrays("novel", OF_LIST),
        },
        "broken": {},
    },
)  # fmt: skip


def sealed_again(folder: Path, **digests: str) -> None:
    """Let the digests fit to the files as they are, and name others."""
    path = folder / "run.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    kept = {key: value for key, value in document.items() if key not in ("format", SEAL)}
    path.unlink()
    document = json.loads(seal(folder, kept))
    others = document.pop(SEAL) | digests
    others["run.json"] = hashlib.sha256(
        (json.dumps(document, indent=1) + "\n").encode()
    ).hexdigest()
    text = json.dumps({**document, SEAL: others}, indent=1) + "\n"
    path.write_text(text, encoding="utf-8")
