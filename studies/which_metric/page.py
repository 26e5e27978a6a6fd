"""The page `docs/which-metric.md`: a template filled from the tables, and its picture.

No number of a result stands in the template `page.md.j2`; each is read from the tables here.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import fmean, variance
from textwrap import fill

from jinja2 import Environment, StrictUndefined

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
PAGE, PICTURE = DOCS / "which-metric.md", DOCS / "which-metric.png"
PRIMARY = (
    "text-bytes-per-token", "renyi-efficiency-declared", "boundary-kappa", "kept-whole-running",
    "bits-per-byte(order=1)",
)  # fmt: skip
BITS = "bits-per-byte"
CONTROLS = ("random-cuts", "dropped", "duplicated", "one-copy", "bpe-again")

Row = Mapping[str, str]
Point = tuple[str, str, str]
"""Text, scored text, size."""


class Found:
    """The tables of the study, and the numbers that the page takes from them."""

    def __init__(self, folder: Path) -> None:
        self.values = {
            (r["text"], r["test"], r["size"], r["system"], r["metric"]): r
            for r in read(folder / "values.csv")
        }
        self.agreement = {
            (r["text"], r["test"], r["size"], r["metric"]): r
            for r in read(folder / "agreement.csv")
        }
        self.pairs = read(folder / "pairs.csv")
        self.transformers = read(folder / "transformer.csv")

    @property
    def points(self) -> list[Point]:
        """The points in order, the exploratory text last."""
        return [*dict.fromkeys(key[:3] for key in self.agreement)]

    def value(self, point: Sequence[str], system: str, metric: str) -> float:
        """Return a value at a point; that of gold words where it is a metric of these."""
        text, test, size = point
        gold = metric.startswith("boundary")
        return float(self.values[text, "gold" if gold else test, size, system, metric]["value"])

    def of(self, point: Sequence[str], metric: str) -> Row:
        """Return how a metric agrees with the bits of the model at a point."""
        return self.agreement[*point, metric]

    def ordered(self, point: Sequence[str], metric: str) -> str:
        """Spell how many separable pairs a metric orders as the model does."""
        row = self.of(point, metric)
        return f"{row['ordered']} of {row['separable']}"

    def least(self, metric: str) -> float:
        """Return the least share of separable pairs that a metric orders at a point."""
        return min(self.share(point, metric) for point in self.points)

    def greatest(self, metric: str) -> float:
        """Return the greatest share of separable pairs that a metric orders at a point."""
        return max(self.share(point, metric) for point in self.points)

    def at_least_half(self, metric: str) -> list[Point]:
        """Return the points at which a metric orders half of the separable pairs or more."""
        return [point for point in self.points if self.share(point, metric) >= 0.5]

    def over(self, metric: str) -> str:
        """Spell how many pairs a metric orders on Shakespeare's held-out text, size by size."""
        points = [point for point in self.points if point[:2] == ("shakespeare", "held-out")]
        return joined(self.ordered(point, metric) for point in points)

    def sizes_of(self) -> str:
        """Spell the sizes of Shakespeare's text."""
        sizes = [point[2] for point in self.points if point[:2] == ("shakespeare", "held-out")]
        return joined(f"{int(size):,}" for size in sizes)

    def share(self, point: Sequence[str], metric: str) -> float:
        """Return the share of separable pairs that a metric orders as the model does."""
        row = self.of(point, metric)
        return float(row["ordered"]) / float(row["separable"])

    def beating(self, metric: str) -> list[Point]:
        """Return the points at which a metric agrees significantly more than the baseline."""
        rows = {point: self.of(point, metric) for point in self.points}
        return [
            point
            for point, row in rows.items()
            if point[0] != "flores"
            and float(row["p-holm"]) < 0.05
            and float(row["tau-minus-baseline"]) > 0
        ]

    def tensor(self) -> "Transformers":
        """Return what the transformers found."""
        return Transformers(self)


class Transformers:
    """The transformers of ten systems beside the count model."""

    def __init__(self, found: Found) -> None:
        self.runs = [row for row in found.transformers if row["scored"] == "held-out"]
        self.choice = [row for row in found.transformers if row["scored"] == "held-back"]
        bits: dict[str, list[float]] = defaultdict(list)
        for row in self.runs:
            bits[row["system"]].append(float(row[BITS]))
        self.bits = dict(bits)
        self.mean = {system: fmean(several) for system, several in bits.items()}
        self.sd = sqrt(fmean(variance(several) for several in bits.values()))
        point = ("shakespeare", "held-out", "4000")
        self.model = {system: found.value(point, system, BITS) for system in bits}
        self.systems = sorted(self.mean, key=self.mean.__getitem__)

    def pairs(self, controls: bool) -> list[tuple[str, str]]:
        """Return the pairs that differ by more than twice the sd of the seeds."""
        chosen = [name for name in self.mean if controls or name not in CONTROLS]
        return [
            (one, other)
            for one, other in combinations(chosen, 2)
            if abs(self.mean[one] - self.mean[other]) >= 2 * self.sd
        ]

    def alike(self, controls: bool) -> int:
        """Count those of the pairs that the count model orders in the same way."""
        return sum(
            (self.mean[one] - self.mean[other]) * (self.model[one] - self.model[other]) > 0
            for one, other in self.pairs(controls)
        )

    @property
    def parameters(self) -> int:
        """The greatest number of parameters."""
        return max(int(row["parameters"]) for row in self.runs)

    @property
    def bytes(self) -> int:
        """The bytes that each learned from: 16 windows of 512 bytes a step."""
        return max(int(row["steps"]) for row in self.runs) * 16 * 512

    @property
    def operations(self) -> float:
        """The floating-point operations of all training."""
        return sum(float(row["operations"]) for row in (*self.choice, *self.runs))


def read(path: Path) -> list[Row]:
    """Read the rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def render(folder: Path) -> str:
    """Fill the template from the tables of a folder."""
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {
        "signed": lambda number: f"{float(number):+.2f}".replace("-", "−"),
        "plain": lambda number, digits=3: f"{float(number):.{digits}f}",
        "percent": lambda number, digits=0: f"{float(number):.{digits}%}".replace("%", " %"),
        "number": lambda number: f"{int(number):,}",
        "whole": lambda number: f"{float(number):g}",
    }
    template = environment.from_string((HERE / "page.md.j2").read_text("utf-8"))
    blocks = template.render(found=Found(folder), PRIMARY=PRIMARY, named=named).split("\n\n")
    return "\n\n".join(map(wrapped, blocks)).lstrip("\n")


def wrapped(block: str) -> str:
    """Break the lines of a paragraph or list anew; tables, titles and code stay as they are."""
    if block.lstrip("\n")[:1] in ("|", "#", "!", "`", "\\"):
        return block
    items = re.split(r"\n(?=- )", block.strip("\n"))
    return "\n".join(
        fill(
            " ".join(item.split()),
            width=100,
            subsequent_indent="  " * item.startswith("- "),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    ) + "\n" * block.endswith("\n")


def named(point: Sequence[str]) -> str:
    """Spell a point."""
    text, test, size = point
    place = {
        ("shakespeare", "held-out"): "Shakespeare",
        ("shakespeare", "oliver-twist"): "Oliver Twist",
        ("reviews", "held-out"): "Korean reviews",
        ("flores", "held-out"): "German FLORES *",
    }[text, test]
    return f"{place}, {int(size):,}"


def write_page(folder: Path) -> None:
    """Write the page and its picture."""
    PAGE.write_text(render(folder), "utf-8")
    draw(Found(folder), PICTURE)


COLOURS = {"Shakespeare": "#3b6ea5", "Oliver Twist": "#d1812c", "Korean reviews": "#4b8b57",
           "German FLORES *": "#999999"}  # fmt: skip


def draw(found: Found, path: Path) -> None:
    """Draw tau of the primary metrics at each point, with its interval."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(PRIMARY), sharey=True, sharex=True, figsize=(11, 3.6), layout="constrained"
    )
    names = [named(point) for point in found.points]
    for axis, metric in zip(axes, PRIMARY, strict=True):
        axis.axvline(0, color="#bbbbbb", linewidth=1)
        for at, point in enumerate(found.points):
            row = found.of(point, metric)
            colour = COLOURS[names[at].partition(", ")[0]]
            low, high, tau = (float(row[name]) for name in ("low", "high", "tau"))
            families = [float(row[f"{one}-without-a-family"]) for one in ("least", "greatest")]
            axis.plot(families, [at, at], color=colour, linewidth=1, alpha=0.5)
            axis.plot([low, high], [at, at], color=colour, linewidth=4, alpha=0.5)
            axis.plot([tau], [at], "o", color=colour, markersize=5)
        axis.set_title(metric, fontsize=9)
        axis.set_xlim(-1, 1)
        axis.tick_params(labelsize=8)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[0].set_yticks(range(len(names)), names)
    axes[0].invert_yaxis()
    figure.supxlabel(
        "Kendall's tau-b with the bits of the count model (1: the same order, −1: the reverse)",
        fontsize=9,
    )
    figure.savefig(path, dpi=130, metadata={"Software": None})
    pyplot.close(figure)


def joined(texts: Iterable[str]) -> str:
    """Spell several texts in a row."""
    *first, last = texts
    return f"{', '.join(first)} and {last}"
