"""One table of systems: as it is asked for, and as it ends a run on the terminal."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tokbench.api import UsageError
from tokbench.printing import (
    NARROW,
    NARROW_MEANS,
    Table,
    code,
    escaped,
    latex,
    number,
    one_line,
    percent,
    printable,
)
from tokbench.run_folder import Row, Run, SystemSize, size_order
from tokbench_views.answer import Fact, answer
from tokbench_views.report import citations
from tokbench_views.shared import (
    ENDS_LOST,
    ENDS_LOST_MEANS,
    GATED,
    agreeing,
    at_common_size,
    checked_name,
    common_size,
    headline_metrics,
    largest,
    listed_metrics,
    main_metrics,
    rows_of,
    signs,
    whole_text,
)
from tokbench_views.views import OneTable

MOST_METRICS = 6
CAPTION = ("metric", "corpus", "subset", "size")
LATEX = r"""\begin{{table}}
\centering
{tabular}\caption{{{caption}}}
\end{{table}}
"""
WIDTH = 80
MOST_LINES = 8
"""Of the recommendation, and again of the facts, on a terminal of 80 columns."""
FEWEST_COLUMNS = 3
NO_BREAK = "\N{NO-BREAK SPACE}"
BULLET = "- "
OOV = "oov-words-running"
TOKENS_UNSEEN = "tokens an unseen word"
HEADLINES = (
    "oov-words-running", "fertility", "kept-whole-running", "boundary-f1-micro", "boundary-kappa",
)  # fmt: skip


@dataclass(frozen=True)
class Chosen:
    """A chosen table: titles of columns, and for each system its rows of results.csv, or None.

    `about` says what is the same in all cells, `shared` what all their signatures share.
    """

    run: Run

    about: str
    shared: str
    columns: Sequence[str]
    systems: Sequence[tuple[str, Sequence[Row | None]]]

    def written(self, form: str, by_metric: bool = False) -> str:
        """Write it as md, table, csv, latex or json; `by_metric` makes its columns the rows."""
        if form in ("csv", "json"):
            return self._numbers().to(form)
        lines = [
            ["system", *self.columns],
            *(
                [name, *(_value(self.run, row, form) for row in rows)]
                for name, rows in self.systems
            ),
        ]
        if by_metric:
            lines = [*map(list, zip(*lines, strict=True))]
            lines[0][0] = "metric"
        text = Table(lines[0], lines[1:], right=1).to(form)
        short = any(row is not None and row.short_text for _, rows in self.systems for row in rows)
        narrow = f" {NARROW}: {NARROW_MEANS}." if short else ""
        if form == "latex":
            caption = latex(f"{self.about}. 95 % intervals.{narrow} {self.shared}")
            return LATEX.format(tabular=text, caption=caption)
        about = f"{self.about}. Brackets: 95 % intervals.{narrow}"
        if form == "table":
            return f"{text}({printable(about)})\n"
        return f"{text}\n{escaped(about)} {code(self.shared)}\n"

    def _numbers(self) -> Table:
        """Return a table with a row for each number, with every digit."""
        columns = (
            "system", "column", "value", "low", "high", "gated", "vocabulary-size", "metric",
            "corpus", "subset", "size", "short-text",
        )  # fmt: skip
        numbers = [
            (
                *(row.system, title, row.value, row.low, row.high, bool(row.gated)),
                *(row.vocabulary_size, row.metric, row.corpus, row.subset, row.size),
                bool(row.short_text),
            )
            for _, rows in self.systems
            for title, row in zip(self.columns, rows, strict=True)
            if row is not None
        ]
        return Table(columns, numbers)


def _value(run: Run, row: Row | None, form: str) -> str:
    """Show a value with its interval: in LaTeX half its width, elsewhere its ends."""
    if row is None or row.value is None:
        return ""
    text = number(row.value) + signs(run, row)
    if row.low is None or row.high is None:
        return text
    sign = NARROW * bool(row.short_text)
    if form == "latex":
        return f"{text} ± {number((row.high - row.low) / 2)}{sign}"
    return f"{text} ({number(row.low)}–{number(row.high)}{sign})"


def chosen(run: Run, choice: OneTable) -> Chosen:
    """Find the rows of a table; raises UsageError for a name that the run does not have."""
    scored = [row for row in run.rows if row.metric and row.training_share == 1]
    metrics = _metrics(run, choice)
    place = {"metric": metrics[0], **_place(run, choice, scored)}
    at = {name: outcome.size for name, outcome in at_common_size(run, place["size"]).items()}
    if choice.system:
        at = {name: at[checked_name("system", name, [*at])] for name in choice.system}
    cells: dict[tuple[str, str], Row] = {}
    for row in (row for row in scored if row.system in at):
        here = {"metric": row.metric, "size": row.size, "corpus": row.corpus, "subset": row.subset}
        wanted = place | {"size": at[row.system], choice.columns: here[choice.columns]}
        if here == wanted:
            # Of what stands both in context and alone the first row counts, the system's own.
            cells.setdefault((row.system, here[choice.columns]), row)
    measured = {title for _, title in cells}
    titles = {
        "metric": metrics,
        "size": sorted({row.size for row in scored}, key=size_order),
        "corpus": [test.name for test in run.record.tests],
        "subset": [*dict.fromkeys(row.subset for row in scored if row.corpus == place["corpus"])],
    }[choice.columns]
    missing = ", ".join(title for title in titles if title not in measured)
    if missing and choice.columns == "metric" and choice.metric:
        raise UsageError(
            f"--metric: {missing} has no numbers on {place['corpus']}, {place['subset']} words: "
            "ask for a table of its own, or name another --corpus"
        )
    titles = [title for title in titles if title in measured]
    # A system without the size of the caption says its own.
    unsaid = at.values() if choice.columns == "size" else ("", place["size"])
    systems = [
        (str(SystemSize(n, "" if size in unsaid else size)), [cells.get((n, t)) for t in titles])
        for n, size in at.items()
    ]
    size = f"|V| {place['size']}" if place["size"] else ""
    caption = {**place, "subset": f"{place['subset']} words", "size": size, choice.columns: ""}
    about = ", ".join(caption[name] for name in CAPTION if caption[name])
    shared = citations(run, place["corpus"])[1]
    return Chosen(run, about, shared, [title or "one size" for title in titles], systems)


def _place(run: Run, choice: OneTable, scored: Sequence[Row]) -> dict[str, str]:
    """Return the corpus, subset and size of a table: those asked for, else the main ones."""
    corpora = [test.name for test in run.record.tests]
    # The first corpus that has numbers of the first metric asked for, or just the first.
    measured = {row.corpus for row in scored if row.metric in choice.metric[:1]}
    main = next((name for name in corpora if name in measured), corpora[0])
    # A run without results has no subsets: its table is empty.
    subsets = list(dict.fromkeys(row.subset for row in scored)) or [choice.subset]
    sizes = sorted({row.size for row in scored}, key=size_order)
    return {
        "corpus": checked_name("corpus", choice.corpus or main, corpora),
        "subset": checked_name("subset", choice.subset, subsets),
        "size": checked_name("size", choice.size, sizes) if choice.size else common_size(run),
    }


def _metrics(run: Run, choice: OneTable) -> list[str]:
    """Return the metrics that are asked for, else the main ones; one where others are columns."""
    names = [metric.name for metric in run.record.metrics]
    # A run without results measured no metric: those of its config name the columns.
    main = main_metrics(run, MOST_METRICS) or names[:MOST_METRICS]
    wanted = [checked_name("metric", name, names) for name in choice.metric]
    if choice.columns == "metric":
        return wanted or main
    if len(wanted) > 1:
        raise UsageError(f"--metric: found {len(wanted)}, expected one: columns are the metrics")
    return wanted or main[:1]


def ending(run: Run) -> str:
    """Write the recommendation and the facts, a few lines of each, and the short table."""
    width = min(shutil.get_terminal_size((WIDTH, 1)).columns, WIDTH)
    facts = answer(run)
    parts = [fitting([f for f in facts if f.part == part]) for part in ("recommendation", "facts")]
    written = ["".join(f"{line}\n" for fact in p for line in wrapped(fact, width)) for p in parts]
    text = "\n".join(filter(None, written))
    narrow = f"\n({NARROW}: the interval {NARROW_MEANS})" if NARROW in text else ""
    if more := len(facts) - sum(map(len, parts)):
        text += f"({more} more {'fact' if more == 1 else 'facts'}: tokbench show RUN answer)\n"
    return f"{text}\n{summary(run)}{narrow}"


def fitting(facts: Sequence[Fact]) -> list[Fact]:
    """Leave out facts, the least important first, until the others fit the lines of their part."""
    fit = [*facts]
    while sum(len(wrapped(fact, WIDTH)) for fact in fit) > MOST_LINES:
        last = max(fit, key=lambda fact: fact.rank)
        if not last.rank:
            break
        fit.remove(last)
    return fit


def wrapped(fact: Fact, width: int) -> list[str]:
    """Return the lines of a fact, safe to print; wide characters count as two cells."""
    from rich.cells import cell_len, chop_cells

    room = width - len(BULLET)
    lines = [""]
    # A number stays with its percent sign, and an option with its value.
    text = one_line(fact.text).replace(" %", f"{NO_BREAK}%").replace("--size ", f"--size{NO_BREAK}")
    for word in text.split(" "):
        for part in chop_cells(word, room):
            longer = f"{lines[-1]} {part}".lstrip(" ")
            if cell_len(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(part)
    shown = [line.replace(NO_BREAK, " ") for line in lines]
    return [(" " * len(BULLET) if i else BULLET) + line for i, line in enumerate(shown)]


def summary(run: Run) -> str:
    """Show each system at its largest size: the metrics that the config lists, or headline metrics.

    Where none of these was measured, the first ones.
    """
    run = whole_text(run)
    measured = {row.metric for row in run.rows}
    names = [metric.name for metric in run.record.metrics if metric.name in measured]
    listed = listed_metrics(run)
    corpora: dict[str, str] = {}
    for row in run.rows:
        corpora.setdefault(row.metric, row.corpus)  # the first one of each metric
    rows = [row for row in run.rows if row.corpus == corpora[row.metric]]
    # Pairs of one kind have no other subset.
    subsets = {row.metric: row.subset for row in reversed(rows)}
    subsets |= {row.metric: "all" for row in rows if row.subset == "all"}
    outcomes = largest(run)
    by_place = rows_of(outcomes, rows, lambda row: (row.metric, row.subset))
    columns = {name: (name, subsets[name]) for name in listed or headline_metrics(HEADLINES, names)}
    if OOV in columns and not listed and _agree_on_oov(rows):
        # Another number tells more.
        columns = {TOKENS_UNSEEN if name == OOV else name: of for name, of in columns.items()}
        columns[TOKENS_UNSEEN] = "fertility", "unseen"

    def shown(label: str, column: tuple[str, str]) -> str:
        row = by_place.get((label, column))
        return "" if row is None or row.value is None else number(row.value) + signs(run, row)

    every = Table(
        ("system", "|V|", *columns),
        [
            (o.system, o.vocabulary_size, *(shown(o.label, of) for of in columns.values()))
            for o in outcomes
        ],
    )
    table = _narrow(every)
    places = [(t, corpora[metric]) for t, (metric, _) in columns.items() if t in table.columns]
    where = "; ".join(f"{metrics}: {corpus}" for metrics, corpus in agreeing(places))
    text = table.to("table") + (f"({where})" if where else "")
    if dropped := every.columns[len(table.columns) :]:
        text += f"\n(not shown, for lack of room: {', '.join(dropped)})"
    values = "".join(str(value) for row in table.rows for value in row[2:])
    if GATED in values:
        gate = percent(run.record.gate)
        text += f"\n({GATED}: more than {gate} of the words are unknown or lossy: not comparable)"
    if ENDS_LOST in values:
        text += f"\n({ENDS_LOST}: {ENDS_LOST_MEANS})"
    return text


def _agree_on_oov(rows: Sequence[Row]) -> bool:
    """Tell whether unseen words were measured, and all systems to compare know as many words."""
    unseen = {
        (row.system, row.size): row
        for row in reversed(rows)
        if (row.metric, row.subset) == ("fertility", "unseen")
    }
    oov = {
        (row.system, row.size): number(row.value)
        for row in reversed(rows)
        if (row.metric, row.subset) == (OOV, "all")
    }
    comparable = {oov[place] for place, row in unseen.items() if not row.gated and place in oov}
    return bool(unseen) and len(comparable) <= 1


def _narrow(table: Table) -> Table:
    """Leave out the last columns, as many as do not fit the terminal; files have no width."""
    from rich.cells import cell_len

    width = shutil.get_terminal_size((sys.maxsize, 1)).columns
    columns = len(table.columns)
    while columns > FEWEST_COLUMNS and cell_len(table.to("table").partition("\n")[0]) > width:
        columns -= 1
        table = Table(table.columns[:columns], [row[:columns] for row in table.rows])
    return table
