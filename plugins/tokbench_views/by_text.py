"""Each test text beside the others: what a word and a byte of it cost, and how even that is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokbench.printing import Table, escaped, integer, number, percent
from tokbench.run_folder import OutcomeRecord, Row, Run, columns, records
from tokbench_views.shared import (
    ENDS_LOST,
    GATED,
    VOCABULARY_SIZE,
    at_common_size,
    common_size,
    first_of_learners,
    parity_metric,
    rows_of,
    size_but_for,
)

BY_TEXT = """
## By text

{at}. *Tokens per byte* are of the UTF-8 bytes of words, so that languages compare.{parity}

"""
PARITY = (
    " *Parity*: how many times the tokens of *{reference}* a translation takes; only texts whose"
    " lines say the same have it. *Gini coefficient*: how unevenly these texts pay, 0 if all take"
    " the same number of tokens (Foroutan et al. 2025); empty where a text has the sign {gated}."
)
IN_A_MODEL = (
    "A model {width} wide, with {tied} input and output embeddings{context}. Parameters are those"
    " of the vocabulary alone{words}."
)
NOTHING = "The run has fewer than two test texts, and its config names no `model`.\n"
MEASURES = {
    "tokens_per_word": "tokens per word",
    "tokens_per_byte": "tokens per byte",
    "cannot_write": "words it cannot write",
    "parity": "parity",
}
MOST_TEXTS = 4
"""The texts whose words the table of sizes counts."""

ModelKeys = Mapping[str, Any] | None
"""The key `model` of a config."""


@dataclass(frozen=True)
class TextNumbers:
    """What a system spends on one text; None where it is undefined, or was not measured.

    `cannot_write` is a share of running words, `parity` in tokens of the reference text, and `gini`
    the same for all texts of a system and size, None if one of them is gated. In the model of the
    config, `parameters` are those of the vocabulary and `words_in_context` the running words that
    fit into its context. Lengths that are `gated`, or that lose word ends, do not compare with
    others.
    """

    system: str
    size: str
    vocabulary_size: int
    corpus: str
    gated: bool
    loses_word_ends: bool
    tokens_per_word: float | None
    tokens_per_byte: float | None
    cannot_write: float
    parity: float | None
    gini: float | None
    parameters: int | None
    words_in_context: float | None

    def shown(self, measure: str) -> str:
        """Spell a value for people, with the signs of lengths; nothing where there is none."""
        value = getattr(self, measure)
        if value is None:
            return ""
        if measure == "cannot_write":
            return percent(value, 2)
        # Parity compares the texts of one system, which lose the same.
        marks = GATED * self.gated + ENDS_LOST * (self.loses_word_ends and measure != "parity")
        return (f"{value:,.0f}" if measure == "words_in_context" else number(value)) + marks


def gini(values: Sequence[float]) -> float | None:
    """Return the Gini coefficient: the mean difference of two values by twice their mean.

    None for fewer than two values.

    >>> gini([1, 1, 1]), gini([1, 3])
    (0.0, 0.25)
    """
    if len(values) < 2:
        return None
    costs = np.asarray(values, dtype=np.float64)
    return float(np.abs(costs[:, None] - costs).mean() / (2 * costs.mean()))


def text_numbers(run: Run, outcomes: Sequence[OutcomeRecord]) -> list[TextNumbers]:
    """Return what each system spends on each test text, by system and then by text."""
    texts = {test.name: test for test in run.record.tests if test.kind == "text"}
    every = [row for row in run.rows if row.subset == "all" and row.training_share == 1]
    rows = rows_of(outcomes, every, lambda row: (row.metric, row.corpus))
    written = rows_of(outcomes, run.coverage, lambda row: row.corpus)
    parity, reference = parity_metric(run)
    model: ModelKeys = run.record.resolved.get("model")
    context = model["context"] if model else None
    # A config may leave the metric out; with `samples: none` the run has no words.
    word_bytes: dict[str, int] = {}
    numbers = []
    for outcome in outcomes:

        def row_of(metric: str, text: str, label: str = outcome.label) -> Row | None:
            return rows.get((label, (metric, text)))

        paid = {text: _value(row_of(parity, text)) for text in texts if parity}
        paid |= {reference: 1.0} if any(paid.values()) else {}
        parities = {text: times for text, times in paid.items() if times}
        covering = {text: written[outcome.label, text] for text in texts}
        uneven = None if any(covering[t].gated for t in parities) else gini([*parities.values()])
        for text, test in texts.items():
            a_line = covering[text].tokens_a_line  # all tokens, of spaces too
            a_word = (a_line or 0) * (test.lines or 0) / test.running
            tokens_per_word = _value(row_of("fertility", text))
            per_token = _value(row_of("bytes-per-token", text))
            if per_token is None and tokens_per_word and not run.is_without_text:
                if text not in word_bytes:
                    words = run.words(text)
                    word_bytes[text] = int(words.bytes @ words.count)
                per_token = word_bytes[text] / (tokens_per_word * test.running)
            numbers.append(
                TextNumbers(
                    system=outcome.system,
                    size=outcome.size,
                    vocabulary_size=outcome.vocabulary_size,
                    corpus=text,
                    gated=bool(covering[text].gated),
                    loses_word_ends=outcome.loses_word_ends(),
                    tokens_per_word=tokens_per_word,
                    tokens_per_byte=1 / per_token if per_token else None,
                    cannot_write=covering[text].oov,
                    parity=parities.get(text),
                    gini=uneven,
                    parameters=_parameters(model, outcome.vocabulary_size),
                    words_in_context=context / a_word if context and a_word else None,
                )
            )
    return numbers


def _value(row: Row | None) -> float | None:
    return None if row is None else row.value


def _parameters(model: ModelKeys, vocabulary_size: int) -> int | None:
    """Count the parameters of input and output embeddings."""
    if not model:
        return None
    return vocabulary_size * int(model["width"]) * (1 if model["tied"] else 2)


def by_text(run: Run) -> str:
    """Write the section on texts; nothing where there is one text only."""
    size = common_size(run)
    at = at_common_size(run, size)
    outcomes = [at[outcome.system] for outcome in first_of_learners(run)]
    numbers = text_numbers(run, outcomes)
    if len({row.corpus for row in numbers}) < 2:
        return ""
    parity, reference = parity_metric(run)
    text = BY_TEXT.format(
        at=escaped(f"At {size_but_for(size, [o for o in outcomes if o.size != size])}")
        if size
        else "Systems at their own sizes",
        parity=PARITY.format(reference=escaped(reference), gated=GATED) if parity else "",
    )
    return text + "\n".join(f"**{title}**\n\n{table.to('md')}" for title, table in _tables(numbers))


def _tables(numbers: Sequence[TextNumbers]) -> Iterator[tuple[str, Table]]:
    """Yield a table with a row for each text and a column for each system, for each measure."""
    ginis = {row.system: number(row.gini) for row in numbers}
    for measure, title in MEASURES.items():
        cells: dict[str, list[str]] = {}
        for row in numbers:
            cells.setdefault(row.corpus, []).append(row.shown(measure))
        rows = [(corpus, *of_systems) for corpus, of_systems in cells.items() if any(of_systems)]
        if rows and measure == "parity":
            rows.append(("Gini coefficient", *ginis.values()))
        if rows:
            yield title, Table(("text", *ginis), rows, right=1)


def in_a_model(run: Run) -> str:
    """Write what each size costs in the model of the config; nothing where it names none."""
    costs = model_costs(run)
    return f"\n## In a model\n\n{costs[0]}\n\n{costs[1].to('md')}" if costs else ""


def model_costs(run: Run) -> tuple[str, Table] | None:
    """Return a sentence about the model, and its table of sizes; None where there is none."""
    model: ModelKeys = run.record.resolved.get("model")
    outcomes = _own(run)
    if not model or not outcomes:
        return None
    by_size: dict[tuple[str, str], list[TextNumbers]] = {}
    for row in text_numbers(run, outcomes):
        by_size.setdefault((row.system, row.size), []).append(row)
    tests = [test.name for test in run.record.tests if test.kind == "text"]
    texts = tests[:MOST_TEXTS] if model["context"] else []
    rows = [
        (
            *(o.system, integer(o.vocabulary_size), integer(_parameters(model, o.vocabulary_size))),
            *(row.shown("words_in_context") for row in by_size.get((o.system, o.size), ())),
        )[: 3 + len(texts)]
        for o in outcomes
    ]
    titles = "system", VOCABULARY_SIZE, "parameters", *(f"words of {text}" for text in texts)
    about = IN_A_MODEL.format(
        width=integer(model["width"]),
        tied="the same" if model["tied"] else "separate",
        context=f" and a context of {integer(model['context'])} tokens" if texts else "",
        words="; words are how many of a text fit into the context" if texts else "",
    )
    if texts and (more := len(tests) - len(texts)):
        about += f" The other {more} texts: `tokbench show RUN texts --format csv`."
    return about, Table(titles, rows, right=1)


def _own(run: Run) -> list[OutcomeRecord]:
    return [outcome for outcome in run.record.outcomes if not outcome.isolated_copy]


def texts_view(run: Run, form: str) -> str:
    """Write both sections, or for programs the numbers of all texts and sizes."""
    if form == "md":
        return "\n".join(filter(None, (by_text(run), in_a_model(run)))) or NOTHING
    return Table.of(records(text_numbers(run, _own(run))), columns(TextNumbers)).to(form)
