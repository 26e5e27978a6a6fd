"""One table of systems by metric, size, corpus or subset, for papers, notes and programs."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tokbench.api import UsageError
from tokbench.printing import (
    aligned_table,
    code,
    escaped,
    harmless,
    json_text,
    markdown_table,
    printable,
)
from tokbench.run_folder import Row, Run, SystemSize, size_number
from tokbench_views.details import citations
from tokbench_views.metric_tables import common_size
from tokbench_views.shared import GATED, known_name, largest, main_metrics
from tokbench_views.spelling import number

Columns = Literal["metric", "size", "corpus", "subset"]
MOST_METRICS = 6
SPECIAL = {
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
    GATED: r"$^\dagger$",
}  # fmt: skip
LATEX = r"""\begin{{table}}
\centering
\begin{{tabular}}{{l{alignment}}}
\toprule
{head} \\
\midrule
{body}\bottomrule
\end{{tabular}}
\caption{{{caption}}}
\end{{table}}
"""


@dataclass(frozen=True)
class Choice:
    """What a table shows: several metrics, or one of them by size, corpus or subset."""

    metric: Sequence[str]
    system: Sequence[str]
    columns: Columns
    corpus: str
    subset: str
    size: str


@dataclass(frozen=True)
class Chosen:
    """A chosen table: titles of columns, and for each system its rows of results.csv, or None.

    `shared` is what all signatures of its numbers share.
    """

    about: str
    shared: str
    columns: Sequence[str]
    systems: Sequence[tuple[str, Sequence[Row | None]]]


def chosen(run: Run, choice: Choice) -> Chosen:
    """Find the rows of a table; raises UsageError for a name that the run does not have."""
    scored = [row for row in run.rows if row.metric and row.training_share == 1]
    corpora = [test.name for test in run.record.tests]
    metrics = [one.name for one in run.record.metrics]
    # A run without results measured no metric: those of its config name the columns.
    main = main_metrics(run, MOST_METRICS) or metrics[:MOST_METRICS]
    few = main if choice.columns == "metric" else main[:1]
    wanted = [known_name("metric", name, metrics) for name in choice.metric] or few
    corpus = known_name("corpus", choice.corpus or _first_with(scored, choice, corpora), corpora)
    subsets = list(dict.fromkeys(row.subset for row in scored))
    # A run without results has no subsets: its table is empty.
    subset = known_name("subset", choice.subset, subsets or [choice.subset])
    sizes = sorted({row.size for row in scored}, key=lambda size: (size == "", size_number(size)))
    size = known_name("size", choice.size, sizes) if choice.size else common_size(run)
    if choice.columns != "metric" and len(wanted) != 1:
        raise UsageError(f"--metric: found {len(wanted)}, expected one: columns are the metrics")
    # Of what stands both in context and alone the first row counts, the system's own.
    found = {
        (row.system, row.size, row.corpus, row.subset, row.metric): row for row in reversed(scored)
    }
    at = {one.system: one.size for one in largest(run)}
    at |= {one.system: one.size for one in run.record.outcomes if one.size == size}
    if choice.system:
        at = {name: at[known_name("system", name, [*at])] for name in choice.system}
    titles = {
        "metric": wanted,
        "size": sizes,
        "corpus": corpora,
        "subset": [*dict.fromkeys(row.subset for row in scored if row.corpus == corpus)],
    }[choice.columns]

    def rows(system: str) -> Iterator[Row | None]:
        for title in titles:
            place = {"size": at[system], "corpus": corpus, "subset": subset, "metric": wanted[0]}
            place[choice.columns] = title
            here = place["size"], place["corpus"], place["subset"], place["metric"]
            yield found.get((system, *here))

    # A system without the size of the caption says its own.
    other = {} if choice.columns == "size" else {n: s for n, s in at.items() if s not in ("", size)}
    systems = [(str(SystemSize(n, other.get(n, ""))), [*rows(n)]) for n in at]
    kept = [i for i in range(len(titles)) if any(row[i] for _, row in systems)]
    if choice.columns == "metric" and choice.metric and len(kept) < len(titles):
        missing = ", ".join(name for i, name in enumerate(titles) if i not in kept)
        raise UsageError(
            f"--metric: {missing} has no numbers on {corpus}, {subset} words: ask for a table of"
            " its own, or name another --corpus"
        )
    fixed = {"metric": wanted[0], "corpus": corpus, "subset": f"{subset} words"}
    fixed |= {"size": f"|V| {size}"} if size else {}
    told = [text for name, text in fixed.items() if name != choice.columns]
    return Chosen(
        ", ".join(told),
        citations(run, corpus)[1],
        [titles[i] or "one size" for i in kept],
        [(name, [row[i] for i in kept]) for name, row in systems],
    )


def _first_with(rows: Sequence[Row], choice: Choice, corpora: Sequence[str]) -> str:
    """Return the first corpus that has numbers of the first metric asked for, or just the first."""
    held = {row.corpus for row in rows if row.metric in choice.metric[:1]}
    return next((name for name in corpora if name in held), corpora[0])


def written(table: Chosen, form: str, by_metric: bool = False) -> str:
    """Write a table as md, table, csv, latex or json; `by_metric` makes its columns the rows."""
    if form in ("csv", "json"):
        return _data(table, form)
    head = ["system", *table.columns]
    lines = [
        [name, *(_shown(row, plus_minus=form == "latex") for row in rows)]
        for name, rows in table.systems
    ]
    if by_metric:
        head, *lines = map(list, zip(["metric", *table.columns], *lines, strict=True))
    if form == "latex":
        body = "".join(" & ".join(map(_tex, line)) + " \\\\\n" for line in lines)
        caption = _tex(f"{table.about}. 95 % intervals. {table.shared}")
        alignment = "r" * (len(head) - 1)
        titles = " & ".join(map(_tex, head))
        return LATEX.format(alignment=alignment, head=titles, body=body, caption=caption)
    about = f"{table.about}. Brackets: 95 % intervals."
    if form == "table":
        return f"{aligned_table(head, lines)}({printable(about)})\n"
    cited = code(table.shared)
    return f"{markdown_table(head, lines, right=1)}\n{escaped(about)} {cited}\n"


def _data(table: Chosen, form: str) -> str:
    """Write one record for each number, with every digit."""
    records = [
        {
            "system": row.system,
            "column": title,
            "value": row.value,
            "low": row.low,
            "high": row.high,
        }
        | {"gated": bool(row.gated), "vocabulary-size": row.vocabulary_size, "metric": row.metric}
        | {"corpus": row.corpus, "subset": row.subset, "size": row.size}
        for _, rows in table.systems
        for title, row in zip(table.columns, rows, strict=True)
        if row is not None
    ]
    if form == "json":
        return json_text(records, indent=1) + "\n"
    out = io.StringIO()
    writer = csv.DictWriter(out, [*records[0]] if records else ["system"], lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow(
            {name: harmless(v) if isinstance(v, str) else v for name, v in record.items()}
        )
    return out.getvalue()


def _shown(row: Row | None, plus_minus: bool) -> str:
    if row is None or row.value is None:
        return ""
    text = number(row.value) + GATED * bool(row.gated)
    if row.low is None or row.high is None:
        return text
    if plus_minus:
        return f"{text} ± {number((row.high - row.low) / 2)}"
    return f"{text} ({number(row.low)}–{number(row.high)})"


def _tex(text: str) -> str:
    return "".join(SPECIAL.get(char, char) for char in printable(text)).replace("±", r"$\pm$")
