"""Which size is enough: what several rules say, and the statistics of each size."""

import io
from collections.abc import Sequence
from itertools import product

from tokbench.printing import escaped, markdown_table, print_table
from tokbench.run_folder import AdviceRow, Run, SizeStatistics, columns
from tokbench.sizes.advice import advice_from
from tokbench_views.shared import agreeing, first_of_learners, headline_metrics, known_name
from tokbench_views.spelling import percent, short, whole

Table = tuple[tuple[str, ...], list[tuple[str, ...]]]

HEADLINES = (
    "oov-words-running", "fertility", "kept-whole-running", "chars-per-token", "boundary-f1-micro",
)  # fmt: skip
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
INTRODUCTION = """
## Which size is enough?

A larger vocabulary nearly always gives a better value, but each added token improves it less, and
costs parameters. Each rule weighs this in its own way. No rule decides alone.

Measured on *{corpus}*{gold}.
"""
SHORT = """
## Which size is enough?

What several rules say of tokens a word on *{corpus}*; `metrics.md` has other metrics, and what the
rules mean. No rule decides alone: each added token saves less, and costs parameters.

"""
TRAINING = """
The tokens of the training text, without any test text:
"""
NOTHING = "There is nothing to advise on: no system here was run at two sizes or more."
THOUSAND = 1000


def which_size(
    advice: Sequence[AdviceRow],
    sizes: Sequence[SizeStatistics],
    corpus: str,
    gold: str | None = None,
) -> str:
    """Write the report's section on sizes: headline metrics on a corpus, boundaries on a gold one.

    Nothing where no system has two sizes.
    """
    shown = headlines(advice, corpus, gold)
    if not shown:
        return ""
    used = any(one.corpus != corpus for one in shown)
    boundaries = f"; boundaries on *{escaped(gold or '')}*" if used else ""
    introduction = INTRODUCTION.format(corpus=escaped(corpus), gold=boundaries)
    rules = _for_reading(*advice_table(shown))
    measures = markdown_table(*size_table(sizes), right=1)
    return "\n".join(
        [introduction, rules, legend(RULES, shown) + TRAINING, measures, legend(MEASURES)]
    )


def sizes_view(
    run: Run, tolerance: float, system: str, corpus: str, by_size: bool, form: str
) -> str:
    """Write the advice of one system, corpus or all, then the sizes; raises UsageError for names.

    For programs it is one table: the advice, or with `by_size` the sizes.
    """
    scored = [row for row in run.rows if row.corpus]
    for kind, name in (("system", system), ("corpus", corpus)):
        if name:
            known_name(kind, name, [*dict.fromkeys(getattr(row, kind) for row in scored)])
    every = [] if by_size else advice_from(run, tolerance)
    advice = [one for one in every if system in ("", one.system) and corpus in ("", one.corpus)]
    sizes = [one for one in run.sizes if system in ("", one.system)]
    out = io.StringIO()
    if form in ("csv", "json"):
        rows, kind_of_row = (sizes, SizeStatistics) if by_size else (advice, AdviceRow)
        names = columns(kind_of_row)
        print_table(names, [[*vars(row).values()] for row in rows], form, out)
        return out.getvalue()
    if not (sizes if by_size else advice):
        out.write(f"{NOTHING}\n\n")
    if advice:
        print_table(*advice_table(advice), form, out)
        out.write(f"\n{legend(RULES, advice)}\n")
    print_table(*size_table(sizes), form, out)
    out.write(f"\n{legend(MEASURES)}")
    return out.getvalue()


def short_advice(run: Run) -> str:
    """Write what the rules say of tokens a word on the first corpus; nothing without two sizes."""
    corpus = run.record.tests[0].name
    systems = {one.system for one in first_of_learners(run)}
    rows = [
        one
        for one in run.advice
        if (one.corpus, one.metric) == (corpus, "fertility") and one.system in systems
    ]
    if not rows:
        return ""
    return SHORT.format(corpus=escaped(corpus)) + _for_reading(*advice_table(rows))


def headlines(advice: Sequence[AdviceRow], corpus: str, gold: str | None) -> list[AdviceRow]:
    """Choose what the report shows: the headline metrics, or the first ones that there are."""
    here = [one for one in advice if one.corpus in (corpus, gold)]
    metrics = headline_metrics(HEADLINES, dict.fromkeys(one.metric for one in here))
    systems = dict.fromkeys(one.system for one in here)
    # Sorted, so that of a metric on both the row of the corpus is the last, which counts.
    ordered = sorted(here, key=lambda one: one.corpus == corpus)
    found = {(one.metric, one.system): one for one in ordered}
    return [found[key] for key in product(metrics, systems) if key in found]


def advice_table(advice: Sequence[AdviceRow]) -> Table:
    """Return the table by metric: titles, and one row of texts for each system and corpus."""
    rules = (name.format(tolerance=_tolerance(advice)) for name in RULES)
    return ("metric", "system", "corpus", "better", *rules), [_advised(one) for one in advice]


def _advised(one: AdviceRow) -> tuple[str, ...]:
    best = _point(one.curve_best_size, one.curve_best_value)
    within = _point(one.curve_within_size, one.curve_within_value)
    return (
        one.metric,
        one.system,
        one.corpus,
        one.better,
        best or _point(one.best_size, one.best_value),
        within or _point(one.within_size, one.within_value),
        one.not_worse_size or "",
        _point(one.knee_size, one.knee_value),
        "every" if best else "listed",
    )


def size_table(sizes: Sequence[SizeStatistics]) -> Table:
    """Return the table by system and size: titles, and rows of texts."""
    return ("system", "size", "|V|", *MEASURES), [_measured(one) for one in sizes]


def _measured(one: SizeStatistics) -> tuple[str, ...]:
    return (
        one.system,
        one.size,
        whole(one.vocabulary_size),
        short(one.class_imbalance),
        whole(one.frequency_95),
        short(one.entropy),
        short(None if one.muv is None else THOUSAND * one.muv),
    )


def legend(meanings: dict[str, str], advice: Sequence[AdviceRow] = ()) -> str:
    """Return what the columns mean, as a Markdown list."""
    lines = "".join(f"- *{name}*: {meaning}.\n" for name, meaning in meanings.items())
    return lines.format(tolerance=_tolerance(advice))


def _tolerance(advice: Sequence[AdviceRow]) -> str:
    """Spell the tolerance, which is the same for all advice of a run."""
    return "".join(percent(one.tolerance) for one in advice[:1])


def _point(size: str | None, value: float | None) -> str:
    return "" if size is None else f"{size} ({short(value)})"


def _for_reading(columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    """Write the table without corpus and direction, with one row for systems that agree."""
    lines = [(system, (metric, *cells)) for metric, system, _, _, *cells in rows]
    shown = [(metric, systems, *cells) for systems, (metric, *cells) in agreeing(lines)]
    return markdown_table((*columns[:2], *columns[4:]), shown, right=2)
