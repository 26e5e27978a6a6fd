"""One table of systems: as it is asked for, and as it ends a run on the terminal."""

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tokbench.api import Fact, UsageError
from tokbench.printing import (
    NARROW,
    NARROW_MEANS,
    Latex,
    Table,
    code,
    counted,
    escaped,
    integer,
    latex,
    number,
    one_line,
    percent,
    printable,
    wrapped,
)
from tokbench.recommend import recommend
from tokbench.run_folder import ALPHA, Row, Run, SystemSize, columns, records, size_order
from tokbench_views.answer import answer
from tokbench_views.answer.fact import some_names
from tokbench_views.metric_tables import show
from tokbench_views.report import citations
from tokbench_views.shared import (
    ENDS_LOST,
    ENDS_LOST_MEANS,
    GATED,
    GATED_MEANS,
    TOKENS_UNSEEN,
    TRAP,
    VOCABULARY_SIZE,
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
    size_but_for,
    trapped,
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
NO_BREAK = "\N{NO-BREAK SPACE}"
NOTHING = "Nothing was scored.\n"
BULLET = "- "
OOV = "oov-words-running"
HEADLINES = (
    "oov-words-running", "fertility", "kept-whole-running", "boundary-f1-micro", "boundary-kappa",
)  # fmt: skip


@dataclass(frozen=True)
class Chosen:
    """A chosen table: names of columns, and for each system its rows of results.csv, or None.

    `titles` are the names of the columns for people. `about` says what is the same in all cells,
    `shared` what all their signatures share.
    """

    run: Run

    about: str
    shared: str
    columns: Sequence[str]
    titles: Sequence[str]
    systems: Sequence[tuple[str, Sequence[Row | None]]]

    def written(self, form: str, by_metric: bool = False) -> str:
        """Write it for people, as md, table or latex; `by_metric` makes its columns the rows."""
        if not self.systems:
            return NOTHING
        best = self._best() if form == "latex" else ()
        lines = [
            ["system", *self.titles],
            *(
                [name, *(_value(self.run, row, form, row in best) for row in rows)]
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
            caption = f"{self.about}. {self._reading(bool(best))} Signature: {self.shared}"
            return LATEX.format(tabular=text, caption=latex(caption))
        about = f"{self.about}. Brackets: 95 % intervals.{narrow}"
        if form == "table":
            return f"{text}({printable(about)})\n"
        return f"{text}\n{escaped(about)} {code(self.shared)}\n"

    def _best(self) -> set[Row]:
        """Return the best rows of each column, of the size and context that most of its rows have.

        None of a column whose values look the same, and none that a sign keeps from comparisons.
        """
        best: set[Row] = set()
        for column in zip(*(rows for _, rows in self.systems), strict=True):
            values = {
                row: row.value
                for row in column
                if row is not None and row.value is not None and not signs(self.run, row)
            }
            kinds = Counter((row.size, row.context, row.metric) for row in values)
            for size, context, metric in [kind for kind, _ in kinds.most_common(1)]:
                alike = [row for row in values if (row.size, row.context) == (size, context)]
                pick = {"higher": max, "lower": min}.get(self.run.record.better[metric])
                if pick and len({number(row.value) for row in alike}) > 1:
                    best_value = number(pick(values[row] for row in alike))
                    best |= {row for row in alike if number(row.value) == best_value}
        return best

    def _reading(self, has_best: bool) -> str:
        """Explain the signs that the cells of a table in LaTeX have."""
        rows = [row for _, of_system in self.systems for row in of_system if row is not None]
        cells = "".join(show(self.run, replace(row, events=None)) for row in rows)
        record = self.run.record
        samples = max((row.training_samples or 0 for row in rows), default=0)
        meanings = {
            "–": "Brackets: 95 % intervals, for other text of this kind.",
            NARROW: f"{NARROW}: {NARROW_MEANS}.",
            "sd ": f"sd: standard deviation over {samples} samples of the training text.",
            "▲": f"▲: surely higher than {record.baseline}, p < {ALPHA} after Holm's correction.",
            "▼": f"▼: surely lower than {record.baseline}, p < {ALPHA} after Holm's correction.",
            GATED: f"{GATED}: {GATED_MEANS.format(gate=percent(record.gate))}.",
            ENDS_LOST: f"{ENDS_LOST}: {ENDS_LOST_MEANS}.",
        }
        bold = ["Bold: the best of the systems that have the same size and way of cutting."]
        return " ".join(
            [meaning for sign, meaning in meanings.items() if sign in cells] + bold * has_best
        )


def _value(run: Run, row: Row | None, form: str, best: bool = False) -> str:
    """Show a value with its interval; in LaTeX also with its other marks, and bold if `best`."""
    if row is None or row.value is None:
        return ""
    if form == "latex":
        value, bracket, beside = show(run, replace(row, events=None)).partition(" (")
        shown = rf"\textbf{{{latex(value)}}}" if best else latex(value)
        return Latex(shown + (rf" {{\footnotesize({latex(beside)}}}" if bracket else ""))
    return show(run, replace(row, events=None, difference=None, training_sd=None))


def written(run: Run, choice: OneTable, form: str) -> str:
    """Write the tables that are asked for, as md, table, csv, latex or json.

    Raises UsageError for a name that the run does not have.
    """
    tables = chosen(run, choice)
    if form in ("csv", "json"):
        cells = (row for table in tables for _, rows in table.systems for row in rows)
        return Table.of(records(filter(None, cells)), columns(Row)).to(form)
    return "\n".join(table.written(form, choice.rows == "metric") for table in tables)


def chosen(run: Run, choice: OneTable) -> list[Chosen]:
    """Find the rows of a table, or of one for each corpus where no corpus has all the metrics.

    Raises UsageError for a name that the run does not have.
    """
    scored = [row for row in run.rows if row.metric and row.training_share == 1]
    corpora = [test.name for test in run.record.tests]
    if choice.corpus:
        corpora = [checked_name("corpus", choice.corpus, corpora)]
    size = _size(run, choice, scored)
    metrics_of: dict[tuple[str, str], list[str]] = {}
    for metric in _metrics(run, choice):
        own = [row for row in scored if row.metric == metric]
        measured = {row.corpus for row in own}
        corpus = next((name for name in corpora if name in measured), corpora[0])
        subset = _subset(choice, scored, [row.subset for row in own if row.corpus == corpus])
        metrics_of.setdefault((corpus, subset), []).append(metric)
    return [
        _table(run, choice, scored, {"corpus": corpus, "subset": subset, "size": size}, metrics)
        for (corpus, subset), metrics in metrics_of.items()
    ]


def _table(
    run: Run,
    choice: OneTable,
    scored: Sequence[Row],
    where: Mapping[str, str],
    metrics: Sequence[str],
) -> Chosen:
    """Return one table of metrics, all on one corpus and subset."""
    place = {"metric": metrics[0], **where}
    at = {name: outcome.size for name, outcome in at_common_size(run, place["size"]).items()}
    if choice.system:
        at = {name: at[checked_name("system", name, [*at])] for name in choice.system}
    cells: dict[tuple[str, str], Row] = {}
    for row in (row for row in scored if row.system in at):
        own = {"metric": row.metric, "size": row.size, "corpus": row.corpus, "subset": row.subset}
        wanted = place | {"size": at[row.system], choice.columns: own[choice.columns]}
        if own == wanted:
            # Of what stands both in context and alone the first row counts, the system's own.
            cells.setdefault((row.system, own[choice.columns]), row)
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
            "name another --corpus or --subset"
        )
    asked_for = getattr(choice, choice.columns)
    if choice.columns != "metric" and asked_for not in ("", "all"):
        # A system without sizes keeps its column.
        measured &= {*at.values()} if choice.columns == "size" else {asked_for}
    titles = [title for title in titles if title in measured]
    # A system without the size of the caption says its own.
    unsaid = at.values() if choice.columns == "size" else ("", place["size"])
    systems = [
        (str(SystemSize(n, "" if size in unsaid else size)), [cells.get((n, t)) for t in titles])
        for n, size in at.items()
    ]
    labels = run.record.labels
    caption = {
        **place,
        "metric": labels[place["metric"]],
        "subset": f"{place['subset']} words",
        "size": _sizes(run, place["size"], [*at]),
        choice.columns: "",
    }
    about = ", ".join(caption[name] for name in CAPTION if caption[name])
    shared = citations(run, place["corpus"], titles if choice.columns == "metric" else metrics)[1]
    names = [title or "one size" for title in titles]
    for_people = [labels[name] for name in names] if choice.columns == "metric" else names
    return Chosen(run, about, shared, names, for_people, systems)


def _sizes(run: Run, size: str, systems: Sequence[str]) -> str:
    """Say the size of all systems, and the vocabulary sizes of those that have one of their own."""
    if not size:
        return ""
    return size_but_for(size, [o for o in largest(run) if o.system in systems and not o.size])


def _subset(choice: OneTable, scored: Sequence[Row], own: Sequence[str]) -> str:
    """Return the subset that is asked for; of pairs, which have no `all`, the first they have."""
    if choice.subset == "all" and own and "all" not in own:
        return own[0]
    # A run without results has no subsets: its table is empty.
    subsets = list(dict.fromkeys(row.subset for row in scored)) or [choice.subset]
    return checked_name("subset", choice.subset, subsets)


def _size(run: Run, choice: OneTable, scored: Sequence[Row]) -> str:
    """Return the size that is asked for, else the main one."""
    sizes = sorted({row.size for row in scored}, key=size_order)
    return checked_name("size", choice.size, sizes) if choice.size else common_size(run)


def _metrics(run: Run, choice: OneTable) -> list[str]:
    """Return the metrics that are asked for, else the main ones; one where others are columns."""
    names = [metric.name for metric in run.record.metrics]
    # A run without results measured no metric: those of its config name the columns.
    main = listed_metrics(run) or main_metrics(run, MOST_METRICS) or names[:MOST_METRICS]
    wanted = [checked_name("metric", name, names) for name in choice.metric]
    if choice.columns == "metric":
        return wanted or main
    if len(wanted) > 1:
        raise UsageError(f"--metric: found {len(wanted)}, expected one: columns are the metrics")
    return wanted or main[:1]


def ending(run: Run, folder: str = "RUN") -> str:
    """Write the recommendation and the facts, a few lines of each, and the short table.

    The command for more names the `folder`.
    """
    width = min(shutil.get_terminal_size((WIDTH, 1)).columns, WIDTH)
    facts = answer(run)
    parts = [fitting([f for f in facts if f.part == part]) for part in ("recommendation", "facts")]
    written = ["".join(f"{line}\n" for fact in p for line in bullet(fact, width)) for p in parts]
    text = "\n".join(filter(None, written))
    narrow = f"\n({NARROW}: the interval {NARROW_MEANS})" if NARROW in text else ""
    if more := len(facts) - sum(map(len, parts)):
        text += f"({counted(more, 'more fact')}: tokbench show {folder} answer)\n"
    return "\n".join(filter(None, [text, summary(run)])) + narrow + _word_counts(run)


def _word_counts(run: Run) -> str:
    """Say how many words were learned from and scored, so that a misread text is noticed."""
    texts = [corpus for corpus in run.record.corpora if corpus.kind in ("training", "text")]
    counts = some_names(
        integer(text.running)
        + (" in the training text" if text.kind == "training" else f" in {text.name}")
        for text in texts
    )
    marks = "; punctuation counts as words" * all(text.counts_punctuation for text in texts)
    return f"\n(words: {counts}{marks})" if texts else ""


def fitting(facts: Sequence[Fact]) -> list[Fact]:
    """Choose the facts that fit the lines of their part, the most important first."""
    chosen = [fact for fact in facts if not fact.rank]
    for fact in sorted(facts, key=lambda fact: fact.rank):
        more = [*chosen, fact]
        if fact.rank and sum(len(bullet(each, WIDTH)) for each in more) <= MOST_LINES:
            chosen = more
    return [fact for fact in facts if fact in chosen]


def bullet(fact: Fact, width: int) -> list[str]:
    """Return the lines of a fact, safe to print."""
    # A number stays with its percent sign, and an option with its value.
    text = one_line(fact.text).replace(" %", f"{NO_BREAK}%").replace("--size ", f"--size{NO_BREAK}")
    lines = [line.replace(NO_BREAK, " ") for line in wrapped(text, width - len(BULLET))]
    return [(" " * len(BULLET) if i else BULLET) + line for i, line in enumerate(lines)]


def summary(run: Run) -> str:
    """Show each system at the size that is recommended, or at its largest where it lacks that.

    Its metrics are those that the config lists, else headline metrics, or the first ones that were
    measured.
    """
    run = whole_text(run)
    # The first corpus of each metric; pairs of one kind have no other words than theirs.
    place_of: dict[str, tuple[str, str, str]] = {}
    for row in sorted(run.rows, key=lambda row: row.subset != "all"):
        place_of.setdefault(row.metric, (row.metric, row.corpus, row.subset))
    names = [metric.name for metric in run.record.metrics if metric.name in place_of]
    listed = listed_metrics(run)
    recommended = recommend(run)
    size = recommended.size if recommended else ""
    outcomes = [*at_common_size(run, size).values()]
    if not outcomes:  # the facts say so
        return ""
    by_place = rows_of(outcomes, run.rows, lambda row: (row.metric, row.corpus, row.subset))
    columns = {name: place_of[name] for name in listed or headline_metrics(HEADLINES, names)}
    titles = {name: run.record.labels[name] for name in columns}
    if OOV in columns and not listed and _agree_on_oov(run, columns[OOV][1]):
        # Where all know as many words, another number tells more.
        columns[OOV], titles[OOV] = ("fertility", columns[OOV][1], "unseen"), TOKENS_UNSEEN

    def shown(label: str, column: tuple[str, str, str]) -> str:
        row = by_place.get((label, column))
        return "" if row is None or row.value is None else number(row.value) + signs(run, row)

    traps = trapped(run)
    every = Table(
        ("system", VOCABULARY_SIZE, *titles.values()),
        [
            (
                o.system + f" {TRAP}" * (o.system in traps),
                o.vocabulary_size,
                *(shown(o.label, of) for of in columns.values()),
            )
            for o in outcomes
        ],
    )
    corpora = [(titles[name], corpus) for name, (_, corpus, _) in columns.items()]
    main, *others = agreeing(corpora) or [("", "")]
    where = "; ".join([main[1], *(f"{named}: {corpus}" for named, corpus in others)])
    text = every.to("table")
    text += f"({where})" if where else ""
    values = "".join(str(value) for row in every.rows for value in row[2:])
    if GATED in values:
        text += f"\n({GATED}: {GATED_MEANS.format(gate=percent(run.record.gate))})"
    if ENDS_LOST in values:
        text += f"\n({ENDS_LOST}: {ENDS_LOST_MEANS})"
    for meaning in sorted({*traps.values()}):
        text += f"\n({TRAP}: {meaning})"
    return text


def _agree_on_oov(run: Run, corpus: str) -> bool:
    """Tell whether unseen words were measured, and all systems to compare know as many words."""
    rows = [row for row in reversed(run.rows) if row.corpus == corpus and row.value is not None]
    unseen = {
        (row.system, row.size): row
        for row in rows
        if (row.metric, row.subset) == ("fertility", "unseen")
    }
    oov = {
        (row.system, row.size): number(row.value)
        for row in rows
        if (row.metric, row.subset) == (OOV, "all")
    }
    comparable = {oov[place] for place, row in unseen.items() if not row.gated and place in oov}
    return bool(unseen) and len(comparable) <= 1
