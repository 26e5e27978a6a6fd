"""The memory of a run: bytes a distinct test word, a running word, and a further system.

Each figure is the difference of the peaks of two runs that differ in one thing only. The words are
made of three of 105 syllables, and are cut into about three tokens.

    python benchmarks/memory.py [--words 300000]
"""

import argparse
import tempfile
from collections.abc import Iterable
from itertools import islice, product
from pathlib import Path

from measure import Command, measure_or_exit
from setting import TOKBENCH

SYLLABLES = [a + b for a in "bcdfghjklmnpqrstvwxyz" for b in "aeiou"]
MOST = len(SYLLABLES) ** 3
TRAINED = 2000
IN_A_LINE = 20


def words(many: int) -> list[str]:
    """Return so many distinct words; neighbours share no more syllables than others."""
    ordered = ["".join(syllables) for syllables in product(SYLLABLES, repeat=3)]
    step = 1_000_003  # a prime: each word comes once
    return [ordered[number * step % MOST] for number in range(many)]


def text(running: Iterable[str]) -> str:
    """Write words in lines of 20."""
    rest = iter(running)
    lines = iter(lambda: " ".join(islice(rest, IN_A_LINE)), "")
    return "\n".join(lines) + "\n"


def config(systems: int) -> str:
    """Describe a run of so many equal systems at one size."""
    named = ", ".join(f"{{name: bpe{number}, learner: bpe}}" for number in range(systems))
    corpora = "corpora: {train: train.txt, test: {t: test.txt}}"
    return f"{corpora}\nsizes: [250]\nresamples: 200\nsystems: [{named}]\n"


def peak(folder: Path, command: str, test: list[str], systems: int = 1) -> float:
    """Measure the peak memory of a command on a test text, in bytes."""
    (folder / "train.txt").write_text(text(words(TRAINED)))
    (folder / "test.txt").write_text(text(test))
    path = folder / "memory.yaml"
    path.write_text(config(systems))
    out = ("--fresh", "-o", str(folder / "out")) if command == "run" else ()
    return measure_or_exit(Command([TOKBENCH, command, str(path), *out])).peak_mb * 1e6


def measure_figures(many: int) -> dict[str, float]:
    """Return each figure in bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder, test = Path(name), words(many)
        figures = {}
        for command in ("check", "run"):
            once = peak(folder, command, test)
            twice_as_many = peak(folder, command, words(2 * many))
            eight_times = peak(folder, command, test * 8)
            figures[f"{command}: a distinct word"] = (twice_as_many - once) / many
            figures[f"{command}: a running word"] = (eight_times - once) / (7 * many)
        three_systems = peak(folder, "run", test, systems=3)
        key = "run: a distinct word, for each further system and size"
        figures[key] = (three_systems - once) / 2 / many
        return figures


def main() -> None:
    """Print the table of `configs/README.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=300_000, help="distinct words, up to 500,000")
    many = parser.parse_args().words
    if not 0 < many <= MOST // 2:
        parser.error(f"--words: from 1 to {MOST // 2:,}")
    print("| memory | bytes |\n| --- | ---: |")
    for name, size in measure_figures(many).items():
        print(f"| {name} | {size:,.0f} |")


if __name__ == "__main__":
    main()
