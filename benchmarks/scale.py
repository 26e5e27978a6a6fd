"""Time and peak memory of `tokbench count` as a text grows; the tables of `docs/how-to/scale.md`.

    python benchmarks/scale.py TEXT FOLDER [--copies 1 10 100 1000] [--workers 2]

`enlarge.py` makes TEXT larger, so that its distinct words grow as Heaps' law says. The larger texts
stay in FOLDER, also as eight files. 1000 copies of Shakespeare, 5.3 GB, take 15 minutes and 5 GB of
memory. The peak memory is that of the largest process.
"""

import argparse
import gzip
import json
import math
import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from enlarge import Text, write
from machine import machine
from measure import Command, Measured, measure_or_exit
from setting import TOKBENCH

PARTS = 8
BLOCK = 1 << 20


class Row(NamedTuple):
    """The costs and the result of one command: `how` it counted, and which text."""

    copies: int
    megabytes: float
    how: str
    seconds: float
    peak_mb: float
    running: int
    distinct: int
    counts_mb: float


COLUMNS = ("copies", "MB", "how", "s", "MB/s", "peak MB", "words", "distinct", "counts MB")


def main() -> None:
    """Print the table, and how distinct words and memory grow."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path, help="a UTF-8 text")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print(json.dumps(machine()))
    print(f"| {' | '.join(COLUMNS)} |\n|{' ---: |' * len(COLUMNS)}")
    rows = []
    for copies in options.copies:
        for row in counted(enlarged(options.text, options.folder, copies), copies, options.workers):
            print(line_of(row), flush=True)
            rows.append(row)
    for how in dict.fromkeys(row.how for row in rows):
        for line in growth([row for row in rows if row.how == how]):
            print(line)


def enlarged(text: Path, folder: Path, copies: int) -> Path:
    """Return the path of the larger text; write it unless it is there."""
    out = folder / f"x{copies}.txt"
    if not out.exists():
        write(Text.read(text.read_bytes()), out, copies, seed=0)
    return out


def parts_of(text: Path) -> list[Path]:
    """Return the paths of a text as files of whole lines; write them unless they are there."""
    folder = text.with_suffix("")
    paths = [folder / f"{number}.txt" for number in range(PARTS)]
    if not paths[-1].exists():
        folder.mkdir(exist_ok=True)
        size = os.path.getsize(text) / PARTS
        with text.open("rb") as file:
            for number, path in enumerate(paths, start=1):
                with path.open("wb") as part:
                    while (left := int(number * size) - file.tell()) > 0:
                        part.write(file.read(min(BLOCK, left)))
                    part.write(file.readline())
                    if number == PARTS:
                        part.write(file.read())
    return paths


def counted(text: Path, copies: int, workers: int) -> Iterator[Row]:
    """Count a text in each way; all must result in the same words and counts."""
    parts = parts_of(text)
    megabytes = os.path.getsize(text) / 1e6
    expected = None
    dask = ("--dask", "local", "--workers", str(workers))
    files = [text.with_name(f"{text.stem}.{part.stem}.tsv.gz") for part in parts]
    ways: list[tuple[str, Sequence[Path], Sequence[str]]] = [
        ("one file", [text], ()),
        (f"{PARTS} files", parts, ()),
        (f"{PARTS} files, {workers} Dask workers", parts, dask),
        (f"{PARTS} counts added up", files, ("--merge",)),
    ]
    for part, file in zip(parts, files, strict=True):
        count([part], file, ())
    for how, inputs, options in ways:
        out = text.with_name(f"{text.stem}.tsv.gz")
        measured = count(inputs, out, options)
        with gzip.open(out, "rt", encoding="utf-8", newline="\n") as lines:
            table = lines.read()
        if expected not in (None, table):
            raise SystemExit(f"{text}: {how}: other counts than before")
        expected = table
        counts = [int(line.rpartition("\t")[2]) for line in table.split("\n")[1:-1]]
        yield Row(
            copies, megabytes, how, measured.seconds, measured.peak_mb,
            sum(counts), len(counts), os.path.getsize(out) / 1e6,
        )  # fmt: skip


def count(inputs: Sequence[Path], out: Path, options: Sequence[str]) -> Measured:
    """Run `tokbench count`, which must succeed."""
    out.unlink(missing_ok=True)
    return measure_or_exit(
        Command([TOKBENCH, "count", *map(str, inputs), "-o", str(out), *options])
    )


def line_of(row: Row) -> str:
    """Write a row of the table."""
    speed = row.megabytes / row.seconds
    cells = (
        row.copies, f"{row.megabytes:,.0f}", row.how, f"{row.seconds:,.1f}", f"{speed:,.0f}",
        f"{row.peak_mb:,.0f}", f"{row.running:,}", f"{row.distinct:,}", f"{row.counts_mb:,.1f}",
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def growth(rows: Sequence[Row]) -> Iterator[str]:
    """Yield how memory and distinct words grow from each text to the next."""
    for small, large in pairwise(rows):
        heaps = math.log(large.distinct / small.distinct) / math.log(large.running / small.running)
        memory = (large.peak_mb - small.peak_mb) * 1e6 / (large.distinct - small.distinct)
        span = f"x{small.copies} to x{large.copies}, {small.how}"
        yield f"{span}: {memory:,.0f} bytes a distinct word, Heaps' exponent {heaps:.2f}"


if __name__ == "__main__":
    main()
