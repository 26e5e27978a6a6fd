"""What ends a run on the terminal: the answer, then the short table."""

import shutil
import sys
from collections.abc import Sequence

from tokbench.printing import aligned_table, one_line
from tokbench.run_folder import OutcomeRecord, Run
from tokbench_views.answer import Fact, answer
from tokbench_views.shared import (
    GATED,
    agreeing,
    headline_metrics,
    largest,
    listed_metrics,
    whole_text,
)
from tokbench_views.spelling import number, percent

WIDTH = 80
MOST_LINES = 12
FEWEST_COLUMNS = 3
BULLET = "- "
Cells = Sequence[str]
OOV = "oov-words-running"
TOKENS_UNSEEN = "tokens an unseen word"
HEADLINES = (
    "oov-words-running", "fertility", "kept-whole-running", "boundary-f1-micro", "boundary-kappa",
)  # fmt: skip


def ending(run: Run) -> str:
    """Write the answer, as much of it as twelve lines of 80 columns hold, and the short table."""
    width = min(shutil.get_terminal_size((WIDTH, 1)).columns, WIDTH)
    lines = [line for fact in fitting(answer(run)) for line in wrapped(fact, width)]
    return "".join(f"{line}\n" for line in lines) + f"\n{summary(run)}"


def fitting(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that fit, the first ones first; the last fact, the caveat, always."""
    *facts, caveat = facts
    left = MOST_LINES - len(wrapped(caveat, WIDTH))
    chosen = []
    for fact in facts:
        lines = len(wrapped(fact, WIDTH))
        if lines <= left:
            chosen.append(fact)
            left -= lines
    return [*chosen, caveat]


def wrapped(fact: Fact, width: int) -> list[str]:
    """Return the lines of a fact, safe to print; wide characters count as two cells."""
    from rich.cells import cell_len, chop_cells

    room = width - len(BULLET)
    lines = [""]
    for word in one_line(fact.text).split(" "):
        for part in chop_cells(word, room):
            longer = f"{lines[-1]} {part}".lstrip(" ")
            if cell_len(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(part)
    return [(" " * len(BULLET) if i else BULLET) + line for i, line in enumerate(lines)]


def _narrow(titles: Cells, rows: Sequence[Cells]) -> tuple[Cells, Sequence[Cells]]:
    """Leave out the last columns, as many as do not fit the terminal; files have no width."""
    from rich.cells import cell_len

    width = shutil.get_terminal_size((sys.maxsize, 1)).columns
    first = aligned_table(titles, rows).partition("\n")[0]
    if len(titles) <= FEWEST_COLUMNS or cell_len(first) <= width:
        return titles, rows
    return _narrow(titles[:-1], [row[:-1] for row in rows])


def summary(run: Run) -> str:
    """Show each system at its largest size: the metrics that the config lists, or headline metrics.

    Where none of these was measured, the first ones.
    """
    run = whole_text(run)
    measured = {row.metric for row in run.rows}
    names = [metric.name for metric in run.record.metrics if metric.name in measured]
    listed = listed_metrics(run)
    wanted = listed or headline_metrics(HEADLINES, names)
    # Reversed, so that the first corpus of a metric counts; and of what stands both in context and
    # alone the first, which is the system's own.
    corpora = {row.metric: row.corpus for row in reversed(run.rows)}
    found = {
        (row.system, row.size, row.metric, row.subset): row
        for row in reversed(run.rows)
        if row.corpus == corpora[row.metric]
    }
    # Pairs of one kind have no other subset.
    subsets = {key[2]: key[3] for key in found} | {
        key[2]: "all" for key in found if key[3] == "all"
    }
    columns = {name: (name, subsets[name]) for name in wanted}
    unseen = {key[:2]: row for key, row in found.items() if key[2:] == ("fertility", "unseen")}
    known = [found.get((*key, OOV, "all")) for key, row in unseen.items() if not row.gated]
    agree = unseen and len({number(row.value) for row in known if row}) <= 1
    if OOV in columns and agree and not listed:
        # All that can be compared agree, so that another number tells more.
        columns = {TOKENS_UNSEEN if n == OOV else n: c for n, c in columns.items()}
        columns[TOKENS_UNSEEN] = "fertility", "unseen"

    def shown(outcome: OutcomeRecord, column: tuple[str, str]) -> str:
        row = found.get((outcome.system, outcome.size, *column))
        return "" if row is None else number(row.value) + GATED * bool(row.gated)

    rows: Sequence[Cells] = [
        (one.system, str(one.vocabulary_size), *(shown(one, of) for of in columns.values()))
        for one in largest(run)
    ]
    every = ("system", "|V|", *columns)
    titles, rows = _narrow(every, rows)
    chosen = [(t, corpora[metric]) for t, (metric, _) in columns.items() if t in titles]
    where = "; ".join(f"{metrics}: {corpus}" for metrics, corpus in agreeing(chosen))
    text = aligned_table(titles, rows) + (f"({where})" if where else "")
    if len(titles) < len(every):
        text += f"\n(not shown, for lack of room: {', '.join(every[len(titles) :])})"
    if any(GATED in cell for row in rows for cell in row[2:]):
        gate = percent(run.record.gate)
        text += f"\n({GATED}: more than {gate} of the words are unknown or lossy: not comparable)"
    return text
