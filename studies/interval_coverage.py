"""How often the 95 % intervals of `tokbench run` hold the true value: a simulation.

    python studies/interval_coverage.py

draws 200 test texts from a known law, scores them on the command line, and writes the table of
`docs/explanation/statistics.md`. It takes about half an hour, and reads only `results.csv`.

The law: words follow Zipf's law, but each document tilts it towards one of 30 topics, so lines of
one document are alike. In the first columns lines come from documents of their own, so they are
independent: they are resampled by line and by block. In the others a text is made of whole
documents: these are resampled by line, which is wrong then, by block, and by document. Gold words
are drawn one by one. The true value is that of a text of 4,000 documents of the law, or of 20,000
gold words.
"""

import csv
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "explanation" / "statistics.md"
BEGIN, END = "<!-- coverage -->\n", "<!-- end of coverage -->\n"
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


class Law:
    """Words of syllables, rarer ones longer; a translation of each; documents about a topic."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.morphs = self._syllables(400)
        self.words = [*dict.fromkeys(map("".join, self._compounds(TYPES * 2)))][:TYPES]
        # Some words are of rare letters, so that they fall to single ones.
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
        first = self.random.choice(letters, many, p=weights / weights.sum())
        vowel = self.random.choice([*"eaoiu"], many)
        last = self.random.choice(["", *letters[:8]], many)
        return [*map("".join, zip(first, vowel, last, strict=True))]

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
    """Spell documents, a blank line between them."""
    return "\n\n".join(
        "\n".join(" ".join(words[i] for i in line) for line in lines) for lines in documents
    )


def metrics() -> list[dict[str, str]]:
    """Return what `tokbench metrics` says of those that have an interval."""
    done = subprocess.run(
        [sys.executable, "-m", "tokbench", "metrics", "--format", "csv"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    rows = [*csv.DictReader(done.stdout.splitlines())]
    rows = [row for row in rows if row["interval"].startswith("yes")]
    return [row for row in rows if "pairs" not in row["needs"]]


def run(folder: Path, law: Law, texts: Mapping[str, Sequence[Document]], by: str) -> Numbers:
    """Score texts with their translations, and gold words, in one run."""
    gold = {name.replace("t", "g"): law.gold_words() for name in texts} | {"whole": law.gold}
    for name, documents in texts.items():
        (folder / f"{name}.txt").write_text(written(documents, law.words), "utf-8")
        (folder / f"{name}.r.txt").write_text(written(documents, law.translated), "utf-8")
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
    whole, letter = ("whole", "g") if metric["unit"] == "word" else ("population", "t")
    true = numbers[system, whole, name][0] * (scale if name in TOTALS else 1)
    texts = [numbers.get((system, f"{letter}{i}", name), ()) for i in range(TEXTS)]
    intervals = [ends[1:] for ends in texts if len(ends) == 3]
    held = sum(low <= true <= high for low, high in intervals)
    return held / max(len(intervals), 1), len(intervals) / TEXTS


def main() -> None:
    """Run the settings, and write the table."""
    law = Law(20)
    population = [law.document() for _ in range(4_000)]
    lines = sum(map(len, population))
    independent = {
        f"t{i}": [[document[0]] for document in (law.document() for _ in range(LINES))]
        for i in range(TEXTS)
    }
    whole = {f"t{i}": [law.document() for _ in range(DOCUMENTS)] for i in range(TEXTS)}
    settings = [
        *((independent, by, LINES / lines) for by in ("line", "block")),
        *((whole, by, DOCUMENTS / len(population)) for by in ("line", "block", "document")),
    ]
    training = written([law.document() for _ in range(300)], law.words)
    columns: list[dict[str, tuple[float, float]]] = []
    for texts, by, scale in settings:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "train.txt").write_text(training, "utf-8")
            numbers = run(folder, law, {**texts, "population": population}, by)
        columns.append({m["metric"]: coverage(numbers, m, scale) for m in metrics()})
    page = PAGE.read_text("utf-8")
    table = "".join(report(columns))
    pattern = re.compile(f"(?s){re.escape(BEGIN)}.*?{re.escape(END)}")
    PAGE.write_text(pattern.sub(lambda _: BEGIN + table + END, page), "utf-8")
    print(table)


def report(columns: Sequence[Mapping[str, tuple[float, float]]]) -> Iterator[str]:
    """Write the table, without metrics that never have an interval."""
    yield "| metric | independent lines, by line | by block |"
    yield " documents, by line | by block | whole |\n"
    yield "|---|---:|---:|---:|---:|---:|\n"
    for name in columns[0]:
        if any(there for _, there in (column[name] for column in columns)):
            cells = (cell(*column[name]) for column in columns)
            yield f"| `{name}` | {' | '.join(cells)} |\n"


def cell(held: float, there: float) -> str:
    """Spell a coverage, with the share of texts that had an interval unless all had."""
    if not there:
        return "no interval"
    return f"{held:.3f}" if there == 1 else f"{held:.3f} ({there:.0%} of texts)"


if __name__ == "__main__":
    main()
