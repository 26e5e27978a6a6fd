"""The tables of a run and its curves, and their CSV files: the fields of a row are the columns."""

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from tokbench.api.vocabulary import Size
from tokbench.api.words import Ints
from tokbench.errors import LEFT_OUT, UsageError, cropped
from tokbench.printing import cell
from tokbench.significance import ALPHA

Floats = NDArray[np.float64]

LONGEST_CELL = 2**31 - 1  # a signature holds any option; the csv module stops at 131,072

OK = "ok"
UNDEFINED = "undefined"

LATER_COLUMNS = ("short-text", "own-low", "own-high", "rare")
"""Runs of earlier versions do not have these columns."""

SeriesKey = tuple[str, str, str]
"""System, corpus and metric."""


@dataclass(frozen=True)
class Row:
    """One line of results.csv: a number with all that it takes to understand it.

    `status` is `ok`, `undefined` where the formula divides by zero, or the reason why there is no
    number. A system that has no result at some size has one row there, with that reason, and
    without corpus and metric. Only a row that is `ok` has a value. `gated` is `yes` for a length
    or compression of a text of which more words than the config's `gate` are unknown or lossy;
    nothing is tested there. `training_sd` is the standard deviation over the `training_samples`,
    and `training_agree` the share of them on which the difference has the same sign. `n` is the
    sum of the metric's denominator, `events` the rarer of what a share counts and what it does not,
    which occur in `event_units` lines, words or blocks. `size` is as asked for: `1000`,
    `merges:1000`, or empty. `short_text` is `yes` where an interval may be too narrow, since the
    text is too short for blocks as long as its lines depend on each other.
    """

    system: str
    corpus: str = ""
    subset: str = ""
    context: str = ""
    size: str = ""
    vocabulary_size: int | None = None
    training_share: float = 1.0
    metric: str = ""
    status: str = OK
    gated: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: float | None = None
    events: float | None = None
    event_units: int | None = None
    baseline: str | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    repeats: int | None = None
    repeat_sd: float | None = None
    training_samples: int | None = None
    training_agree: float | None = None
    training_sd: float | None = None
    short_text: str = ""

    @property
    def is_left_out(self) -> bool:
        """Whether it says that the system has no vocabulary of that size."""
        return self.status.startswith(LEFT_OUT)

    @property
    def significant(self) -> bool:
        """Whether the difference from the baseline holds: after Holm, and in all samples."""
        agree = self.training_agree in (None, 1)
        return self.p_holm is not None and self.p_holm < ALPHA and agree


@dataclass(frozen=True)
class ComparisonRow:
    """One line of comparisons.csv: a pair of systems at the same size, on one metric.

    `difference` is system minus other. Intervals and p hold for all pairs of the same metric,
    corpus, subset, context and size together; of a length, only of systems that tell word ends, or
    only of those that do not. The verdict is `higher` or `lower` (the system's value than the
    other's) or `cannot tell`. `own_low` and `own_high` are the 95 % interval of this pair alone.
    For `short_text` see Row.

    A row without corpus is about all texts together, if there are several: the geometric mean of
    the values on each.
    """

    metric: str
    corpus: str
    subset: str
    context: str
    size: str
    system: str
    other: str
    difference: float
    low: float
    high: float
    p: float
    verdict: str
    short_text: str = ""
    own_low: float | None = None
    own_high: float | None = None


@dataclass(frozen=True)
class CoverageRow:
    """One line of coverage.csv: how well a system covers a corpus, whatever the metrics are.

    `oov`, `lossy` (not given back by decoding the ids) and `kept_whole` are shares of the running
    words. `gated` is `yes` where those that are oov or lossy are more than the config's `gate`.
    Tokens a line and attention cost are those of running text, None for lists.
    """

    system: str
    size: str
    context: str
    corpus: str
    oov: float
    lossy: float
    gated: str
    kept_whole: float
    tokens_a_line: float | None
    attention_cost: float | None


ALL_KINDS = "all"


@dataclass(frozen=True)
class UnseenRow:
    """One line of unseen.csv: the unseen words of a test corpus, `all` or of one kind.

    Shares are of all words of the corpus, running or distinct; `low` and `high` are the interval of
    `share_running`. `good_turing` is the share of unseen running words that the training text lets
    one expect in a text of the same kind: its words that occur once / its running words. For
    `short_text` see Row.
    """

    corpus: str
    kind: str
    words_running: int
    words_distinct: int
    share_running: float
    low: float | None
    high: float | None
    share_distinct: float
    good_turing: float | None
    short_text: str = ""


@dataclass(frozen=True)
class GrowthRow:
    """One line of growth.csv: the unseen words of a test corpus by share of the training text.

    `training_words` and `training_distinct` are the words of that share. Shares of unseen words are
    of all words of the corpus, running or distinct; for `good_turing` see UnseenRow.
    """

    corpus: str
    training_share: float
    training_words: int
    training_distinct: int
    share_running: float
    share_distinct: float
    good_turing: float | None


class AnalysisRow(NamedTuple):
    """One line of an analysis's file: cells by column, after system and size."""

    analysis: str
    system: str
    size: str
    cells: Mapping[str, str | int | float | None]


CURVE_COLUMNS: tuple[str, ...] = ("system", "corpus", "subset", "metric", "size", "value")


@dataclass(frozen=True, eq=False)
class CurveSteps:
    """A metric of one system on one subset of a corpus, at every size.

    `values[i]` holds from `sizes[i]` up to the next of `sizes`, NaN where it is undefined, and
    `texts[i]` spells it. The last size is that of the largest vocabulary inside the range that was
    asked for. `unit` is written before each size: nothing, or `merges:`.
    """

    system: str
    corpus: str
    subset: str
    metric: str
    unit: str
    sizes: Ints
    texts: Sequence[str]

    @cached_property
    def values(self) -> Floats:
        """The values as numbers."""
        return np.array([*map(float, self.texts)], dtype=np.float64)

    @property
    def key(self) -> SeriesKey:
        """System, corpus and metric."""
        return self.system, self.corpus, self.metric

    @property
    def names(self) -> tuple[str, str, str, str]:
        """Its first cells in each line of the file."""
        return self.system, self.corpus, self.subset, self.metric

    def at(self, size: int) -> float:
        """Return the value at a size, NaN below the first one; above the last one that of it."""
        place = int(np.searchsorted(self.sizes, size, side="right")) - 1
        return float(self.values[place]) if place >= 0 else np.nan

    def since(self, size: int) -> "CurveSteps":
        """Return the curve from a size on; at its first size at the earliest."""
        start = max(int(np.searchsorted(self.sizes, size, side="right")) - 1, 0)
        sizes = self.sizes[start:].copy()
        sizes[0] = max(size, int(sizes[0]))
        return replace(self, sizes=sizes, texts=self.texts[start:])

    def lines(self) -> Iterator[tuple[str, ...]]:
        """Yield its lines of the file: one where a value differs from that before, and the last."""
        for size, text in zip(self.sizes.tolist(), self.texts, strict=True):
            yield *self.names, f"{self.unit}{size}", "" if text == "nan" else text


class Point(NamedTuple):
    """A size and the value there."""

    size: str
    value: float


@dataclass(frozen=True)
class AdviceRow:
    """One line of advice.csv: what each rule says about one metric; None is undefined.

    `within` is the smallest size whose value differs from the best by at most `tolerance` of the
    best, `not_worse_size` the smallest that is not significantly worse. `curve_best` and
    `curve_within` are about every size, not only the listed ones. `knee_of` tells whether the
    knee was looked for on the `curve` or among the listed `sizes`.
    """

    system: str
    corpus: str
    metric: str
    better: str
    tolerance: float
    best_size: str
    best_value: float
    within_size: str
    within_value: float
    not_worse_size: str | None
    curve_best_size: str | None
    curve_best_value: float | None
    curve_within_size: str | None
    curve_within_value: float | None
    knee_of: str
    knee_size: str | None
    knee_value: float | None

    @property
    def key(self) -> SeriesKey:
        """System, corpus and metric."""
        return self.system, self.corpus, self.metric


@dataclass(frozen=True)
class SizeStatistics:
    """One line of sizes.csv: a listed size, by the tokens of the training text; None is undefined.

    `tokens` is their number. `entropy` is in nats per character of the mean token; `muv`, the
    marginal utility of vocabularization, is per token that the vocabulary has more than at the
    listed size before. `rare` is the share of the learned tokens that occur fewer than ten times;
    bytes, single characters and parts of other tokens apart.
    """

    system: str
    size: str
    vocabulary_size: int
    tokens: int
    class_imbalance: float | None
    frequency_95: int | None
    token_length: float | None
    entropy: float | None
    muv: float | None = None
    rare: float | None = None


@dataclass(frozen=True)
class SignatureRow:
    """One line of signatures.csv: the part of all signatures of a system and size, or of a corpus.

    A signature is the `beginning` of its system and size, the `beginning` of its corpus,
    `in-context` where words were cut so, the metric, and the `end` of its system and size.
    """

    system: str
    size: str
    corpus: str
    beginning: str
    end: str


R = TypeVar("R")
"""Any of the row types."""


def columns(kind: type[Any]) -> tuple[str, ...]:
    """Return the columns of a row type: its fields, spelled with hyphens."""
    return tuple(field.name.replace("_", "-") for field in fields(kind))


def column_kinds(kind: type[Any]) -> dict[str, str]:
    """Return the columns of a row type, each with what it holds: `text`, `integer` or `number`."""
    kinds = {str: "text", int: "integer", float: "number"}
    types = ((get_args(hint) or (hint,))[0] for hint in get_type_hints(kind).values())
    return {column: kinds[of] for column, of in zip(columns(kind), types, strict=True)}


def row_of(cells: Any) -> Row:
    """Return the place of a number in results.csv from its cells: a row without its values.

    `cells` is a mapping of columns, or a tuple of all cells. Raises UsageError if it has not the
    columns that say what a number is of.
    """
    names = [field.name for field in fields(Row)]
    if isinstance(cells, tuple):
        names = [*getattr(cells, "_fields", names)]  # those of a named tuple
        if len(cells) != len(names):
            what = f"found a tuple of {len(cells)}, expected the {len(names)} cells"
            raise UsageError(f"{what} of a row of results.csv: `frame().itertuples(index=False)`")
        cells = zip(names, cells, strict=True)
    try:
        by_name = {str(name).replace("-", "_"): value for name, value in dict(cells).items()}
        share = float(by_name.get("training_share", 1))
    except (TypeError, ValueError) as error:
        what = f"found {cropped(cells)}, expected a mapping or a tuple"
        raise UsageError(f"a row of results.csv: {what} ({error})") from None
    place = ("system", "corpus", "context", "size", "metric")
    if missing := [name for name in place if name not in by_name]:
        raise UsageError(f"a row of results.csv: missing: {', '.join(missing)}")
    texts: dict[str, Any] = {name: _text_of(by_name[name]) for name in place}
    return Row(**texts, training_share=share)


def _text_of(cell: object) -> str:
    """Spell a cell as results.csv does: where one of a column is empty, pandas reads floats."""
    if isinstance(cell, float):
        return "" if cell != cell else f"{cell:.15g}"
    return "" if cell is None else str(cell)


def cells(row: Any) -> list[str]:
    """Spell a row as a line of its file."""
    return [cell(value) for value in vars(row).values()]


def records(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return rows as mappings of columns, spelled as in their file, to values."""
    return [dict(zip(columns(type(row)), vars(row).values(), strict=True)) for row in rows]


@lru_cache(1024)  # of many systems it is asked a hundred thousand times
def size_number(size: str) -> int:
    """Return the number in a size: 1000 for `1000` and `merges:1000`, 0 where there is none."""
    return Size.parse(size).number if size else 0


def size_order(size: str) -> tuple[bool, str, int]:
    """Return the key that sorts sizes: tokens, then learned items, then where there is none.

    >>> sorted(["", "merges:5", "1000", "900"], key=size_order)
    ['900', '1000', 'merges:5', '']
    """
    return (False, Size.parse(size).prefix, size_number(size)) if size else (True, "", 0)


def spelled(numbers: Sequence[float]) -> list[str]:
    """Spell many numbers as `cell` does, all at once, which takes a third of its time."""
    return ("%.12g\n" * len(numbers) % (*numbers,)).split()


def rounded(row: R) -> R:
    """Return a row with the significant digits that its file holds."""
    kind: Any = type(row)
    made: R = kind(**round_fields(vars(row)))
    return made


LOWS = frozenset({"low", "difference_low", "own_low"})
HIGHS = frozenset({"high", "difference_high", "own_high"})


def round_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a row, numbers with 12 significant digits.

    What resamples tell has 6, since another seed changes the second or third: an interval is
    rounded outwards, so that it holds its value.

    >>> round_fields({"value": 2 / 3, "low": 2 / 3, "high": 2 / 3, "p": 1 / 1001})
    {'value': 0.666666666667, 'low': 0.666666, 'high': 0.666667, 'p': 0.000999001}
    """
    fields = round_cells(values)
    for name in LOWS.union(HIGHS).intersection(fields):
        if isinstance(fields[name], float):
            fields[name] = _outwards(fields[name], -1 if name in LOWS else 1)
    for name in {"p", "p_holm"}.intersection(fields):
        if isinstance(fields[name], float):
            fields[name] = float(f"{fields[name]:.6g}")
    return fields


def round_cells(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells of an analysis, numbers with 12 significant digits."""
    return {name: float(f"{v:.12g}") if isinstance(v, float) else v for name, v in values.items()}


def _outwards(value: float, sign: int) -> float:
    """Return an end of an interval with six digits, below it for sign -1, above it for 1."""
    short = float(f"{value:.6g}")
    if sign * short >= sign * value:
        return short
    last_digit = 10.0 ** (math.floor(math.log10(abs(value))) - 5)
    return float(f"{short + sign * last_digit:.6g}")


def write_lines(path: Path, columns: Iterable[str], lines: Iterable[Sequence[str]]) -> None:
    """Write a CSV file; lone surrogates are escaped."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(lines)


def read_analysis(name: str, columns: Mapping[str, str], data: bytes) -> list[AnalysisRow]:
    """Read the rows of an analysis from the bytes of its file."""
    rows = []
    for system, size, *line in _read_lines(data, ("system", "size", *columns)):
        cells = {
            column: text if kind == "text" else _number(text)
            for (column, kind), text in zip(columns.items(), line, strict=True)
        }
        rows.append(AnalysisRow(name, system, size, cells))
    return rows


def _number(text: str) -> int | float | None:
    """Read a cell as `cell` spells it: an integer has no point."""
    if not text:
        return None
    return int(text) if text.lstrip("-").isdigit() else float(text)


def read_table(data: bytes, kind: type[R]) -> tuple[R, ...]:
    """Read a table from the bytes of its file, its columns by name."""
    readers = [_reader(hint) for hint in get_type_hints(kind).values()]
    make: Any = kind
    lines = _read_lines(data, columns(kind))
    return tuple(
        make(*(read(text) for read, text in zip(readers, line, strict=True))) for line in lines
    )


def read_curves(data: bytes) -> tuple[CurveSteps, ...]:
    """Read the curves from the bytes of curves.csv."""
    steps: dict[tuple[str, str, str, str], tuple[str, list[int], list[str]]] = {}
    for system, corpus, subset, metric, size, value in _read_lines(data, CURVE_COLUMNS):
        asked = Size.parse(size)
        names = (system, corpus, subset, metric)
        _, sizes, texts = steps.setdefault(names, (asked.prefix, [], []))
        sizes.append(asked.number)
        texts.append(value or "nan")
    return tuple(
        CurveSteps(*names, unit, np.array(sizes, dtype=np.int64), texts)
        for names, (unit, sizes, texts) in steps.items()
    )


def _read_lines(data: bytes, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the cells of each line in the columns of these names; KeyError for one that lacks."""
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    numbers = {name: number for number, name in enumerate(next(reader, ()))}
    lines: Iterable[Sequence[str]] = filter(None, reader)  # an editor may add blank lines
    if missing := [name for name in LATER_COLUMNS if name in names and name not in numbers]:
        numbers |= {name: len(numbers) + i for i, name in enumerate(missing)}
        lines = ([*line, *("" for _ in missing)] for line in lines)
    return list(map(itemgetter(*(numbers[name] for name in names)), lines))


def _reader(hint: Any) -> Callable[[str], Any]:
    """Return how the cells of a field are read, by its type; empty ones of `X | None` as None."""
    kinds = get_args(hint)
    return hint if not kinds else lambda text: kinds[0](text) if text else None
