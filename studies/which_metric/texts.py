"""The texts of the study: drawn in blocks of lines, a part to learn from and a part to score.

Sources are the catalogue (`tokbench corpora get shakespeare`, `... get oliver-twist`) and, for
Korean and German, files that `sources` names. Blocks are drawn by hash, so that the parts depend on
the text and on nothing else.
"""

import csv
import gzip
import os
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from tokbench.commands import find_corpus, search_folders
from tokbench.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("TOKBENCH_STUDY_DATA", ROOT.parent / "shared" / "data"))
"""The folder of the files that are not in the catalogue."""

TRAINING, HELD_OUT, GOLD_WORDS = 1_500_000, 300_000, 5_000
"""UTF-8 bytes to learn from and to score, words with gold."""


class Text(NamedTuple):
    """A text to learn from, with those to score, the sizes, and gold words.

    `block` is the number of lines that stay together. An `exploratory` one is too small for more.
    """

    name: str
    sizes: tuple[int, ...]
    tests: tuple[str, ...]
    gold: str
    gold_format: str
    block: int = 200
    exploratory: bool = False


TEXTS = (
    Text("shakespeare", (1_000, 4_000, 16_000), ("held-out", "oliver-twist"), "english.tsv",
         "sigmorphon"),
    Text("reviews", (8_000, 16_000), ("held-out",), "korean.conllu", "conllu"),
    Text("flores", (1_000, 2_000), ("held-out",), "german.tsv", "morphynet", 20, True),
)  # fmt: skip


def write_texts(text: Text, folder: Path) -> None:
    """Write what a text of the study needs into a folder, once: training, tests, gold.

    Gold words are missing for as long as their file of `SHARED` is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "written").is_file():
        write_running(text, folder)
        (folder / "written").touch()
    if not (folder / "gold-written").is_file() and SHARED.joinpath(*GOLD[text.gold]).is_file():
        write_gold(text, folder / text.gold)
        (folder / "gold-written").touch()


def write_running(text: Text, folder: Path) -> None:
    """Write running text: training and tests."""
    blocks = drawn(blocks_of(SOURCES[text.name](), text.block), text.name)
    many = sum(map(bytes_of, blocks))
    held, rest = cut(blocks, min(HELD_OUT, many // 5))
    training, _ = cut(rest, TRAINING)
    write(folder / "train.txt", training)
    write(folder / "held-out.txt", held)
    if "oliver-twist" in text.tests:
        other = drawn(blocks_of(oliver_twist(), text.block), "oliver-twist")
        write(folder / "oliver-twist.txt", cut(other, HELD_OUT)[0])


def shakespeare() -> Iterator[str]:
    """Read Shakespeare's works."""
    return catalogued("shakespeare", "shakespeare")


def oliver_twist() -> Iterator[str]:
    """Read Oliver Twist."""
    return catalogued("oliver-twist", "english")


def reviews() -> Iterator[str]:
    """Read the film reviews."""
    path = shared("korean", "nsmc", "nsmc_sample50k.txt.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row["document"]


def flores() -> Iterator[str]:
    """Read German sentences."""
    return lines_of(shared("parallel", "deu_Latn.dev.gz"))


def shared(*names: str) -> Path:
    """Return a file of `SHARED`; raises InputError if it is not there."""
    path = SHARED.joinpath(*names)
    if not path.is_file():
        raise InputError(
            f"{path}: no such file; TOKBENCH_STUDY_DATA names the folder of these files"
        )
    return path


SOURCES: dict[str, Callable[[], Iterator[str]]] = {
    "shakespeare": shakespeare, "reviews": reviews, "flores": flores,
}  # fmt: skip


def catalogued(name: str, folder: str) -> Iterator[str]:
    """Read a text of the catalogue, from where `tokbench corpora` keeps it or from `SHARED`.

    Raises InputError if it is not there.
    """
    return lines_of(find_corpus(name, folders=(*search_folders(), SHARED / folder)))


def lines_of(path: Path) -> Iterator[str]:
    """Read the lines of a text that has any."""
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
    held = [*lines]
    return [held[first : first + many] for first in range(0, len(held), many)]


def drawn(blocks: Sequence[Block], name: str) -> list[Block]:
    """Put blocks in an order that hashes of their places draw."""
    keys = {at: blake2b(f"{name}/{at}".encode()).digest() for at in range(len(blocks))}
    return [blocks[at] for at in sorted(keys, key=keys.__getitem__)]


def bytes_of(block: Block) -> int:
    """Count the bytes of lines with their ends."""
    return sum(len(line.encode()) + 1 for line in block)


def cut(blocks: Sequence[Block], most: int) -> tuple[list[Block], list[Block]]:
    """Return the first blocks that have so many bytes, the last of them cut, and the rest."""
    taken: list[Block] = []
    room = most
    for at, block in enumerate(blocks):
        size = bytes_of(block)
        if size > room:
            lines: list[str] = []
            for line in block:
                room -= len(line.encode()) + 1
                if room < 0:
                    break
                lines.append(line)
            return [*taken, lines], [*blocks[at + 1 :]]
        taken.append(block)
        room -= size
    return taken, []


def write(path: Path, blocks: Sequence[Block]) -> None:
    """Write blocks as a text."""
    lines = (f"{line}\n" for block in blocks for line in block)
    path.write_text("".join(lines), "utf-8", newline="\n")


GOLD = {
    "english.tsv": ("morphology", "eng.word.dev.tsv.gz"),
    "german.tsv": ("morphology", "morphynet-deu.derivational.v1.tsv.gz"),
    "korean.conllu": ("korean", "ud-kaist", "ko_kaist-ud-dev.conllu.gz"),
}
"""The file of `SHARED` that each gold file is drawn from."""


def write_gold(text: Text, path: Path) -> None:
    """Write words with their morphemes, drawn by hash; of a treebank all of it."""
    source = shared(*GOLD[text.gold])
    if text.gold_format == "conllu":
        path.write_bytes(gzip.decompress(source.read_bytes()))
    else:
        write(path, drawn([[line] for line in lines_of(source)], path.name)[:GOLD_WORDS])


def require_gold(text: Text, folder: Path) -> None:
    """Raise InputError if a text has no gold words and no file to draw them from."""
    if not (folder / text.gold).is_file():
        shared(*GOLD[text.gold])
