"""The recommendation a second time, from the files of a run folder alone."""

import csv
import json
import math
from pathlib import Path

from tokbench.recommend import recommend
from tokbench.run_folder import Run
from tokbench.run_folder.layout import Layout

KAPPA, LENGTH = "boundary-kappa", "fertility"


def agrees_with_csv_files(folder: Path) -> None:
    """Assert that a run recommends what its files say, with the same ties and the same size."""
    recommendation = recommend(Run.load(folder))
    assert recommendation is not None
    own = Recomputed(folder)
    context = own.context()
    size, tied = own.take(context)
    assert (recommendation.ranking.context, recommendation.size) == (context, size)
    assert {*recommendation.take} == own.agreeing_most(tied, size)


class Recomputed:
    """Reads the files; `values` are by system, size and context, of what may be recommended."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        record = json.loads((folder / "run.json").read_text("utf-8"))
        by_gold = record["resolved"]["recommend"]["for"] == "morphology"
        self.order = [system["name"] for system in record["systems"]]
        self.order.sort(key=lambda name: name != record["baseline"])
        self.gold = next((c["name"] for c in record["corpora"] if c["gold"]), "")
        texts = [c["name"] for c in record["corpora"] if c["kind"] == "text"]
        self.corpora = [self.gold] if by_gold else texts
        self.sign = -1 if by_gold else 1
        gated = {
            (row["system"], row["size"], row["context"])
            for row in table(folder, "coverage")
            if row["gated"] and row["corpus"] in texts
        }
        self.outcomes = {
            (o["system"], o["size"], o["context"]): o["vocabulary_size"]
            for o in record["outcomes"]
            if o["vocabulary_size"] >= number_in(o["size"])
            and (
                by_gold
                or (
                    (o["system"], o["size"], o["context"]) not in gated
                    and not (o["told_edge"] == "none" and o["context"] == "isolated")
                )
            )
        }
        # All tokens of whole lines count; a factor for each text changes no order.
        self.length = {"isolated": LENGTH, "in-context": "tokens"}
        self.metric = dict.fromkeys(self.length, KAPPA) if by_gold else self.length
        self.values = self.measured(self.metric)
        self.lengths = self.measured(self.length)

    def measured(self, metric: dict[str, str]) -> dict[tuple[str, str, str], float]:
        """Return the geometric means over the corpora, of outcomes that have a value on each."""
        values: dict[tuple[str, str, str], list[float]] = {}
        for row in table(self.folder, "results"):
            key = row["system"], row["size"], row["context"]
            is_of_all = (row["subset"], row["training-share"]) == ("all", "1")
            is_wanted = (
                row["metric"] == metric.get(row["context"]) and row["corpus"] in self.corpora
            )
            if is_of_all and is_wanted and row["value"] and key in self.outcomes:
                values.setdefault(key, []).append(float(row["value"]))
        return {
            key: numbers[0] if len(numbers) == 1 else math.prod(numbers) ** (1 / len(numbers))
            for key, numbers in values.items()
            if len(numbers) == len(self.corpora)
        }

    def intervals(self, metric: str, corpus: str) -> dict[tuple[str, ...], tuple[float, float]]:
        """Return the interval of a system minus another, by both names, size and context."""
        intervals: dict[tuple[str, ...], tuple[float, float]] = {}
        for row in table(self.folder, "comparisons"):
            if (row["metric"], row["corpus"], row["subset"]) == (metric, corpus, "all"):
                low, high = float(row["own-low"]), float(row["own-high"])
                place = row["size"], row["context"]
                intervals[row["system"], row["other"], *place] = low, high
                intervals[row["other"], row["system"], *place] = -high, -low
        return intervals

    def context(self) -> str:
        """Return the context of most systems."""
        in_context = {name for name, _, context in self.values if context == "in-context"}
        alone = {name for name, _, context in self.values if context == "isolated"}
        return "in-context" if len(in_context) >= len(alone) else "isolated"

    def take(self, context: str) -> tuple[str, set[str]]:
        """Return the size to take, and who ties there and with the leader."""
        values = {(n, s): self.sign * v for (n, s, c), v in self.values.items() if c == context}
        corpus = self.corpora[0] if len(self.corpora) == 1 else ""
        intervals = self.intervals(self.metric[context], corpus)
        systems = [name for name in self.order if name in {name for name, _ in values}]

        def common(name: str, other: str) -> str | None:
            sizes = [s for n, s in values if n == name and (other, s) in values]
            return max(sizes, key=number_in) if sizes else None

        def ties(name: str, other: str, size: str) -> bool:
            low, high = intervals.get((other, name, size, context), (math.nan, math.nan))
            if self.sign < 0:
                low, high = -high, -low
            scale = 1 if self.sign < 0 else values[name, size]
            return low / scale >= -0.02 and high / scale <= 0.02

        unbeaten = [
            name
            for name in systems
            if all(
                values[name, size] <= values[other, size]
                for other in systems
                if other != name and (size := common(name, other)) is not None
            )
        ]
        leader = min(unbeaten, key=lambda name: values[name, self.largest(name, context)])
        tied = [
            name
            for name in systems
            if name == leader or ((at := common(leader, name)) and ties(leader, name, at))
        ]
        own = next((name for name in tied if len(self.sizes(name, context)) > 1), tied[0])
        size = self.size(own, context)
        return size, {
            name
            for name in tied
            if name == own or ((name, size) in values and ties(own, name, size))
        }  # fmt: skip

    def agreeing_most(self, tied: set[str], size: str) -> set[str]:
        """Leave out who agrees surely less with the gold file than the best of those that tie."""
        kappa = {
            row["system"]: float(row["value"])
            for row in table(self.folder, "results")
            if (row["metric"], row["corpus"], row["size"]) == (KAPPA, self.gold, size)
            and (row["subset"], row["training-share"]) == ("all", "1")
            and row["system"] in tied
        }
        if self.sign < 0 or {*kappa} != tied:
            return tied
        best = max((name for name in self.order if name in tied), key=kappa.__getitem__)
        lower = {
            other
            for (name, other, at, _), (low, _) in self.intervals(KAPPA, self.gold).items()
            if (name, at) == (best, size) and low > 0
        }
        return tied - lower

    def sizes(self, name: str, context: str) -> dict[int, str]:
        """Return the sizes at which a system has a length, by their numbers."""
        own = [size for n, size, c in self.lengths if (n, c) == (name, context) and size]
        return {number_in(size): size for size in sorted(own, key=number_in)}

    def largest(self, name: str, context: str) -> str:
        """Return the largest size at which a system has a value."""
        own = [size for n, size, c in self.values if (n, c) == (name, context)]
        return max(own, key=number_in)

    def size(self, name: str, context: str) -> str:
        """Return the smallest size of a system whose doubling saves less than 3 %."""
        sizes = self.sizes(name, context)
        if len(sizes) < 2:
            return self.largest(name, context)
        tokens = {at: self.lengths[name, size, context] for at, size in sizes.items()}
        curve = self.curve(name) if context == "isolated" and len(self.corpora) == 1 else {}
        for at, size in sizes.items():
            if 2 * at <= max(sizes):
                if curve:
                    doubled = curve[max(step for step in curve if step <= 2 * at)]
                else:
                    low = max(each for each in sizes if each <= 2 * at)
                    high = min(each for each in sizes if each >= 2 * at)
                    part = 0.0 if low == high else math.log(2 * at / low) / math.log(high / low)
                    doubled = tokens[low] + part * (tokens[high] - tokens[low])
                if doubled / tokens[at] > 0.97:
                    return size
        return sizes[max(sizes)]

    def curve(self, name: str) -> dict[int, float]:
        """Return the tokens per word of a system at each size where they change, if measured."""
        if not (self.folder / Layout().table("curves")).exists():
            return {}
        return {
            int(row["size"]): float(row["value"])
            for row in table(self.folder, "curves")
            if (row["system"], row["corpus"]) == (name, self.corpora[0])
            and (row["subset"], row["metric"]) == ("all", LENGTH)
            and row["size"].isdigit()
        }


def table(folder: Path, name: str) -> list[dict[str, str]]:
    path = folder / Layout().table(name)
    if not path.exists():  # a table without lines
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def number_in(size: str) -> int:
    return int(size.rpartition(":")[2] or 0)
