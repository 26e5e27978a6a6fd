"""The page `docs/explanation/which-metric.md`: a template filled from the tables, and its picture.

No number of a result stands in the template `page.md.j2`; each is read from the tables here.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import fmean, variance
from textwrap import fill

from jinja2 import Environment, StrictUndefined
from tables import BITS, PRIMARY, WITTEN_BELL, Point, Row, Tables, read

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs" / "explanation"
PAGE, PICTURE = DOCS / "which-metric.md", DOCS / "which-metric.png"


class Found(Tables):
    """The tables of the study, and the numbers that the page takes from them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.agreement = by_point(read(folder / "agreement.csv"))
        self.recounts = by_point(read(folder / "recounts.csv"))
        self.transformers = read(folder / "transformer.csv")

    @property
    def counted(self) -> list[Point]:
        """The points without those of the exploratory text."""
        return [point for point in self.points if point[0] != "flores"]

    def of(self, point: Point, metric: str) -> Row:
        """Return how a metric agrees with the bits of the model at a point."""
        return self.agreement[*point, metric]

    def again(self, point: Point, metric: str) -> Row:
        """Return the other counts of a primary metric at a point."""
        return self.recounts[*point, metric]

    def ordered(self, point: Point, metric: str) -> str:
        """Spell how many separable pairs a metric orders as the model does."""
        row = self.of(point, metric)
        return f"{plain(row['ordered'])} of {row['separable']}"

    def common(self, of: Point, metric: str, column: str = "common-ordered") -> str:
        """Spell the pairs that a metric orders at each size, among the systems of all sizes."""
        rows = [self.again(point, metric) for point in self.points if point[:2] == of[:2]]
        return joined(f"{plain(row[column])} of {row['common-separable']}" for row in rows)

    def below_half(self, metric: str, column: str = "ordered") -> str:
        """Spell the points at which a metric orders less than half of the separable pairs."""
        rows = ((point, self.again(point, metric)) for point in self.points)
        return joined(
            spoken(point) for point, row in rows if float(row[column]) < float(row["separable"]) / 2
        )

    def taus(self, metric: str, column: str) -> list[float]:
        """Return the taus of a metric, without the exploratory text: of a table that has them."""
        rows = self.agreement if column == "tau" else self.recounts
        return [float(rows[*point, metric][column]) for point in self.counted]

    def beside_baseline(self, point: Point, metric: str) -> int:
        """Return 1 if tau is significantly greater than that of the baseline, -1 if less, else 0.

        It is 0 too for the exploratory text and for the baseline itself.
        """
        row = self.of(point, metric)
        if point not in self.counted or not row["p-holm"] or float(row["p-holm"]) >= 0.05:
            return 0
        return 1 if float(row["tau-minus-baseline"]) > 0 else -1

    def busiest(self, point: Point) -> tuple[str, int]:
        """Return the system that most separable pairs have, and their number."""
        pairs = self.separable(point)
        many = {name: sum(name in pair for pair in pairs) for name in self.systems(point)}
        name = max(many, key=many.__getitem__)
        return name, many[name]

    def weight_of(self, point: Point, family: str) -> float:
        """Return the share of the weight of all pairs that those with a family have."""
        of = [self.families[name] for name in self.systems(point)]
        weights = [(1 / of.count(a) / of.count(b), {a, b}) for a, b in combinations(of, 2)]
        return sum(one for one, pair in weights if family in pair) / sum(one for one, _ in weights)

    def single_characters(self, point: Point, family: str, of: bool) -> list[float]:
        """Return the shares of words that fall to characters: those of a family, or of the rest."""
        return sorted(
            self.value(point, name, "single-characters")
            for name in self.systems(point)
            if (self.families[name] == family) == of
        )

    def tensor(self) -> "Transformers":
        """Return what the transformers found."""
        return Transformers(self)


class Transformers:
    """The transformers of ten systems beside the count model."""

    POINT = ("shakespeare", "held-out", "4000")

    def __init__(self, found: Found) -> None:
        self.found = found
        self.runs = [row for row in found.transformers if row["scored"] == "held-out"]
        bits: dict[str, list[float]] = defaultdict(list)
        for row in self.runs:
            bits[row["system"]].append(float(row[BITS]))
        self.mean = {system: fmean(several) for system, several in bits.items()}
        self.sd = sqrt(fmean(variance(several) for several in bits.values()))
        self.systems = sorted(self.mean, key=self.mean.__getitem__)

    def model(self, system: str, metric: str = BITS) -> float:
        """Return a metric of a system: without a name, the bits of the count model."""
        return self.found.value(self.POINT, system, metric)

    def pairs(self) -> list[tuple[str, str]]:
        """Return the pairs whose means differ by at least twice the sd of the seeds."""
        chosen = [name for name in self.mean if self.found.families[name] != "control"]
        return [
            (one, other)
            for one, other in combinations(chosen, 2)
            if abs(self.mean[one] - self.mean[other]) >= 2 * self.sd
        ]

    def separable(self) -> list[tuple[str, str]]:
        """Return those of the pairs that the count model separates too."""
        separable = {frozenset(pair) for pair in self.found.separable(self.POINT)}
        return [pair for pair in self.pairs() if frozenset(pair) in separable]

    def alike(self, metric: str = BITS, pairs: Sequence[tuple[str, str]] | None = None) -> str:
        """Spell how many of the pairs a metric orders as the transformer does; ties count half."""
        asked = self.pairs() if pairs is None else pairs
        sign = -PRIMARY.get(metric, -1)
        agree = 0.0
        for one, other in asked:
            difference = sign * (self.model(one, metric) - self.model(other, metric))
            difference *= self.mean[one] - self.mean[other]
            agree += 1 if difference > 0 else 0.5 if difference == 0 else 0
        return f"{agree:g} of {len(asked)}"

    def with_system(self, system: str) -> int:
        """Count the pairs that have a system."""
        return sum(system in pair for pair in self.pairs())

    @property
    def parameters(self) -> int:
        """The greatest number of parameters."""
        return max(int(row["parameters"]) for row in self.runs)

    def bytes(self, column: str) -> int:
        """Return the bytes that a run learned from, at most, or those of all its text."""
        return max(int(row[column]) for row in self.runs)


def by_point(rows: Sequence[Row]) -> dict[tuple[str, str, str, str], Row]:
    """Key rows by point and metric."""
    return {(row["text"], row["test"], row["size"], row["metric"]): row for row in rows}


def render(folder: Path) -> str:
    """Fill the template from the tables of a folder."""
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {
        "signed": signed,
        "plain": lambda number, digits=3: f"{float(number):.{digits}f}",
        "percent": lambda number, digits=0: f"{float(number):.{digits}%}".replace("%", " %"),
        "number": lambda number: f"{int(number):,}",
        "whole": plain,
        "joined": joined,
    }
    template = environment.from_string((HERE / "page.md.j2").read_text("utf-8"))
    names = {"PRIMARY": [*PRIMARY], "WITTEN_BELL": WITTEN_BELL, "named": named, "spoken": spoken}
    blocks = template.render(found=Found(folder), **names).split("\n\n")
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


def named(point: Point) -> str:
    """Spell a point."""
    return f"{place_of(point)}, {int(point[2]):,}"


def spoken(point: Point) -> str:
    """Spell a point in a sentence."""
    return f"{place_of(point)} at {int(point[2]):,}"


def place_of(point: Point) -> str:
    """Spell the text of a point."""
    return {
        ("shakespeare", "held-out"): "Shakespeare",
        ("shakespeare", "oliver-twist"): "Oliver Twist",
        ("reviews", "held-out"): "Korean reviews",
        ("flores", "held-out"): "German FLORES",
    }[point[:2]]


def signed(number: float | str) -> str:
    """Spell a tau."""
    return f"{float(number):+.2f}".replace("-", "−")


def plain(number: float | str) -> str:
    """Spell a count of pairs, which may end with a half."""
    return f"{float(number):g}"


def write_page(folder: Path) -> None:
    """Write the page and its picture."""
    PAGE.write_text(render(folder), "utf-8")
    draw(Found(folder), PICTURE)


COLOURS = {"Shakespeare": "#3b6ea5", "Oliver Twist": "#d1812c", "Korean reviews": "#4b8b57",
           "German FLORES": "#999999"}  # fmt: skip


def draw(found: Found, path: Path) -> None:
    """Draw tau of the primary metrics at each point, with its interval, and by Witten-Bell."""
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
            colour = COLOURS[place_of(point)]
            low, high, tau = (float(row[name]) for name in ("low", "high", "tau"))
            families = [float(row[f"{one}-without-a-family"]) for one in ("least", "greatest")]
            axis.plot(families, [at, at], color=colour, linewidth=1, alpha=0.5)
            axis.plot([low, high], [at, at], color=colour, linewidth=4, alpha=0.5)
            axis.plot([tau], [at], "o", color=colour, markersize=5)
            other = float(found.again(point, metric)["tau-witten-bell"])
            axis.plot([other], [at], "D", markeredgecolor=colour, markerfacecolor="none",
                      markersize=5)  # fmt: skip
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
    return f"{', '.join(first)} and {last}" if first else last
