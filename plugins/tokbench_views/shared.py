"""Choose the systems, metrics and rows that sections show; lay systems out side by side."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from tokbench.api import Size, UsageError
from tokbench.printing import Table, called, hint, integer
from tokbench.run_folder import (
    CorpusRecord,
    CoverageRow,
    OutcomeRecord,
    Row,
    Run,
    UnseenRow,
    size_number,
    size_order,
)

R = TypeVar("R", Row, CoverageRow)
K = TypeVar("K")
S = TypeVar("S")

KINDS = {
    "new-character": "words with a character that the training text lacks",
    "punctuation": "known words with punctuation",
    "case": "known words in other capitals",
    "another-form": "known words in another Unicode form",
    "number": "numbers",
    "joined": "two known words joined",
    "affix": "known words plus an ending or prefix",
    "other": "other words",
}
"""What each kind of unseen words is called."""
GUESSED = ("joined", "affix")
"""Kinds that a word has by its look: *victim* is not *vic* and *tim*."""

MAIN_METRICS = (
    "fertility", "kept-whole-running", "oov-words-running", "unknown-characters", "round-trip",
    "single-characters", "boundary-kappa", "boundary-f1-micro", "tokens", "bytes-per-token",
    "vocabulary-use", "renyi-efficiency-declared", "bits-per-byte", "bits-per-byte-witten-bell",
    "escaped-bytes", "parity", "kept-whole-distinct", "oov-words-distinct",
    "token-edit-distance", "boundary-flips", "fertility-change", "lost-whole",
    "new-unknown-characters",
)  # fmt: skip
"""The metrics that views show where a config lists none, the most used ones first."""

VOCABULARY_SIZE = "vocabulary size"
TOKENS_UNSEEN = "tokens per unseen word"

MOST_SYSTEMS = 12
"""Of how many systems the report shows more than one table."""

GATED = "†"
"""Marks a length or compression of text of which too much is unknown or lost."""
GATED_MEANS = "more than {gate} of the words lost (unknown or changed): not compared"

ENDS_LOST = "‡"
"""Marks a length or compression of tokens that do not tell where words begin or end."""
ENDS_LOST_MEANS = "word ends lost: compare these lengths with each other only"

TRAP = "⚠"
TRAPS = {
    "wordpiece": "merges by likelihood, as in papers; people use hf-wordpiece",
}
"""Learners whose name promises another thing to many."""


def trapped(run: Run) -> dict[str, str]:
    """Return by system with such a learner the name of the learner and what it really does."""
    traps = ((s.name, s.learner) for s in run.record.systems if s.learner in TRAPS)
    return {name: f"{learner} {TRAPS[learner]}" for name, learner in traps}


def signs(run: Run, row: Row) -> str:
    """Return the signs that stand behind the value of a row, if it is a length or compression."""
    lost = row.metric in run.record.lengths and run.loses_word_ends(row)
    return GATED * bool(row.gated) + ENDS_LOST * lost


def whole_text(run: Run) -> Run:
    """Return a run without what was learned from a share of the training text."""
    return replace(run, rows=tuple(row for row in run.rows if row.training_share == 1))


def first_test(run: Run, kind: str) -> CorpusRecord | None:
    """Return the first test corpus of a kind (`text`, `list`, `gold` or `pairs`), if any."""
    return next((test for test in run.record.tests if test.kind == kind), None)


def largest(run: Run) -> list[OutcomeRecord]:
    """Return each system's outcome with the largest vocabulary asked for, in config order.

    Isolated outcomes of a system that is also cut in context are left out.
    """
    own = (outcome for outcome in run.record.outcomes if not outcome.isolated_copy)
    by_system = groupby(own, key=lambda outcome: outcome.system)
    return [max(outcomes, key=lambda o: size_number(o.size)) for _, outcomes in by_system]


def first_of_learners(run: Run, most: int = MOST_SYSTEMS) -> list[OutcomeRecord]:
    """Return the largest outcome of each system; of many the first of each learner.

    The baseline is chosen before others of its learner.
    """
    outcomes = largest(run)
    if len(outcomes) <= most:
        return outcomes
    learners = {system.name: system.learner for system in run.record.systems}
    chosen: dict[str, OutcomeRecord] = {}
    for outcome in sorted(outcomes, key=lambda o: o.system != run.record.baseline):
        chosen.setdefault(learners[outcome.system], outcome)
    return [*chosen.values()][:most]


def at_common_size(run: Run, size: str) -> dict[str, OutcomeRecord]:
    """Return by system its outcome at a size, or its largest where it has not that size."""
    at = {outcome.system: outcome for outcome in largest(run)}
    return at | {o.system: o for o in run.record.outcomes if size and o.size == size}


def rows_of(
    outcomes: Iterable[OutcomeRecord], rows: Iterable[R], key: Callable[[R], K]
) -> dict[tuple[str, K], R]:
    """Return the rows of some outcomes, by the label of the outcome and a key.

    Of a system that is cut both in context and alone the first row counts, which is its own.
    """
    labels = {(outcome.system, outcome.size): outcome.label for outcome in outcomes}
    chosen: dict[tuple[str, K], R] = {}
    for row in rows:
        label = labels.get((row.system, row.size))
        if label is not None:
            chosen.setdefault((label, key(row)), row)
    return chosen


def parity_metric(run: Run) -> tuple[str, str]:
    """Return the name of the first parity metric and its reference; empty without one."""
    names = called("parity", [metric.name for metric in run.record.metrics])
    metrics = run.record.resolved.get("metrics", ())
    references = [metric["reference"] for metric in metrics if metric["use"] == "parity"]
    return (names[0], references[0]) if names else ("", "")


def common_size(run: Run) -> str:
    """Return the largest size that half as many systems have as any, or more; empty without."""
    systems: dict[str, set[str]] = {}
    for outcome in run.record.outcomes:
        if outcome.size:
            systems.setdefault(outcome.size, set()).add(outcome.system)
    # By half as many: three systems that stop at 500 would else hide what 4,000 shows.
    most = max(map(len, systems.values()), default=0)
    shared = [size for size, names in systems.items() if 2 * len(names) >= most]
    return max(shared, key=size_number, default="")


def size_in_words(size: str) -> str:
    """Say a size as a config asks for it: `vocabulary size 8,000`, or `3,300 merges`."""
    asked = Size.parse(size)
    if asked.total is None:
        return f"{integer(asked.number)} merges"
    return f"{VOCABULARY_SIZE} {integer(asked.total)}"


def size_but_for(size: str, others: Iterable[OutcomeRecord]) -> str:
    """Say a size, and in brackets the vocabulary sizes of others: `... 8,000 (gpt2 50,256)`."""
    exceptions = ", ".join(f"{o.system} {integer(o.vocabulary_size)}" for o in others)
    asked = size_in_words(size)
    unit = "" if asked.startswith(VOCABULARY_SIZE) else f"{VOCABULARY_SIZE}: "
    return f"{asked} ({unit}{exceptions})" if exceptions else asked


def agreeing(lines: Iterable[tuple[str, S]]) -> list[tuple[str, S]]:
    """Return names with what is shown of them; those that agree share a line, as `a, b`."""
    names_of: dict[S, list[str]] = {}
    for name, shown in lines:
        names_of.setdefault(shown, []).append(name)
    return [(", ".join(names), shown) for shown, names in names_of.items()]


def system_table(
    systems: Iterable[str],
    columns: Mapping[str, str],
    cells: Mapping[tuple[str, str], str],
    right: int | None = 1,
) -> str:
    """Return a Markdown table of systems and columns, which have titles, with `cells` by both.

    Systems that agree share a row. A cell that is not there is empty.
    """
    lines = ((of, tuple(cells.get((of, column), "") for column in columns)) for of in systems)
    rows = [(joined, *line) for joined, line in agreeing(lines)]
    return Table(("system", *columns.values()), rows, right).to("md")


def by_size(
    run: Run, rows: Iterable[R], show: Callable[[R], str]
) -> tuple[list[str], dict[str, str], dict[tuple[str, str], str]]:
    """Return the parts of a table of systems and sizes, as `system_table` takes them.

    A system that is cut both in context and alone has two names there. If rows share a cell, the
    first is shown, which is the system's own.
    """
    copies = {(o.system, o.size): o.name for o in run.record.outcomes if o.isolated_copy}
    texts = {test.name for test in run.record.tests if test.kind == "text"}
    cells: dict[tuple[str, str], str] = {}
    for row in rows:
        alone = row.context == "isolated" and row.corpus in texts
        name = copies.get((row.system, row.size), row.system) if alone else row.system
        cells.setdefault((name, row.size), show(row))
    isolated = {system: name for (system, _), name in copies.items()}
    both = ((system.name, isolated.get(system.name)) for system in run.record.systems)
    sizes = sorted({outcome.size for outcome in run.record.outcomes}, key=size_order)
    titles = {size: size or "one size only" for size in sizes}
    return [name for names in both for name in names if name], titles, cells


def unlike_training(run: Run, unseen: UnseenRow) -> float | None:
    """Return the unseen share between parts of the training text, if a text surely has more."""
    (training,) = (corpus for corpus in run.record.corpora if corpus.kind == "training")
    between, low = training.between_parts, unseen.low
    return between if between is not None and low is not None and low > between else None


def checked_name(kind: str, name: str, names: Sequence[str]) -> str:
    """Return a name that an option gives; that of a metric may lack its options.

    Raises UsageError for one that there is not, naming the nearest, or that several metrics have.
    """
    meant = called(name, names) if kind == "metric" else [name] * (name in names)
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise UsageError(
            f"--{kind}: {name!r} is several {kind}s here, name one: {', '.join(meant)}"
        )
    raise UsageError(f"--{kind}: the run has no {kind} {name!r}; {hint(name, filter(None, names))}")


def listed_metrics(run: Run) -> list[str]:
    """Return the metrics that the config lists, of those that were measured; else none."""
    measured = {row.metric for row in run.rows}
    return [m.name for m in run.record.metrics if m.listed and m.name in measured]


def main_metrics(run: Run, most: int | None = None) -> list[str]:
    """Return the metrics to show: those that the config lists, and the main ones.

    A config that lists no metric shows the main ones, or all if none of these was measured; `most`
    limits how many.
    """
    measured = {row.metric for row in run.rows}
    main = [name for name in MAIN_METRICS if name in measured]
    if listed := listed_metrics(run):
        return list(dict.fromkeys([*listed, *main]))
    return (main or [m.name for m in run.record.metrics if m.name in measured])[:most]


def headline_metrics(wanted: Sequence[str], measured: Iterable[str]) -> list[str]:
    """Return the wanted metrics that were measured; where none was, the first ones that were."""
    names = list(measured)
    return [name for name in wanted if name in names] or names[: len(wanted)]
