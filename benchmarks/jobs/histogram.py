"""Score the histogram of a segmented text by metrics that both programs have.

Both start from the segmented text in memory, each in its own form: tokenization-scorer from lists
of tokens, tokbench from its segmentation. tokbench scores two more metrics of histograms.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

POWER = 2.5
Work = Callable[[], Mapping[str, float]]


def run(name: str, folder: str, vocabulary: str) -> dict[str, Any]:
    """Score the histogram once by one program; return seconds and scores."""
    from tokbench.api import Vocabulary

    loaded = Vocabulary.from_json(Path(vocabulary).read_text(encoding="utf-8"))
    prepare = {"tokbench": tokbench, "tokenization-scorer": scorer}[name.partition(" ")[0]]
    work = prepare(Path(folder), loaded)
    begin = perf_counter()
    scores = work()
    return {"seconds": perf_counter() - begin, "scores": {loaded.size: scores}}


def scorer(folder: Path, vocabulary: Any) -> Work:
    """Return a function that scores by tokenization-scorer."""
    from tokenization_scorer.metrics import get_metric

    size = vocabulary.size + vocabulary.can_be_unknown
    text = (folder / "tokens.txt").read_text(encoding="utf-8")
    lines = [line.split(" ") for line in text.splitlines() if line]
    renyi, shannon = get_metric("renyi"), get_metric("shannon")
    return lambda: {
        "renyi-efficiency-observed": float(renyi(lines, power=POWER)),
        "renyi-efficiency-declared": float(renyi(lines, power=POWER, vocab=size)),
        "shannon-efficiency-observed": float(shannon(lines)),
        "shannon-efficiency-declared": float(shannon(lines, vocab=size)),
    }


def tokbench(folder: Path, vocabulary: Any) -> Work:
    """Return a function that scores by tokbench."""
    from tokbench_bpe.segmenters import BpeRank
    from tokbench_metrics import entropy
    from tokbench_metrics.vocabulary import TokenLength, VocabularyUse

    from tokbench.api.arrays import CountTable
    from tokbench.corpora.words import build_words
    from tokbench.cut import BoundSegmenter, segment

    metrics = {
        "renyi-efficiency-observed": entropy.RenyiEfficiencyObserved(power=POWER),
        "renyi-efficiency-declared": entropy.RenyiEfficiencyDeclared(power=POWER),
        "shannon-efficiency-observed": entropy.ShannonEfficiencyObserved(),
        "shannon-efficiency-declared": entropy.ShannonEfficiencyDeclared(),
        "vocabulary-use": VocabularyUse(),
        "token-length": TokenLength(),
    }
    lines = (folder / "words.txt").read_text(encoding="utf-8").splitlines()
    words = build_words((line.split(), 0, 0) for line in lines)
    segmented = segment(BoundSegmenter(BpeRank(), vocabulary), words)

    def work() -> Mapping[str, float]:
        counts = words.count
        scores = {}
        for name, metric in metrics.items():
            sums = {
                key: column.totals(counts) if isinstance(column, CountTable) else counts @ column
                for key, column in metric.count(segmented).items()
            }
            scores[name] = float(metric.score(sums, vocabulary.size))
        return scores

    return work
