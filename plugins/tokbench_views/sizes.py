"""Which size is enough: what several rules say, and the statistics of each size."""

from collections.abc import Sequence

from tokbench.printing import Table, escaped, integer, percent
from tokbench.run_folder import AdviceRow, Labels, Run, SizeStatistics, columns, records
from tokbench.sizes.advice import advice_from
from tokbench_views.shared import (
    VOCABULARY_SIZE,
    agreeing,
    checked_name,
    first_of_learners,
)
from tokbench_views.views import Sizes

RULES = {
    "best": "the size with the best value; if several sizes have it, the smallest of them",
    "within {tolerance}": "the smallest size whose value differs from the best by at most "
    "{tolerance} of the best",
    "smallest size not significantly worse": "the smallest listed size that is not significantly "
    "worse than the best listed one (paired resamples, Holm's correction over the sizes, 5 %); "
    "empty for metrics without an interval",
    "knee": "the size beyond which an additional token improves the metric less than the average "
    "token in the range (Kneedle, Satopää et al. 2011); empty if the largest size is no better "
    "than the smallest, if the curve has no such size, and for fewer than five sizes",
    "sizes": "`every` if best, within and knee were found among all sizes of a curve, `listed` if "
    "among the listed sizes only",
}
MEASURES = {
    "D": "class imbalance of the tokens: 0 if all tokens of the vocabulary are equally frequent, "
    "near 1 if a few of them make up nearly all of the text (Gowda and May 2020)",
    "F95%": "the count that 95 % of the vocabulary's tokens reach in the training text; for "
    "translation, the largest size with an F95% of at least 100 worked well (Gowda and May 2020)",
    "H": "entropy of the tokens in nats, divided by the mean length of a token in characters "
    "(Xu et al. 2021)",
    "MUV × 1000": "marginal utility: how much H falls, from the previous size to this one, for "
    "each thousand added tokens (Xu et al. 2021)",
}
ABOUT = """
## Which size is enough?

A larger vocabulary nearly always gives a better value, but each added token improves it less, and
costs parameters. Each rule weighs this in its own way. No rule decides alone. The last table is of
the tokens of the training text, without any test text.

"""
SHORT = """
## Which size is enough?

What several rules say of tokens per word on *{corpus}*. `data/metrics.md` has other metrics, and
what the rules mean. No rule decides alone: each added token saves less, and costs parameters.

"""
NOTHING = "There is nothing to advise on: no system here was run at two sizes or more."
THOUSAND = 1000


def sizes_view(run: Run, choice: Sizes, form: str) -> str:
    """Write the advice of one system, corpus or all, then the sizes; raises UsageError for names.

    For programs it is one table: the advice, or with `by_size` the sizes.
    """
    scored = [row for row in run.rows if row.corpus]
    for kind, name in (("system", choice.system), ("corpus", choice.corpus)):
        if name:
            checked_name(kind, name, [*dict.fromkeys(getattr(row, kind) for row in scored)])
    tolerance = choice.tolerance + 0.0  # 0 for -0
    advice = [
        row
        for row in ([] if choice.by_size else advice_from(run, tolerance))
        if choice.system in ("", row.system) and choice.corpus in ("", row.corpus)
    ]
    sizes = [row for row in run.sizes if choice.system in ("", row.system)]
    if form in ("csv", "json"):
        rows, kind_of_row = (sizes, SizeStatistics) if choice.by_size else (advice, AdviceRow)
        return Table.of(records(rows), columns(kind_of_row)).to(form)
    nothing = "" if (sizes if choice.by_size else advice) else f"{NOTHING}\n\n"
    return nothing + _tables(advice, sizes, run.record.labels, form)


def which_size(run: Run) -> str:
    """Write the section on sizes, with advice on the first text; nothing if no system has two."""
    advice = [row for row in run.advice if row.corpus == run.record.tests[0].name]
    return ABOUT + _tables(advice, run.sizes, run.record.labels, "md") if advice else ""


def _tables(
    advice: Sequence[AdviceRow], sizes: Sequence[SizeStatistics], labels: Labels, form: str
) -> str:
    """Write the advice, if there is any, and the statistics of sizes, each with its meaning."""
    parts = [advice_table(advice, labels).to(form), legend(RULES, advice)] if advice else []
    return "\n".join([*parts, size_table(sizes).to(form), legend(MEASURES)])


def short_advice(run: Run) -> str:
    """Write what the rules say of tokens per word on the first text; nothing without two sizes."""
    corpus = run.record.tests[0].name
    systems = {outcome.system for outcome in first_of_learners(run)}
    rows = [
        row
        for row in run.advice
        if (row.corpus, row.metric) == (corpus, "fertility") and row.system in systems
    ]
    if not rows:
        return ""
    metric = run.record.labels["fertility"]
    lines = agreeing((row.system, _by_rules(row)) for row in rows)
    table = Table(
        ("metric", "system", *_rules(rows)),
        [(metric, systems, *cells) for systems, cells in lines],
        right=2,
    )
    return SHORT.format(corpus=escaped(corpus)) + table.to("md")


def advice_table(advice: Sequence[AdviceRow], labels: Labels) -> Table:
    """Return the table by metric, with one row of texts for each system and corpus."""
    rows = [
        (labels[row.metric], row.system, row.corpus, row.better, *_by_rules(row)) for row in advice
    ]
    return Table(("metric", "system", "corpus", "better", *_rules(advice)), rows)


def _rules(advice: Sequence[AdviceRow]) -> list[str]:
    return [name.format(tolerance=_tolerance(advice)) for name in RULES]


def _by_rules(row: AdviceRow) -> tuple[str, ...]:
    best = _point(row.curve_best_size, row.curve_best_value)
    within = _point(row.curve_within_size, row.curve_within_value)
    return (
        best or _point(row.best_size, row.best_value),
        within or _point(row.within_size, row.within_value),
        row.not_worse_size or "",
        _point(row.knee_size, row.knee_value),
        "every" if best else "listed",
    )


def size_table(sizes: Sequence[SizeStatistics]) -> Table:
    """Return the table by system and size, with rows of texts."""
    rows = [
        (
            *(row.system, row.size, integer(row.vocabulary_size), four_digits(row.class_imbalance)),
            *(integer(row.frequency_95), four_digits(row.entropy)),
            four_digits(None if row.muv is None else THOUSAND * row.muv),
        )
        for row in sizes
    ]
    return Table(("system", "size", VOCABULARY_SIZE, *MEASURES), rows, right=1)


def legend(meanings: dict[str, str], advice: Sequence[AdviceRow] = ()) -> str:
    """Return what the columns mean, as a Markdown list."""
    lines = "".join(f"- *{name}*: {meaning}.\n" for name, meaning in meanings.items())
    return lines.format(tolerance=_tolerance(advice))


def _tolerance(advice: Sequence[AdviceRow]) -> str:
    """Spell the tolerance, which is the same for all advice of a run."""
    return percent(advice[0].tolerance) if advice else ""


def four_digits(value: float | None) -> str:
    """Spell a number with four digits; nothing where it is undefined."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _point(size: str | None, value: float | None) -> str:
    return "" if size is None else f"{size} ({four_digits(value)})"
