"""Components but metrics, described by themselves: as records, and as a page."""

from collections.abc import Iterable, Sequence
from inspect import cleandoc

from tokbench.api import Component, Learner, Segmenter
from tokbench.commands import Kind, Offer, kebab, run_plugin_code
from tokbench.printing import code, escaped, markdown_table
from tokbench_commands.option_values import Option, options

HEADER = """\
# Learners, segmenters, splitters, gold readers, pair generators, analyses and views

This page describes every component of tokbench except the metrics. It is made from the components'
own docstrings and options: `tokbench plugins --components --format md` prints the page, and
`tokbench plugins NAME` prints one component.

A config writes options next to the name, as in `{use: bpe, ties: first}`. The tables spell them as
configs do: `alphabet.forms` is the key `forms` of the mapping `alphabet` (`alphabet: {forms:
seen}`). A mark may be its kind alone (`eow: separate`). To spell it in another way, write a mapping
of both (`eow: {kind: separate, text: _}`). A *path* is looked up in the folder of the config first,
and then in the folder that `$TOKBENCH_MODELS` names.

A learner *reads* counted *words*, *lines* of text, or *nothing* if it loads a vocabulary that was
learned elsewhere. Its *size* is as asked, or its own. It can promise three things:

- *prefix-closed*: a smaller vocabulary is the beginning of a larger one, so one learning run gives
  all sizes;
- *order-free*: the order of the words has no effect;
- *deterministic*: the same text gives the same vocabulary. A learner that is not deterministic runs
  `repeats` times.

The page shows these facts for the default options. Other options may change them. A segmenter
*cuts* single words, or whole *lines*, spaces included.
"""

FACTS = ("reads", "size", "promises", "cuts", "needs", "install")
PROMISES = ("prefix_closed", "order_free", "deterministic")
OPEN = "depends on its options"

_COLUMNS: dict[Kind, tuple[str, ...]] = {
    "learner": ("reads", "size", "promises", "install"),
    "segmenter": ("cuts", "install"),
    "splitter": ("install",),
    "gold reader": ("install",),
    "pair generator": ("install",),
    "analysis": ("install",),
    "view": ("install",),
}
DESCRIBED: tuple[Kind, ...] = (*_COLUMNS,)
"""The kinds of components that are described here, in the order of the page."""


def describe(offer: Offer) -> dict[str, str]:
    """Return what a component says of itself, as text; a field that does not apply is empty.

    The promises of a learner are those of its default options; one that depends on an option that
    must be given is left open. Raises TokbenchError where a plugin's code fails.
    """
    component = offer.component
    facts = dict.fromkeys(("reads", "size", "promises", "cuts"), "")
    if issubclass(component, Learner):
        with run_plugin_code(f"learner {offer.name}"):
            facts |= _of_learner(component)
    if issubclass(component, Segmenter):
        facts["cuts"] = "lines" if component.context == "text" else "words"
    return {
        "component": offer.name,
        "kind": offer.kind,
        "meaning": cleandoc(component.__doc__ or ""),
        **facts,
        "needs": ", ".join(_needs(component)),
        "install": f"pip install '{component.requires}'" if component.requires else "",
        "options": "; ".join(map(_in_line, options_of(offer))),
        "package": offer.plugin.package,
    }


def options_of(offer: Offer) -> list[Option]:
    """Return the options of a component; raises TokbenchError where its own code fails."""
    with run_plugin_code(f"{offer.kind} {offer.name}"):
        return [*options(offer.component)]


def section(offer: Offer) -> str:
    """Write one component as a Markdown section, with a table of its options."""
    record = _in_markdown(describe(offer))
    facts = "".join(f"- {key}: {record[key]}\n" for key in FACTS if record[key])
    rows = [(code(one.name), one.values, one.default, one.meaning) for one in options_of(offer)]
    title = f"## {offer.kind.capitalize()} {escaped(offer.name)}\n"
    parts = [title, record["meaning"] and f"{record['meaning']}\n", facts]
    if rows:
        parts.append(_table(("option", "values", "default", "meaning"), rows))
    return "\n".join(filter(None, parts))


def document(offers: Iterable[Offer]) -> str:
    """Write the page: a table of the components of each kind, then a section for each."""
    ordered = sorted(offers, key=lambda offer: (DESCRIBED.index(offer.kind), offer.name))
    tables = [_overview(kind, [o for o in ordered if o.kind == kind]) for kind in DESCRIBED]
    return "\n".join([HEADER, *tables, *map(section, ordered)])


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


def _in_line(option: Option) -> str:
    return f"{option.name} ({option.values}; {option.shown}): {option.meaning}".removesuffix(": ")


def _in_markdown(record: dict[str, str]) -> dict[str, str]:
    return {**record, "install": record["install"] and code(record["install"])}


def _overview(kind: Kind, offers: Iterable[Offer]) -> str:
    """Write a table of components of one kind, each linked to its section."""
    columns = _COLUMNS[kind]
    rows = []
    for offer in offers:
        record = _in_markdown(describe(offer))
        link = f"[{escaped(offer.name)}](#{offer.kind.replace(' ', '-')}-{offer.name.lower()})"
        rows.append((link, *(record[column] for column in columns)))
    return _table((kind, *columns), rows)


def _table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Write a table of Markdown cells."""
    cells = [tuple(cell.replace("|", "\\|") for cell in row) for row in rows]
    return markdown_table(columns, cells, verbatim=True)
