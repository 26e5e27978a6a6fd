"""Make a text larger, seeded, so that its words stay as Zipf and Heaps describe them.

python benchmarks/enlarge.py TEXT OUT [--copies 10] [--seed 0] [--letters]

The recipe is the Pitman-Yor process (Pitman and Yor 1997), applied to copies of the text. The first
copy is the text itself, one blank between words. Each line of a later copy is that line of an
earlier copy, drawn at random, and each of its words, if it has been met `n` times so far, becomes
a new word with probability `discount / n`: the rarer a word, the likelier. The discount is the
share of the text's distinct words that occur once, to which the process converges; then distinct
words grow as `copies ** discount` (Heaps) and the frequent words stay as frequent (Zipf). A new
word is the old one with about half of its letters and digits drawn anew, vowels for vowels,
consonants for consonants, in their case and as often as in the text, so that tokens a line, word
lengths, punctuation and most neighbouring letters stay.

Copies are written as they are made; memory is 4 bytes a running word and the distinct words.
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
    """A running text: its distinct words, their numbers in order, and the words of each line.

    Each line is written with `indent` before its first word.
    """

    names: list[str]
    numbers: Numbers
    lengths: NDArray[np.int64]
    indent: str = ""

    @classmethod
    def read(cls, raw: bytes, letters: bool = False) -> "Text":
        """Read words as ASCII whitespace divides them.

        With `letters`, only lower-cased a-z and the blanks are kept, no line is empty and each
        begins with a blank: then the split of GPT-2 gives the same words, each with its blank.
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
    """Makes up names that no word has yet, spelled much as a given word."""

    taken: set[str]
    random: Random
    pools: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Pool the letters of each kind, as often as the distinct words hold them."""
        text = "".join(sorted(self.taken))
        pooled = {kind: re.sub(f"[^{kind}]", "", text) for kind in KINDS}
        self.pools = {letter: pooled[kind] for kind in KINDS for letter in kind if pooled[kind]}

    def can(self, word: str) -> bool:
        """Tell whether a word holds anything that can be drawn anew."""
        return any(letter in self.pools for letter in word)

    def like(self, word: str) -> str:
        """Draw letters anew until the word is unheard of; one letter more if it never is."""
        for _ in range(ATTEMPTS):
            name = "".join(map(self._other, word))
            if name not in self.taken:
                self.taken.add(name)
                return name
        place = next(i for i, letter in enumerate(word) if letter in self.pools)
        return self.like(word[:place] + word[place] + word[place:])

    def _other(self, letter: str) -> str:
        pool = self.pools.get(letter)
        drawn = self.random.random()
        return letter if pool is None or drawn < 0.5 else pool[int((2 * drawn - 1) * len(pool))]


def copies_of(text: Text, copies: int, seed: int, names: list[str]) -> Iterator[Numbers]:
    """Return the word numbers of each copy; the words that they introduce are added to `names`."""
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
        drawn = history[parents, places]
        chance = text.discount / counts[drawn] * can[drawn]
        renamed = np.flatnonzero(numpy_random.random(len(drawn)) < chance)
        added = [namer.like(names[word]) for word in drawn[renamed]]
        drawn[renamed] = np.arange(len(names), len(names) + len(added))
        names += added
        can = np.append(can, np.ones(len(added), dtype=bool))
        counts = np.append(counts, np.zeros(len(added), dtype=counts.dtype))
        counts += np.bincount(drawn, minlength=len(counts))
        history[copy] = drawn
        yield drawn


def write(text: Text, out: Path, copies: int, seed: int) -> dict[str, Any]:
    """Write the copies one after the other; give the shape of what was written."""
    names = list(text.names)
    shape = Shape()
    part = out.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="\n") as file:
        for numbers in copies_of(text, copies, seed, names):
            file.writelines(lines_of(text, numbers, names))
            shape.add(numbers)
        file.flush()
        # Else the disk would still be busy with it while the first peers are measured.
        os.fsync(file.fileno())
    part.replace(out)
    return {"bytes": out.stat().st_size, "discount": text.discount, **shape.described()}


def lines_of(text: Text, numbers: Numbers, names: list[str]) -> Iterator[str]:
    """Spell the lines of one copy."""
    words = [names[number] for number in numbers.tolist()]
    ends = np.cumsum(text.lengths).tolist()
    for begin, end in zip([0, *ends], ends, strict=False):
        yield f"{text.indent}{' '.join(words[begin:end])}\n"


if __name__ == "__main__":
    main()
