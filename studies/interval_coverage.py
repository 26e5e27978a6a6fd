"""How often the 95 % intervals of `tokbench run` hold the true value: a simulation.

    python studies/interval_coverage.py

draws 200 test texts from a known distribution, scores them on the command line, and writes the
table of `docs/explanation/statistics.md`. It takes about half an hour, and reads only
`results.csv`.

Words follow Zipf's law, but each document prefers the words of one of 30 topics, so lines of one
document are alike. In the first columns of the table each line comes from a document of its own, so
lines are independent; they are resampled by line and by block. In the other columns a text is made
of whole documents; these are resampled by line, which is wrong then, by block, and by document.
Gold words are drawn one by one. The true value is that of a text of 4,000 documents, or of all
20,000 gold words.
"""

import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from statistics_page import write_table

TEXTS, LINES, DOCUMENTS, GOLD_WORDS = 200, 300, 40, 200
TYPES, TOPICS, TILT, GOLD_TYPES = 4_000, 30, 1.5, 20_000
TOTALS = ("tokens", "text-tokens")

CONFIG = """\
corpora:
  train: train.txt
  test:
{tests}
  gold:
{gold}
sizes: [600]
systems:
  - {{name: bpe, learner: {{use: bpe, alphabet: {{coverage: 0.995}}}}}}
  - {{name: lines, learner: {{use: byte-bpe, read: lines, split: none}}}}
  - {{name: bytes, learner: utf8-bytes}}
metrics:
  - {{use: nsl, of: bytes}}
{metrics}
baseline: null
resamples: 400
resample-by: {by}
"""
Document = list[list[str]]
Numbers = Mapping[tuple[str, str, str], tuple[float, ...]]
"""Value, and interval if there is one, by system, corpus and metric."""


class Language:
    """Words of one to four syllables, a translation of each, and documents about a topic."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.morphs = self._syllables(400)
        self.words = [*dict.fromkeys(map("".join, self._compounds(TYPES * 2)))][:TYPES]
        # Some words have rare letters, so that they are cut into single characters.
        for place in range(20, TYPES, 25):
            self.words[place] = "".join(map(chr, self.random.integers(0x400, 0x500, 3)))
        self.translated = [*map("".join, self._compounds(TYPES))]
        spelled = map(" ".join, self._compounds(GOLD_TYPES * 2))
        gold = {parts.replace(" ", ""): parts for parts in spelled}
        self.gold = dict([*gold.items()][:GOLD_TYPES])
        self.zipf = 1 / np.arange(1, TYPES + 1)
        self.topics = np.exp(TILT * self.random.normal(size=(TOPICS, TYPES)))

    def _syllables(self, many: int) -> list[str]:
        letters = [*"tnsrhldcmfpgwybvkxjqz", *"éßøłžčñçāő"]
        weights = 1 / np.arange(1, len(letters) + 1) ** 1.5
        onset = self.random.choice(letters, many, p=weights / weights.sum())
        vowel = self.random.choice([*"eaoiu"], many)
        coda = self.random.choice(["", *letters[:8]], many)
        return [*map("".join, zip(onset, vowel, coda, strict=True))]

    def _compounds(self, many: int) -> Iterator[list[str]]:
        for length in self.random.integers(1, 5, many).tolist():
            yield [str(morph) for morph in self.random.choice(self.morphs, length)]

    def document(self) -> Document:
        """Draw the lines of a document, as numbers of words."""
        weights = self.zipf * self.topics[self.random.integers(TOPICS)]
        lines = int(self.random.integers(2, 16))
        return [
            self.random.choice(
                TYPES, int(self.random.integers(3, 14)), p=weights / weights.sum()
            ).tolist()
            for _ in range(lines)
        ]

    def gold_words(self) -> dict[str, str]:
        """Draw some of the words that have morphs."""
        words = self.random.choice([*self.gold], GOLD_WORDS, replace=False)
        return {str(word): self.gold[str(word)] for word in words}


def written(documents: Sequence[Document], words: Sequence[str]) -> str:
    """Write documents with a blank line between them."""
    return "\n\n".join(
        "\n".join(" ".join(words[i] for i in line) for line in lines) for lines in documents
    )


def metrics() -> list[dict[str, str]]:
    """Return the rows of `tokbench metrics` for metrics with an interval, but those of pairs."""
    done = subprocess.run(
        [sys.executable, "-m", "tokbench", "metrics", "--format", "csv"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    return [
        row
        for row in csv.DictReader(done.stdout.splitlines())
        if row["interval"].startswith("yes") and "pairs" not in row["needs"]
    ]


def run(
    folder: Path, language: Language, texts: Mapping[str, Sequence[Document]], by: str
) -> Numbers:
    """Score texts with their translations, and gold words, in one run."""
    gold = {name.replace("t", "g"): language.gold_words() for name in texts} | {
        "all-gold": language.gold
    }
    for name, documents in texts.items():
        (folder / f"{name}.txt").write_text(written(documents, language.words), "utf-8")
        (folder / f"{name}.r.txt").write_text(written(documents, language.translated), "utf-8")
    for name, words in gold.items():
        lines = (f"{word}\t{spelled}\n" for word, spelled in words.items())
        (folder / f"{name}.tsv").write_text("".join(lines), "utf-8")
    names = [metric["metric"] for metric in metrics() if "required" not in metric["options"]]
    config = CONFIG.format(
        tests="".join(
            f"    {file.replace('.r', '-r')}: {{path: {file}.txt, documents: blocks}}\n"
            for name in texts
            for file in (name, f"{name}.r")
        ),
        gold="".join(f"    {name}: {name}.tsv\n" for name in gold),
        metrics="".join(f"  - {name}\n" for name in names)
        + "".join(f"  - {{use: parity, reference: {name}-r, texts: [{name}]}}\n" for name in texts),
        by=by,
    )
    (folder / "config.yaml").write_text(config, "utf-8")
    command = ["run", "-q", str(folder / "config.yaml"), "-o", str(folder / "out")]
    subprocess.run([sys.executable, "-m", "tokbench", *command], check=True)
    numbers: dict[tuple[str, str, str], tuple[float, ...]] = {}
    with (folder / "out" / "results.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["subset"] == "all" and row["value"]:
                cells = [row[name] for name in ("value", "low", "high") if row[name]]
                metric = row["metric"].split("(")[0]
                numbers[row["system"], row["corpus"], metric] = tuple(map(float, cells))
    return numbers


def coverage(numbers: Numbers, metric: Mapping[str, str], scale: float) -> tuple[float, float]:
    """Return the share of intervals that hold the true value, and of texts with an interval."""
    name = metric["metric"]
    in_context = "context" in metric["needs"] or name in ("parity", "split-characters")
    system = "lines" if in_context else "bpe"
    # Metrics of distinct words have an interval on lists and gold words only.
    everything, letter = ("all-gold", "g") if metric["unit"] == "word" else ("population", "t")
    true = numbers[system, everything, name][0] * (scale if name in TOTALS else 1)
    scores = [numbers.get((system, f"{letter}{i}", name), ()) for i in range(TEXTS)]
    intervals = [score[1:] for score in scores if len(score) == 3]
    covered = sum(low <= true <= high for low, high in intervals)
    return covered / max(len(intervals), 1), len(intervals) / TEXTS


def main() -> None:
    """Run the settings, and write the table."""
    language = Language(20)
    population = [language.document() for _ in range(4_000)]
    lines = sum(map(len, population))
    independent = {
        f"t{i}": [[document[0]] for document in (language.document() for _ in range(LINES))]
        for i in range(TEXTS)
    }
    in_documents = {f"t{i}": [language.document() for _ in range(DOCUMENTS)] for i in range(TEXTS)}
    settings = [
        *((independent, by, LINES / lines) for by in ("line", "block")),
        *((in_documents, by, DOCUMENTS / len(population)) for by in ("line", "block", "document")),
    ]
    training = written([language.document() for _ in range(300)], language.words)
    columns: list[dict[str, tuple[float, float]]] = []
    for texts, by, scale in settings:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "train.txt").write_text(training, "utf-8")
            numbers = run(folder, language, {**texts, "population": population}, by)
        columns.append({m["metric"]: coverage(numbers, m, scale) for m in metrics()})
    write_table("coverage", "".join(report(columns)))


def report(columns: Sequence[Mapping[str, tuple[float, float]]]) -> Iterator[str]:
    """Write the table, without metrics that never have an interval."""
    yield "| metric | independent lines, by line | by block |"
    yield " documents, by line | by block | whole |\n"
    yield "|---|---:|---:|---:|---:|---:|\n"
    for name in columns[0]:
        if any(column[name][1] for column in columns):
            cells = (cell(*column[name]) for column in columns)
            yield f"| `{name}` | {' | '.join(cells)} |\n"


def cell(coverage: float, defined: float) -> str:
    """Format a coverage, with the share of texts that had an interval unless all had."""
    if not defined:
        return "no interval"
    return f"{coverage:.3f}" + (f" ({defined:.0%} of texts)" if defined < 1 else "")


if __name__ == "__main__":
    main()
