"""Score the histogram of a segmented text by metrics that both programs know.

Both start from the segmented text in memory, each in its own form: tokenization-scorer from lists
of tokens, tokbench from its segmentation. tokbench scores its other metrics of histograms too.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

POWER = 2.5


def run(name: str, folder: str, vocabulary: str) -> dict[str, Any]:
    """Score the histogram once by one program; return seconds and scores."""
    make = {"tokbench": tokbench, "tokenization-scorer": scorer}[name.partition(" ")[0]]
    work = make(Path(folder), Path(vocabulary))
    begin = perf_counter()
    scores = work()
    return {"seconds": perf_counter() - begin, "scores": scores}


def scorer(folder: Path, vocabulary: Path) -> Callable[[], Mapping[str, float]]:
    """Return a function that scores by tokenization-scorer."""
    from tokenization_scorer.metrics import get_metric

    from tokbench.api import Vocabulary

    known = Vocabulary.from_json(vocabulary.read_text(encoding="utf-8"))
    size = known.size + known.can_be_unknown
    text = (folder / "tokens.txt").read_text(encoding="utf-8")
    lines = [line.split(" ") for line in text.splitlines() if line]
    renyi, shannon = get_metric("renyi"), get_metric("shannon")
    return lambda: {
        "renyi-efficiency-observed": float(renyi(lines, power=POWER)),
        "renyi-efficiency-declared": float(renyi(lines, power=POWER, vocab=size)),
        "shannon-efficiency-observed": float(shannon(lines)),
        "shannon-efficiency-declared": float(shannon(lines, vocab=size)),
    }


def tokbench(folder: Path, vocabulary: Path) -> Callable[[], Mapping[str, float]]:
    """Return a function that scores by tokbench."""
    from tokbench_metrics import entropy
    from tokbench_metrics.vocabulary import TokenLength, VocabularyUse

    from tokbench.api.arrays import CountTable

    metrics = {
        "renyi-efficiency-observed": entropy.RenyiEfficiencyObserved(power=POWER),
        "renyi-efficiency-declared": entropy.RenyiEfficiencyDeclared(power=POWER),
        "shannon-efficiency-observed": entropy.ShannonEfficiencyObserved(),
        "shannon-efficiency-declared": entropy.ShannonEfficiencyDeclared(),
        "vocabulary-use": VocabularyUse(),
        "token-length": TokenLength(),
    }
    segmented = segmentation(folder / "words.txt", vocabulary)

    def work() -> Mapping[str, float]:
        counts = segmented.words.count
        scores = {}
        for name, metric in metrics.items():
            sums = {
                key: column.totals(counts) if isinstance(column, CountTable) else counts @ column
                for key, column in metric.count(segmented).items()
            }
            scores[name] = float(metric.score(sums, segmented.vocabulary.size))
        return scores

    return work


def segmentation(text: Path, vocabulary: Path) -> Any:
    """Lay a text out as tokbench's core does, one state a distinct word."""
    import numpy as np
    from peers import tokbench as ours

    from tokbench.api import Vocabulary
    from tokbench.api.arrays import Segmentation, Words

    number: dict[str, int] = {}
    rows = [line.split() for line in text.read_text(encoding="utf-8").splitlines()]
    order = [number.setdefault(word, len(number)) for row in rows for word in row]
    lengths = [len(row) for row in rows]
    words = Words(
        text=tuple(number),
        order=np.array(order, dtype=np.uint32),
        lines=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        documents=np.zeros(len(rows), dtype=np.int32),
        train_count=np.ones(len(number), dtype=np.int64),
    )
    loaded = Vocabulary.from_json(vocabulary.read_text(encoding="utf-8"))
    states = ours.segment(ours.Ready(loaded), words.text)
    starts = np.concatenate(([0], states.ends[:-1]))
    starts[states.row[:-1]] = 0
    return Segmentation(
        words=words,
        vocabulary=loaded,
        word=states.word,
        row=states.row,
        ids=states.ids,
        starts=starts,
        ends=states.ends,
        round_trip=np.ones(len(words), dtype=bool),
    )
