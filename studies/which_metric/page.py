"""Write the page `docs/explanation/which-metric.md`, and its picture, from the tables.

The template `page.md.j2` contains no results; this module reads each number from the tables.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from math import sqrt
from pathlib import Path
from statistics import fmean, variance
from textwrap import fill

import numpy as np
from agreement import ordered, places_of, weights
from jinja2 import Environment, StrictUndefined
from tables import BITS, PRIMARY, WITTEN_BELL, Point, Row, Tables, read

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs" / "explanation"
PAGE, PICTURE = DOCS / "which-metric.md", DOCS / "which-metric.png"


class Results(Tables):
    """The tables of the study, and the numbers that the page takes from them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.agreement = by_point(read(folder / "agreement.csv"))
        self.recounts = by_point(read(folder / "recounts.csv"))

    @property
    def counted(self) -> list[Point]:
        """The points of all texts but the exploratory one."""
        return [point for point in self.points if point[0] != "flores"]

    def of(self, point: Point, metric: str) -> Row:
        """Return how a metric agrees with the bits of the model at a point."""
        return self.agreement[*point, metric]

    def again(self, point: Point, metric: str) -> Row:
        """Return the other counts of a primary metric at a point."""
        return self.recounts[*point, metric]

    def ordered(self, point: Point, metric: str) -> str:
        """Write how many separable pairs a metric orders as the model does."""
        row = self.of(point, metric)
        return f"{plain(row['ordered'])} of {row['separable']}"

    def common(self, of: Point, metric: str, column: str = "common-ordered") -> str:
        """Write the pairs that a metric orders at each size, among the systems of all sizes."""
        rows = [self.again(point, metric) for point in self.points if point[:2] == of[:2]]
        return joined(f"{plain(row[column])} of {row['common-separable']}" for row in rows)

    def below_half(self, metric: str, column: str = "ordered") -> str:
        """List the points at which a metric orders less than half of the separable pairs."""
        rows = ((point, self.again(point, metric)) for point in self.points)
        return joined(
            spoken(point) for point, row in rows if float(row[column]) < float(row["separable"]) / 2
        )

    def taus(self, metric: str, column: str) -> list[float]:
        """Return a column of taus of a metric, without the exploratory text."""
        rows = self.agreement if column == "tau" else self.recounts
        return [float(rows[*point, metric][column]) for point in self.counted]

    def beside_baseline(self, point: Point, metric: str) -> int:
        """Return 1 if tau is significantly greater than that of the baseline, -1 if less, else 0.

        The exploratory text and the baseline itself have 0.
        """
        row = self.of(point, metric)
        if point not in self.counted or not row["p-holm"] or float(row["p-holm"]) >= 0.05:
            return 0
        return 1 if float(row["tau-minus-baseline"]) > 0 else -1

    def busiest(self, point: Point) -> tuple[str, int]:
        """Return the system in the most separable pairs, and the number of these."""
        return Counter(chain(*self.separable(point))).most_common(1)[0]

    def weight_of(self, point: Point, family: str) -> float:
        """Return the share of the pairs with a family in the weight of all pairs."""
        families = [self.families[name] for name in self.systems(point)]
        left, right = np.array([*combinations(range(len(families)), 2)]).T
        weight = weights(families, left, right)
        has = np.array(families) == family
        return float(weight[has[left] | has[right]].sum() / weight.sum())

    def single_characters(self, point: Point, family: str, of: bool) -> list[float]:
        """Return the shares of words cut into characters, of a family (`of`) or of all others."""
        return sorted(
            self.value(point, name, "single-characters")
            for name in self.systems(point)
            if (self.families[name] == family) == of
        )


class Transformers:
    """The transformers of ten systems beside the count model."""

    POINT = ("shakespeare", "held-out", "4000")

    def __init__(self, results: Results, runs: Sequence[Row]) -> None:
        self.results = results
        self.runs = [row for row in runs if row["scored"] == "held-out"]
        bits: dict[str, list[float]] = defaultdict(list)
        for row in self.runs:
            bits[row["system"]].append(float(row[BITS]))
        self.mean = {system: fmean(seeds) for system, seeds in bits.items()}
        self.sd = sqrt(fmean(variance(seeds) for seeds in bits.values()))
        self.systems = sorted(self.mean, key=self.mean.__getitem__)

    def model(self, system: str, metric: str = BITS) -> float:
        """Return a metric of a system; by default, the bits of the count model."""
        return self.results.value(self.POINT, system, metric)

    def pairs(self) -> list[tuple[str, str]]:
        """Return the pairs whose means differ by at least twice the sd of the seeds."""
        chosen = [name for name in self.mean if self.results.families[name] != "control"]
        return [
            (a, b)
            for a, b in combinations(chosen, 2)
            if abs(self.mean[a] - self.mean[b]) >= 2 * self.sd
        ]

    def separable(self) -> list[tuple[str, str]]:
        """Return those of the pairs that the count model separates too."""
        separable = {frozenset(pair) for pair in self.results.separable(self.POINT)}
        return [pair for pair in self.pairs() if frozenset(pair) in separable]

    def alike(self, metric: str = BITS, pairs: Sequence[tuple[str, str]] | None = None) -> str:
        """Write how many pairs a metric orders as the transformer does; ties count half."""
        pairs = self.pairs() if pairs is None else pairs
        values = np.array([self.model(name, metric) for name in self.systems])
        bits = np.array([self.mean[name] for name in self.systems])
        sign = -PRIMARY.get(metric, -1)
        orders = ordered(sign * values, bits, places_of(pairs, self.systems))
        return f"{orders.sum():g} of {len(pairs)}"

    def with_system(self, system: str) -> int:
        """Count the pairs that have a system."""
        return sum(system in pair for pair in self.pairs())

    def most(self, column: str) -> int:
        """Return the greatest number of a column."""
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
        "signed": lambda tau: f"{float(tau):+.2f}".replace("-", "−"),
        "plain": lambda number, digits=3: f"{float(number):.{digits}f}",
        "percent": lambda number, digits=0: f"{float(number):.{digits}%}".replace("%", " %"),
        "number": lambda number: f"{int(number):,}",
        "whole": plain,
    }
    template = environment.from_string((HERE / "page.md.j2").read_text("utf-8"))
    results = Results(folder)
    blocks = template.render(
        results=results,
        check=Transformers(results, read(folder / "transformer.csv")),
        PRIMARY=[*PRIMARY],
        WITTEN_BELL=WITTEN_BELL,
        named=named,
    ).split("\n\n")
    return "\n\n".join(map(wrapped, blocks)).lstrip("\n")


def wrapped(block: str) -> str:
    """Wrap the lines of a paragraph or list; tables, titles and code stay as they are."""
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
    """Name a point in a table."""
    return f"{place_of(point)}, {int(point[2]):,}"


def spoken(point: Point) -> str:
    """Name a point in a sentence."""
    return f"{place_of(point)} at {int(point[2]):,}"


def place_of(point: Point) -> str:
    """Name the text of a point."""
    return {
        ("shakespeare", "held-out"): "Shakespeare",
        ("shakespeare", "oliver-twist"): "Oliver Twist",
        ("reviews", "held-out"): "Korean reviews",
        ("flores", "held-out"): "German FLORES",
    }[point[:2]]


def plain(number: float | str) -> str:
    """Write a count of pairs, which may end with a half."""
    return f"{float(number):g}"


def write_page(folder: Path) -> None:
    """Write the page and its picture."""
    PAGE.write_text(render(folder), "utf-8")
    draw(Results(folder), PICTURE)


COLOURS = {"Shakespeare": "#3b6ea5", "Oliver Twist": "#d1812c", "Korean reviews": "#4b8b57",
           "German FLORES": "#999999"}  # fmt: skip


def draw(results: Results, path: Path) -> None:
    """Draw tau of the primary metrics at each point, with its interval, and by Witten-Bell."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(PRIMARY), sharey=True, sharex=True, figsize=(11, 3.6), layout="constrained"
    )
    names = [named(point) for point in results.points]
    for axis, metric in zip(axes, PRIMARY, strict=True):
        axis.axvline(0, color="#bbbbbb", linewidth=1)
        for at, point in enumerate(results.points):
            row = results.of(point, metric)
            colour = COLOURS[place_of(point)]
            low, high, tau = (float(row[name]) for name in ("low", "high", "tau"))
            families = [float(row[f"{end}-without-a-family"]) for end in ("least", "greatest")]
            axis.plot(families, [at, at], color=colour, linewidth=1, alpha=0.5)
            axis.plot([low, high], [at, at], color=colour, linewidth=4, alpha=0.5)
            axis.plot([tau], [at], "o", color=colour, markersize=5)
            witten_bell = float(results.again(point, metric)["tau-witten-bell"])
            axis.plot([witten_bell], [at], "D", markeredgecolor=colour, markerfacecolor="none",
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
    """List several texts with commas and "and"."""
    *others, last = texts
    return f"{', '.join(others)} and {last}" if others else last
