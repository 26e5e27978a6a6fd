"""The metrics on offer, described by themselves: as records, and as a Markdown page."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from inspect import cleandoc
from math import isinf
from typing import cast

from tokbench.api import AdditiveMetric, Metric
from tokbench.commands import Offer, kebab
from tokbench.printing import markdown_table

HEADER = """\
# Metrics

This page describes every metric of tokbench. It is made from the metrics' own docstrings and
options: `tokbench metrics --format md` prints the page, and `tokbench metrics NAME` prints one
metric.

- *Characters* and *bytes* are those of the scoring words, without spaces or marks, unless the
  formula says that they are those of the text.
- A token is *known* if it has an id and is neither special nor the vocabulary's `unknown`. *|V|* is
  the number of tokens in the vocabulary, without special tokens and without `unknown`.
- When words are cut in context, a token that covers several words counts in the first of them. Only
  `tokens`, `text-tokens`, `text-bytes-per-token`, `nsl`, `attention-cost`, `parity` and
  `outside-tokens` count tokens that cover no word.
- A *bare mark* is a token without text, such as a separate end-of-word mark.
- *p* is a token's share of all tokens. All tokens that are not known count as one token here.
- *n* is the sum that is shown as `n` next to a value.
- Shares are fractions from 0 to 1. An undefined value stays empty.

A metric with the unit *line* counts each word as often as it occurs, and its intervals come from
resampled lines. A metric with the unit *word* counts each distinct word once, and words are
resampled. The direction is a convention for reading tables, not a verdict: no number here says by
itself which tokenizer is best.
"""


LISTED = ("metric", "unit", "better", "range", "formula")
"""The facts that a table of all metrics shows."""


def describe(offer: Offer) -> dict[str, str]:
    """Return what a metric says of itself, as text; a field that does not apply is empty."""
    metric = cast(type[Metric], offer.component)
    additive = metric if issubclass(metric, AdditiveMetric) else None
    return {
        "metric": offer.name,
        "meaning": cleandoc(metric.__doc__ or ""),
        "formula": _declared(metric, "formula"),
        "range": _declared(metric, "range"),
        "better": _declared(metric, "better"),
        "unit": metric.unit,
        "counted": f"per {additive.per}" if additive else "whole",
        "n": _said(additive.denominator if additive else None),
        "interval": _declared(metric, "interval") if additive else "no",
        "needs": ", ".join(sorted(metric.needs)),
        "options": "; ".join(_options(metric)),
        "evidence": _said(metric.evidence),
        "source": _said(metric.source),
        "package": offer.plugin.package,
    }


def section(record: Mapping[str, str]) -> str:
    """Write one metric's record as a Markdown section."""
    facts = "".join(
        f"- {key}: {value}\n"
        for key, value in record.items()
        if value and key not in ("metric", "meaning", "formula", "package")
    )
    meaning, formula = record["meaning"], record["formula"]
    return f"## {record['metric']}\n\n{meaning}\n\n```\n{formula}\n```\n\n{facts}"


def document(offers: Iterable[Offer]) -> str:
    """Write the page: a table of all metrics, then a section for each, in the order given."""
    records = [describe(offer) for offer in offers]
    rows = []
    for record in records:
        name, formula = record["metric"], record["formula"].replace("|", "\\|")
        facts = (record[column] for column in LISTED[1:-1])
        rows.append((f"[{name}](#{name})", *facts, f"`{formula}`"))
    table = markdown_table(LISTED, rows, verbatim=True)
    return "\n".join([HEADER, table, *map(section, records)])


def _declared(metric: type[Metric], name: str) -> str:
    """Spell what a metric declares; of a property, its value for the default options."""
    value = getattr(metric, name)
    if not isinstance(value, property | cached_property):
        return _said(value)
    if any(field.is_required() for field in metric.model_fields.values()):
        return "depends on the options"
    return f"{_said(getattr(metric(), name))} by default"


def _said(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case (int() | float() as low, int() | float() as high):
            if isinf(low):
                return "any number" if isinf(high) else f"at most {high:g}"
            return f"at least {low:g}" if isinf(high) else f"{low:g} to {high:g}"
    return str(value or "")


def _options(metric: type[Metric]) -> Iterable[str]:
    """Describe each option: its name, default and description."""
    for name, field in metric.model_fields.items():
        default = "required" if field.is_required() else f"default {field.get_default()}"
        yield f"{kebab(name)} ({default}): {field.description or ''}".removesuffix(": ")
