"""Make a text larger, from a seed, so that its words still follow the laws of Zipf and Heaps.

python benchmarks/enlarge.py TEXT OUT [--copies 10] [--seed 0] [--letters]

The recipe is the Pitman-Yor process (Pitman and Yor 1997), applied to copies of the text. The first
copy is the text itself, with one blank between words. Each line of a later copy is that line of an
earlier copy, which is drawn at random. A word that occurred `n` times so far becomes a new word
with probability `discount / n`. The discount is the share of the text's distinct words that occur
once, to which the process converges. So distinct words grow as `copies ** discount` (Heaps), and
frequent words stay as frequent (Zipf).

To make a new word, about half of the letters and digits of the old one are replaced: vowels by
vowels, consonants by consonants, in the same case, and as often as in the text. So words a line,
word lengths, punctuation and most neighbouring letters stay.

Each copy is written before the next is made. Memory is 4 bytes for each running word, and the
distinct words.
"""

import argparse
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from shape import Shape

Numbers = NDArray[np.uint32]

KINDS = ("aeiou", "bcdfghjklmnpqrstvwxyz", "AEIOU", "BCDFGHJKLMNPQRSTVWXYZ", "0123456789")
ATTEMPTS = 20


def main() -> None:
    """Write the larger text that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path, help="a UTF-8 text")
    parser.add_argument("out", type=Path)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--letters", action="store_true", help="lower-case letters a-z only")
    options = parser.parse_args()
    text = Text.read(options.text.read_bytes(), options.letters)
    print(json.dumps(write(text, options.out, options.copies, options.seed)))


@dataclass(frozen=True, eq=False)
class Text:
    """A text: its distinct words, the numbers of its running words, and the words of each line.

    `indent` stands before each line.
    """

    names: list[str]
    numbers: Numbers
    lengths: NDArray[np.int64]
    indent: str = ""

    @classmethod
    def read(cls, raw: bytes, letters: bool = False) -> "Text":
        """Read words as ASCII whitespace divides them.

        With `letters`, keep only the letters a to z, in lower case, and blanks; leave out empty
        lines, and begin each line with a blank. GPT-2's split then finds the same words.
        """
        decoded = raw.decode("utf-8-sig")
        if letters:
            decoded = re.sub(r"[^a-z\s]", "", decoded.lower())
        lines = [line.split() for line in decoded.encode().split(b"\n")]
        lines = [line for line in lines if line or not letters]
        number: dict[bytes, int] = {}
        numbers = [number.setdefault(word, len(number)) for line in lines for word in line]
        return cls(
            [word.decode() for word in number],
            np.array(numbers, dtype=np.uint32),
            np.array([len(line) for line in lines], dtype=np.int64),
            " " if letters else "",
        )

    @property
    def discount(self) -> float:
        """The share of the distinct words that occur once."""
        return float(np.mean(np.bincount(self.numbers) == 1))


@dataclass(eq=False)
class Namer:
    """A source of new words that resemble old ones."""

    taken: set[str]
    random: Random
    pools: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Pool the letters of each kind as often as the distinct words have them."""
        text = "".join(sorted(self.taken))
        pooled = {kind: re.sub(f"[^{kind}]", "", text) for kind in KINDS}
        self.pools = {letter: pooled[kind] for kind in KINDS for letter in kind if pooled[kind]}

    def can(self, word: str) -> bool:
        """Return whether a word has any letter or digit that can be replaced."""
        return any(letter in self.pools for letter in word)

    def like(self, word: str) -> str:
        """Replace letters until the word is new; if that fails, make the word one letter longer."""
        for _ in range(ATTEMPTS):
            name = "".join(map(self._other, word))
            if name not in self.taken:
                self.taken.add(name)
                return name
        place = next(i for i, letter in enumerate(word) if letter in self.pools)
        return self.like(word[:place] + word[place] + word[place:])

    def _other(self, letter: str) -> str:
        pool = self.pools.get(letter)
        chance = self.random.random()
        return letter if pool is None or chance < 0.5 else pool[int((2 * chance - 1) * len(pool))]


def copies_of(text: Text, copies: int, seed: int, names: list[str]) -> Iterator[Numbers]:
    """Yield the word numbers of each copy; add the new words to `names`."""
    numpy_random = np.random.default_rng(seed)
    namer = Namer(set(names), Random(seed))
    can = np.array([namer.can(name) for name in names])
    counts = np.bincount(text.numbers, minlength=len(names))
    history = np.empty((copies, len(text.numbers)), dtype=np.uint32)
    history[0] = text.numbers
    yield history[0]
    places = np.arange(len(text.numbers))
    for copy in range(1, copies):
        parents = np.repeat(numpy_random.integers(copy, size=len(text.lengths)), text.lengths)
        words = history[parents, places]
        chance = text.discount / counts[words] * can[words]
        renamed = np.flatnonzero(numpy_random.random(len(words)) < chance)
        added = [namer.like(names[word]) for word in words[renamed]]
        words[renamed] = np.arange(len(names), len(names) + len(added))
        names += added
        can = np.append(can, np.ones(len(added), dtype=bool))
        counts = np.append(counts, np.zeros(len(added), dtype=counts.dtype))
        counts += np.bincount(words, minlength=len(counts))
        history[copy] = words
        yield words


def write(text: Text, out: Path, copies: int, seed: int) -> dict[str, Any]:
    """Write the copies, and return the shape of the larger text."""
    names = list(text.names)
    shape = Shape()
    part = out.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="\n") as file:
        for numbers in copies_of(text, copies, seed, names):
            file.writelines(lines_of(text, numbers, names))
            shape.add(numbers)
        file.flush()
        # Otherwise the disk is still busy while the next peers are measured.
        os.fsync(file.fileno())
    part.replace(out)
    return {"bytes": out.stat().st_size, "discount": text.discount, **shape.described()}


def lines_of(text: Text, numbers: Numbers, names: list[str]) -> Iterator[str]:
    """Yield the lines of one copy."""
    words = [names[number] for number in numbers.tolist()]
    ends = np.cumsum(text.lengths).tolist()
    for begin, end in zip([0, *ends], ends, strict=False):
        yield f"{text.indent}{' '.join(words[begin:end])}\n"


if __name__ == "__main__":
    main()
