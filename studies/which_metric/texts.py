"""The texts of the study: blocks of lines, some to learn from and some to score.

The sources are the catalogue (`tokbench corpora get shakespeare`, `... get oliver-twist`) and, for
Korean and German, files of the folder `SHARED`. Blocks are drawn by hash, so that they depend on
the text and on nothing else.
"""

import csv
import gzip
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate, islice
from pathlib import Path
from typing import NamedTuple

from tokbench.commands import find_corpus, search_folders
from tokbench.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("TOKBENCH_STUDY_DATA", ROOT.parent / "shared" / "data"))
"""The folder of the files that are not in the catalogue."""

TRAINING, HELD_OUT, GOLD_WORDS = 1_500_000, 300_000, 5_000
"""UTF-8 bytes to learn from, UTF-8 bytes to score, and gold words."""


class Text(NamedTuple):
    """A text to learn from, with the texts to score, the sizes, and the file of gold words.

    `block` is the number of lines that stay together.
    """

    name: str
    sizes: tuple[int, ...]
    tests: tuple[str, ...]
    gold: str
    gold_format: str
    block: int = 200


TEXTS = (
    Text("shakespeare", (1_000, 4_000, 16_000), ("held-out", "oliver-twist"), "english.tsv",
         "sigmorphon"),
    Text("reviews", (8_000, 16_000), ("held-out",), "korean.conllu", "conllu"),
    Text("flores", (1_000, 2_000), ("held-out",), "german.tsv", "morphynet", 20),
)  # fmt: skip


def write_texts(text: Text, folder: Path) -> None:
    """Write the training text, the tests and the gold words into a folder, unless they are there.

    Gold words are left out if their file of `SHARED` is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "train.txt").is_file():
        write_running(text, folder)
    gold = folder / text.gold
    if not gold.is_file() and SHARED.joinpath(*GOLD[text.gold]).is_file():
        write_gold(text, gold)


def write_running(text: Text, folder: Path) -> None:
    """Write the tests and, last, the training text."""
    blocks = drawn(blocks_of(SOURCES[text.name](), text.block), text.name)
    held_out, rest = cut(blocks, min(HELD_OUT, sum(map(bytes_of, blocks)) // 5))
    write(folder / "held-out.txt", held_out)
    if "oliver-twist" in text.tests:
        other = drawn(blocks_of(oliver_twist(), text.block), "oliver-twist")
        write(folder / "oliver-twist.txt", cut(other, HELD_OUT)[0])
    write(folder / "train.txt", cut(rest, TRAINING)[0])


def catalogued(name: str, folder: str) -> Iterator[str]:
    """Read a text of the catalogue, from where `tokbench corpora` keeps it or from `SHARED`.

    Raises InputError if it is not there.
    """
    return lines_of(find_corpus(name, folders=(*search_folders(), SHARED / folder)))


def oliver_twist() -> Iterator[str]:
    """Read Oliver Twist."""
    return catalogued("oliver-twist", "english")


def reviews() -> Iterator[str]:
    """Read the film reviews."""
    path = shared("korean", "nsmc", "nsmc_sample50k.txt.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row["document"]


SOURCES: dict[str, Callable[[], Iterator[str]]] = {
    "shakespeare": lambda: catalogued("shakespeare", "shakespeare"),
    "reviews": reviews,
    "flores": lambda: lines_of(shared("parallel", "deu_Latn.dev.gz")),
}


def shared(*names: str) -> Path:
    """Return a file of `SHARED`; raises InputError if it is not there."""
    path = SHARED.joinpath(*names)
    if not path.is_file():
        raise InputError(
            f"{path}: no such file; TOKBENCH_STUDY_DATA names the folder of these files"
        )
    return path


def lines_of(path: Path) -> Iterator[str]:
    """Read the lines of a text that are not empty."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    opened = gzip.open if packed else open
    with opened(path, "rt", encoding="utf-8-sig", newline="\n") as file:
        for line in file:
            if line.strip():
                yield line.rstrip("\r\n")


Block = Sequence[str]


def blocks_of(lines: Iterator[str], many: int) -> list[Block]:
    """Cut lines into blocks of so many neighbours."""
    lines = iter(lines)
    return [*iter(lambda: [*islice(lines, many)], [])]


def drawn(blocks: Sequence[Block], name: str) -> list[Block]:
    """Order blocks by a hash of their positions."""
    return [
        blocks[at]
        for at in sorted(
            range(len(blocks)), key=lambda at: blake2b(f"{name}/{at}".encode()).digest()
        )
    ]


def bytes_of(block: Block) -> int:
    """Count the bytes of lines with their ends."""
    return sum(len(line.encode()) + 1 for line in block)


def cut(blocks: Sequence[Block], most: int) -> tuple[list[Block], list[Block]]:
    """Return blocks of at most so many bytes, the last perhaps cut, and the blocks after them."""
    ends = [*accumulate(map(bytes_of, blocks))]
    number = bisect_right(ends, most)
    if number == len(blocks):
        return [*blocks], []
    room = most - (ends[number - 1] if number else 0)
    line_ends = accumulate(bytes_of([line]) for line in blocks[number])
    lines = [line for line, end in zip(blocks[number], line_ends, strict=True) if end <= room]
    return [*blocks[:number], lines], [*blocks[number + 1 :]]


def write(path: Path, blocks: Sequence[Block]) -> None:
    """Write blocks as a text."""
    lines = (f"{line}\n" for block in blocks for line in block)
    path.write_text("".join(lines), "utf-8", newline="\n")


GOLD = {
    "english.tsv": ("morphology", "eng.word.dev.tsv.gz"),
    "german.tsv": ("morphology", "morphynet-deu.derivational.v1.tsv.gz"),
    "korean.conllu": ("korean", "ud-kaist", "ko_kaist-ud-dev.conllu.gz"),
}
"""The file of `SHARED` from which each gold file is drawn."""


def write_gold(text: Text, path: Path) -> None:
    """Write words with their morphemes, drawn by hash; of a treebank write all."""
    source = shared(*GOLD[text.gold])
    if text.gold_format == "conllu":
        path.write_bytes(gzip.decompress(source.read_bytes()))
    else:
        write(path, drawn([[line] for line in lines_of(source)], path.name)[:GOLD_WORDS])


def require_gold(text: Text, folder: Path) -> None:
    """Raise InputError if a text has no gold words and no file to draw them from."""
    if not (folder / text.gold).is_file():
        shared(*GOLD[text.gold])
