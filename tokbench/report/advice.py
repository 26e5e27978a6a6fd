"""Which size is enough: what several rules say, and what the training text's tokens tell."""

from collections.abc import Sequence

from tokbench.report.table import escaped, markdown_table
from tokbench.runner.advice import TOLERANCE, Advice
from tokbench.runner.series import Key, Point
from tokbench.runner.sizing import Sizing

Table = tuple[tuple[str, ...], list[tuple[str, ...]]]

HEADLINES = (
    "oov-words-running", "fertility", "kept-whole-running", "chars-per-token", "boundary-f1-micro",
)  # fmt: skip
RULES = {
    "best": "the size with the best value; of equal ones the smallest",
    "within {tolerance}": "the smallest size whose value differs from the best by at most "
    "{tolerance} of the best",
    "not worse": "the smallest listed size that is not significantly worse than the best listed "
    "one (paired resamples, Holm over the sizes, 5 %); empty for metrics without an interval",
    "knee": "the size after which a further token brings less than the average over the range "
    "(Kneedle, Satopää et al. 2011); empty where it brings nothing, and for fewer than five sizes",
    "sizes": "whether best, within and knee are of `every` size (a curve) or of the `listed` ones",
}
MEASURES = {
    "D": "class imbalance of the tokens: 0 where all tokens of the vocabulary are equally "
    "frequent, near 1 where few make up nearly all (Gowda and May 2020)",
    "F95%": "95 % of the vocabulary occur at least so often; for translation, the largest size "
    "at which it is 100 or more did well (Gowda and May 2020)",
    "H": "entropy of the tokens in nats, per character of the mean token (Xu et al. 2021)",
    "MUV × 1000": "how much H falls for each thousand tokens more than at the size before: what "
    "added tokens are worth (Xu et al. 2021)",
}
INTRODUCTION = """
## Which size is enough?

More vocabulary nearly always gives a better value, but less and less, and it costs parameters.
Each rule looks at that in its own way; none decides alone. Measured on *{corpus}*{gold}.
"""
TRAINING = """
Without any test text, from the tokens of the training text:
"""
THOUSAND = 1000


def which_size(
    advice: Sequence[Advice], sizings: Sequence[Sizing], corpus: str, gold: str | None = None
) -> str:
    """Write the report's section on sizes: headline metrics on a corpus, boundaries on a gold one.

    Nothing where no system has two sizes.
    """
    shown = headlines(advice, corpus, gold)
    if not shown:
        return ""
    used = any(one.key[1] != corpus for one in shown)
    boundaries = f", boundaries those of *{escaped(gold or '')}*" if used else ""
    columns, rows = advice_table(shown)
    text = INTRODUCTION.format(corpus=escaped(corpus), gold=boundaries)
    text += "\n" + _for_reading(columns, rows) + "\n" + legend(RULES)
    columns, rows = sizing_table(sizings)
    return text + TRAINING + "\n" + markdown_table(columns, rows, right=1) + "\n" + legend(MEASURES)


def headlines(advice: Sequence[Advice], corpus: str, gold: str | None) -> list[Advice]:
    """Choose what the report shows: the headline metrics, or the first ones that there are."""
    here = {one.key: one for one in advice if one.key[1] in (corpus, gold)}
    systems = dict.fromkeys(system for system, _, _ in here)
    metrics = dict.fromkeys(metric for _, _, metric in here)
    names = [name for name in HEADLINES if name in metrics] or [*metrics][: len(HEADLINES)]
    found: list[Advice] = []
    for name in names:
        for system in systems:
            keys: list[Key] = [(system, place, name) for place in (corpus, gold) if place]
            found += [here[key] for key in keys if key in here][:1]
    return found


def advice_table(advice: Sequence[Advice], tolerance: float = TOLERANCE) -> Table:
    """Give the table by metric: titles, and one row of texts for each system and corpus."""
    rules = (name.format(tolerance=percent(tolerance)) for name in RULES)
    return ("metric", "system", "corpus", "better", *rules), [_advised(one) for one in advice]


def _advised(one: Advice) -> tuple[str, ...]:
    system, corpus, metric = one.key
    best, within = one.widest
    return (
        metric, system, corpus, one.better, _point(best), _point(within), one.not_worse or "",
        _point(one.knee), "listed" if one.curve_best is None else "every",
    )  # fmt: skip


def sizing_table(sizings: Sequence[Sizing]) -> Table:
    """Give the table by system and size: titles, and rows of texts."""
    rows: list[tuple[str, ...]] = [
        (
            one.system,
            one.size,
            f"{one.vocabulary_size:,}",
            short(one.class_imbalance),
            "" if one.frequency_95 is None else f"{one.frequency_95:,}",
            short(one.entropy),
            short(None if one.muv is None else THOUSAND * one.muv),
        )
        for one in sizings
    ]
    return ("system", "size", "|V|", *MEASURES), rows


def legend(meanings: dict[str, str], tolerance: float = TOLERANCE) -> str:
    """Give what the columns mean, as a Markdown list."""
    lines = "".join(f"- *{name}*: {meaning}.\n" for name, meaning in meanings.items())
    return lines.format(tolerance=percent(tolerance))


def percent(share: float) -> str:
    """Spell a share as a percentage, all its digits kept."""
    return f"{100 * share:.12g} %"


def short(value: float | None) -> str:
    """Spell a number with four digits; nothing where it is undefined."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _point(point: Point | None) -> str:
    return "" if point is None else f"{point.size} ({short(point.value)})"


def _for_reading(columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    """Give the table without corpus and direction, with one row for systems that agree."""
    agreeing: dict[tuple[str, ...], list[str]] = {}
    for metric, system, _, _, *cells in rows:
        agreeing.setdefault((metric, *cells), []).append(system)
    lines = [(metric, ", ".join(systems), *cells) for (metric, *cells), systems in agreeing.items()]
    return markdown_table((*columns[:2], *columns[4:]), lines, right=2)
