"""Write the reference of components and of metrics, and the glossary, from what plugins offer.

python docs/reference.py
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tokbench_commands.describe import DESCRIBED, NO_FACTS, describe, options_of

from tokbench import plugins
from tokbench.commands import Kind, Offer
from tokbench.printing import Markdown, Table, code, escaped, metric_title, printable

COMPONENTS = """\
# Components

This page describes every component of tokbench except the metrics: learners, segmenters, splitters,
gold readers, pair generators, analyses and views. `python docs/reference.py` writes it from the
components' own docstrings and options, and `tokbench plugins NAME` prints one component.

A config writes options next to the name, as in `{use: bpe, ties: first}`. The tables spell them as
configs do: `alphabet.forms` is the key `forms` of the mapping `alphabet` (`alphabet: {forms:
seen}`). A mark may be its kind alone (`eow: separate`). To spell it in another way, write a mapping
of both (`eow: {kind: separate, text: _}`). A *path* is looked up in the folder of the config first,
then in the folder that `$TOKBENCH_MODELS` names, then in the user's cache (`tokbench models get`).

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
METRICS = """\
# Metrics

This page describes every metric of tokbench. `python docs/reference.py` writes it from the metrics'
own docstrings and options, and `tokbench metrics NAME` prints one metric.

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
- Against gold, a word with an unknown token or dropped text is one that the system cannot write.
  Its gold boundaries and morphemes are missed, and its cuts count neither as right nor as wrong.
- Shares are fractions from 0 to 1. An undefined value stays empty.

A metric with the unit *line* counts each word as often as it occurs, and its intervals come from
resampled blocks of lines. A metric with the unit *word* counts each distinct word once, and words
are resampled. The direction is a convention for reading tables, not a verdict: no number here says
by itself which tokenizer is best.

The *label* is the name of a metric in tables for people. Configs, options and files for programs
have its name. [The glossary](../glossary.md) explains labels and other terms.
"""
GLOSSARY = """\
# Glossary

This page explains the words of the program's tables, messages and pages. `python docs/reference.py`
writes it. A metric has two names: tables for people show the term; configs, options, CSV and JSON
have the name in the last column.
"""
TERMS: Mapping[str, str] = {
    "baseline": "The system with which all others are compared.",
    "band": "Words that occur about equally often in the training text, such as 2 to 5 times.",
    "byte fallback": "A tokenizer writes a character that it has no token for as its bytes.",
    "confidence interval": "A range around a value, from resampling the test text. About 95 % of "
    "such ranges hold the value for all text like the test text, fewer where it is short.",
    "corpus": "A text, a list of words or gold words, with a name.",
    "distinct word": "A word that counts once, however often it occurs.",
    "gate": "The share of words that a system may fail to write before its lengths are no longer "
    "compared. The config's key `gate` sets it; † marks what it leaves out.",
    "gold": "Words whose morphemes people have marked.",
    "in context": "The system cuts whole lines, spaces included.",
    "isolated": "The system cuts words one by one, without the space before them.",
    "learner": "The part of a system that makes a vocabulary from the training text.",
    "merge": "Two tokens that byte pair encoding joins to a new one.",
    "pairs": "Words, and the same words changed, for example by typing errors.",
    "ready-made": "A tokenizer that was trained on other text and is compared as it is.",
    "running word": "A word that counts as often as it occurs. Punctuation counts as words.",
    "segmenter": "The part of a system that cuts text into tokens of a vocabulary.",
    "signature": "Everything that a number depends on, in one line, to cite it with.",
    "splitter": "The part that finds the words in a text.",
    "system": "A tokenizer that a run compares: a learner, a segmenter and their options.",
    "token": "A piece of text that a vocabulary holds.",
    "tokens per unseen word": "The tokens per word of unseen words alone.",
    "unknown": "No token of the vocabulary writes it.",
    "lossy": "The tokens of a word do not give back its text.",
    "unseen word": "A word that does not occur in the training text.",
    "view": "One way to show a run: the answer, a table, the page.",
    "vocabulary size": "The number of tokens in a vocabulary, without special tokens and the token "
    "for unknown text; |V| in formulas.",
    "word ends lost": "The tokens do not tell where words begin or end; ‡ marks such lengths.",
}
"""Terms that are no metric, with what they mean in Markdown."""
COLUMNS: Mapping[Kind, tuple[str, ...]] = {
    "learner": ("reads", "size", "promises", "install"),
    "segmenter": ("cuts", "install"),
}
"""The facts in the table of a kind; tables of other kinds say only how to install it."""


def main() -> None:
    """Write the three pages."""
    here = Path(__file__).parent
    offers = shipped()
    (here / "reference" / "components.md").write_text(component_page(offers), encoding="utf-8")
    (here / "reference" / "metrics.md").write_text(metric_page(offers), encoding="utf-8")
    (here / "glossary.md").write_text(glossary_page(offers), encoding="utf-8")


def shipped() -> list[Offer]:
    """Return the components that come with tokbench."""
    return [offer for offer in plugins.load().offers if offer.plugin.package == "tokbench"]


def component_page(offers: Iterable[Offer]) -> str:
    """Write a table of the components of each kind, then a section for each but the metrics."""
    by_kind = {kind: [o for o in offers if o.kind == kind] for kind in DESCRIBED}
    ordered = {kind: sorted(of_kind, key=lambda o: o.name) for kind, of_kind in by_kind.items()}
    tables = [component_table(kind, of_kind) for kind, of_kind in ordered.items()]
    sections = [
        section(f"{kind.capitalize()} {escaped(offer.name)}", offer)
        for kind, of_kind in ordered.items()
        for offer in of_kind
    ]
    return printable("\n".join([COMPONENTS, *tables, *sections]))


def component_table(kind: Kind, offers: Iterable[Offer]) -> str:
    """Write a table of components of one kind, each linked to its section."""
    columns = COLUMNS.get(kind, ("install",))
    rows = []
    for offer in offers:
        record = _in_markdown(describe(offer))
        anchor = f"{kind.replace(' ', '-')}-{offer.name.lower()}"
        link = Markdown(f"[{escaped(offer.name)}](#{anchor})")
        rows.append((link, *(record[column] for column in columns)))
    return Table((kind, *columns), rows).to("md")


def metric_page(offers: Iterable[Offer]) -> str:
    """Write a table of all metrics, then a section for each, in the order given."""
    metrics = [offer for offer in offers if offer.kind == "metric"]
    rows = []
    for record in map(describe, metrics):
        link = Markdown(f"[{record['metric']}](#{record['metric']})")
        facts = (record[column] for column in ("label", "unit", "better", "range"))
        rows.append((link, *facts, Markdown(f"`{record['formula']}`")))
    table = Table(("metric", "label", "unit", "better", "range", "formula"), rows).to("md")
    titles = [metric_title(label_of(offer), offer.name) for offer in metrics]
    sections = [section(title, offer) for title, offer in zip(titles, metrics, strict=True)]
    return printable("\n".join([METRICS, table, *sections]))


def glossary_page(offers: Iterable[Offer]) -> str:
    """Write a table of all terms in the order of the alphabet: those of metrics, and others."""
    metrics = [offer for offer in offers if offer.kind == "metric"]
    lines = [
        (label_of(offer), _first_sentence(describe(offer)["meaning"]), _to_metric(offer.name))
        for offer in metrics
    ]
    lines += [(term, meaning, "") for term, meaning in TERMS.items()]
    lines.sort(key=lambda line: line[0].lower())
    rows = [(Markdown(f"**{escaped(term)}**"), Markdown(text), name) for term, text, name in lines]
    table = Table(("term", "meaning", "name of the metric"), rows).to("md")
    return printable(f"{GLOSSARY}\n{table}")


def anchor(title: str) -> str:
    """Return the anchor of a heading as code hosts make it; of a metric, its name in brackets."""
    if name := re.search(r" \(([a-z0-9-]+)\)$", title):
        return name[1]
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def label_of(offer: Offer) -> str:
    """Return what people call a metric: its label, or its name without one."""
    return describe(offer)["label"] or offer.name


def _first_sentence(meaning: str) -> str:
    return " ".join(meaning.partition("\n\n")[0].split())


def _to_metric(name: str) -> Markdown:
    return Markdown(f"[{name}](reference/metrics.md#{name})")


def section(title: str, offer: Offer) -> str:
    """Write one component: its meaning, formula and facts, and a table of its options."""
    record = _in_markdown(describe(offer))
    formula = f"```\n{record['formula']}\n```\n" if "formula" in record else ""
    facts = "".join(
        f"- {key}: {value}\n"
        for key, value in record.items()
        if value and key not in (*NO_FACTS, "formula", "label", "package")
    )
    options = [
        (code(option.name), *map(Markdown, (option.values, option.default, option.meaning)))
        for option in options_of(offer)
    ]
    table = Table(("option", "values", "default", "meaning"), options).to("md") if options else ""
    meaning = f"{record['meaning']}\n" if record["meaning"] else ""
    return "\n".join(filter(None, [f"## {title}\n", meaning, formula, facts, table]))


def _in_markdown(record: dict[str, str]) -> dict[str, str]:
    """Show the command that installs what a component needs as code."""
    return {**record, "install": code(record["install"])} if record.get("install") else record


if __name__ == "__main__":
    main()
