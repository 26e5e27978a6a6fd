"""Components described by themselves: as records, and in full for the terminal."""

from collections.abc import Iterable
from functools import cached_property
from inspect import cleandoc
from math import isinf

from tokbench.api import AdditiveMetric, Component, Learner, Metric, Segmenter
from tokbench.commands import Kind, Offer, kebab, run_plugin_code
from tokbench_commands.option_values import REQUIRED, Option, options

DESCRIBED: tuple[Kind, ...] = (
    "learner", "segmenter", "splitter", "gold reader", "pair generator", "analysis", "view",
)  # fmt: skip
"""The kinds of components beside metrics, in the order in which they are described."""

PROMISES = ("prefix_closed", "order_free", "deterministic")
OPEN = "depends on its options"
NO_FACTS = ("component", "metric", "kind", "meaning", "options")
"""The fields of a record that have places of their own."""


def describe(offer: Offer) -> dict[str, str]:
    """Return what a component says of itself, as text; a field that does not apply is empty.

    The promises of a learner are those of its default options; one that depends on an option that
    must be given is left open. Raises TokbenchError where a plugin's code fails.
    """
    component = offer.component
    meaning, package = cleandoc(component.__doc__ or ""), offer.plugin.package
    in_line = "; ".join(map(_in_line, options_of(offer)))
    if issubclass(component, Metric):
        with run_plugin_code(f"metric {offer.name}"):
            facts = _of_metric(component, in_line)
        return {"metric": offer.name, "meaning": meaning, **facts, "package": package}
    facts = dict.fromkeys(("reads", "size", "promises", "cuts"), "")
    if issubclass(component, Learner):
        with run_plugin_code(f"learner {offer.name}"):
            facts |= _of_learner(component)
    if issubclass(component, Segmenter):
        facts["cuts"] = "lines" if component.context == "text" else "words"
    facts["needs"] = ", ".join(_needs(component))
    facts["install"] = f"pip install '{component.requires}'" if component.requires else ""
    names = {"component": offer.name, "kind": offer.kind, "meaning": meaning}
    return {**names, **facts, "options": in_line, "package": package}


def in_full(title: str, offer: Offer) -> str:
    """Return a title, the meaning, each fact on a line of its own, then two lines an option."""
    record = describe(offer)
    facts = {key: value for key, value in record.items() if value and key not in NO_FACTS}
    own = options_of(offer)
    if own and offer.kind != "view":
        facts["example"] = _example(offer.name, own)
    lines = [title, "", record["meaning"], ""]
    lines += [f"{key:<10}{value}" for key, value in facts.items()]
    for option in own:
        lines += ["", f"{option.name}: {option.values}; {option.shown}", f"    {option.meaning}"]
    return "\n".join(lines) + "\n"


def _example(name: str, own: Iterable[Option]) -> str:
    """Return how a config writes a component: with the options that it needs, else the first."""
    top = [option for option in own if "." not in option.name]
    shown = [option for option in top if option.default == REQUIRED] or top[:1]
    keys = (f"{o.name}: {'…' if o.default == REQUIRED else o.default.strip('`')}" for o in shown)
    return f"{{{', '.join([f'use: {name}', *keys])}}}"


def options_of(offer: Offer) -> list[Option]:
    """Return the options of a component; raises TokbenchError where its own code fails."""
    with run_plugin_code(f"{offer.kind} {offer.name}"):
        return [*options(offer.component)]


def _in_line(option: Option) -> str:
    return f"{option.name} ({option.values}; {option.shown}): {option.meaning}".removesuffix(": ")


def _of_learner(component: type[Learner]) -> dict[str, str]:
    """Return what a learner says with the options that it has by default."""
    try:
        learner = component.model_construct()
        kept = [kebab(promise) for promise in PROMISES if getattr(learner, promise)]
        return {
            "reads": learner.reads,
            "size": "as asked" if learner.sized else "its own",
            "promises": ", ".join(kept) or "none",
        }
    except Exception:
        # A plugin's property may raise anything where an option that it needs is not there.
        return dict.fromkeys(("reads", "size", "promises"), OPEN)


def _needs(component: type[Component]) -> Iterable[str]:
    """Name what must be installed: distributions with their least versions, else modules."""
    if component.requires_version:
        return (f"{name} {least} or newer" for name, least in component.requires_version.items())
    return component.requires_modules


def _of_metric(metric: type[Metric], in_line: str) -> dict[str, str]:
    additive = metric if issubclass(metric, AdditiveMetric) else None
    return {
        "formula": _declared(metric, "formula"),
        "range": _declared(metric, "range"),
        "better": _declared(metric, "better"),
        "unit": metric.unit,
        "counted": f"per {additive.per}" if additive else "whole",
        "n": _spelled(additive.denominator if additive else None),
        "interval": _declared(metric, "interval") if additive else "no",
        "needs": ", ".join(sorted(metric.needs)),
        "options": in_line,
        "evidence": _spelled(metric.evidence),
        "source": _spelled(metric.source),
    }


def _declared(metric: type[Metric], name: str) -> str:
    """Spell what a metric declares; of a property, its value for the default options."""
    value = getattr(metric, name)
    if not isinstance(value, property | cached_property):
        return _spelled(value)
    if any(field.is_required() for field in metric.model_fields.values()):
        return "depends on the options"
    return f"{_spelled(getattr(metric(), name))} by default"


def _spelled(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case (int() | float() as low, int() | float() as high):
            if isinf(low):
                return "any number" if isinf(high) else f"at most {high:g}"
            return f"at least {low:g}" if isinf(high) else f"{low:g} to {high:g}"
    return str(value or "")
