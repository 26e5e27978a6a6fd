"""The memory of a run: bytes a distinct test word, a running word, and a further system.

Each is the slope between two runs that differ in nothing else, by the peaks of their processes. The
words are made of three syllables out of 105, and are cut into about three tokens.

    python benchmarks/memory.py [--words 300000]
"""

import argparse
import sys
import tempfile
from collections.abc import Iterable
from itertools import islice, product
from pathlib import Path

from measure import Command, measure

PROGRAM = "from tokbench.cli import main; main()"
SYLLABLES = [a + b for a in "bcdfghjklmnpqrstvwxyz" for b in "aeiou"]
MOST = len(SYLLABLES) ** 3
TRAINED = 2000
IN_A_LINE = 20


def words(many: int) -> list[str]:
    """Return so many distinct words; neighbours share no more syllables than others."""
    found = ["".join(parts) for parts in product(SYLLABLES, repeat=3)]
    step = 1_000_003  # a prime: each word comes once
    return [found[number * step % MOST] for number in range(many)]


def text(running: Iterable[str]) -> str:
    """Write words in lines of 20."""
    rest = iter(running)
    lines = iter(lambda: " ".join(islice(rest, IN_A_LINE)), "")
    return "\n".join(lines) + "\n"


def config(systems: int) -> str:
    """Describe a run of so many systems at one size; each is cut in the same way."""
    named = ", ".join(f"{{name: bpe{number}, learner: bpe}}" for number in range(systems))
    corpora = "corpora: {train: train.txt, test: {t: test.txt}}"
    return f"{corpora}\nsizes: [250]\nresamples: 200\nsystems: [{named}]\n"


def peak(folder: Path, command: str, test: list[str], systems: int = 1) -> float:
    """Measure the peak memory of a command on such a test text, in bytes."""
    (folder / "train.txt").write_text(text(words(TRAINED)))
    (folder / "test.txt").write_text(text(test))
    path = folder / "memory.yaml"
    path.write_text(config(systems))
    where = ("--fresh", "-o", str(folder / "out")) if command == "run" else ()
    done = measure(Command([sys.executable, "-c", PROGRAM, command, str(path), *where]))
    if done.error:
        raise SystemExit(done.error)
    return done.peak_mb * 1e6


def measured(many: int) -> dict[str, float]:
    """Return each slope in bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, all_words = words(many), words(2 * many)
        found = {}
        for command in ("check", "run"):
            one, two = (peak(folder, command, text) for text in (few, all_words))
            found[f"{command}: a distinct word"] = (two - one) / many
            again = peak(folder, command, few * 8)
            found[f"{command}: a running word"] = (again - one) / (7 * many)
        three = peak(folder, "run", few, systems=3)
        one = peak(folder, "run", few)
        found["run: a distinct word, for each further system and size"] = (three - one) / 2 / many
        return found


def main() -> None:
    """Print the table of `configs/README.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=300_000, help="distinct words, up to 500,000")
    many = parser.parse_args().words
    if not 0 < many <= MOST // 2:
        parser.error(f"--words: from 1 to {MOST // 2:,}")
    print("| memory | bytes |\n| --- | ---: |")
    for name, size in measured(many).items():
        print(f"| {name} | {size:,.0f} |")


if __name__ == "__main__":
    main()
