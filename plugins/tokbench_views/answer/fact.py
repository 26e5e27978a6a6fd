"""The words that all sentences of the answer share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tokbench.api import Fact, Size
from tokbench.printing import NARROW, integer, number, rounded
from tokbench.recommend import ALL_TOKENS, LENGTH
from tokbench.run_folder import Row, Run, UnseenRow, placed
from tokbench_views.shared import largest

MOST_NAMES = 4
UNITS = {LENGTH: "per word", ALL_TOKENS: "per word, spaces included"}

Values = Mapping[str, str | float | None]


def plain(fact: Fact) -> dict[str, Any]:
    """Return a fact as data for programs, without its rank; the file is a path in the folder."""
    values = {name: value for name, value in vars(fact).items() if name != "rank"}
    return values | {"file": placed(fact.file) if fact.file else ""}


def in_words(names: Iterable[str], last_word: str = "and") -> str:
    """List names as a sentence does.

    >>> in_words(["a"]), in_words(["a", "b", "c"]), in_words(["a", "b"], "or")
    ('a', 'a, b and c', 'a or b')
    """
    *others, last = names
    return f"{', '.join(others)} {last_word} {last}" if others else last


def some_names(names: Iterable[str]) -> str:
    """List names as a sentence does; of many the first ones and how many more there are."""
    every = [*names]
    if len(every) <= MOST_NAMES:
        return in_words(every)
    return f"{', '.join(every[: MOST_NAMES - 1])} and {len(every) - MOST_NAMES + 1} more"


def verb(plural: str, names: Sequence[str]) -> str:
    """Return a verb as one name or several take it."""
    return plural if len(names) > 1 else f"{plural}s"


def these_texts(texts: Sequence[object]) -> str:
    """Return how a sentence speaks of one text or of several."""
    return "these texts" if len(texts) > 1 else "this text"


def size_with_unit(*sizes: str) -> str:
    """Spell sizes with their unit, once where all have the same: 500 and 2,000 tokens."""
    parsed = [Size.parse(size) for size in sizes]
    units = ["tokens" if size.learned is None else "merges" for size in parsed]
    numbers = [integer(size.number) for size in parsed]
    if len({*units}) == 1:
        return f"{in_words(numbers)} {units[0]}"
    return in_words(f"{n} {unit}" for n, unit in zip(numbers, units, strict=True))


def interval_of(row: Row | UnseenRow, scale: int = 1) -> str:
    """Spell an interval, in percent at scale 100; empty where there is none."""
    if row.low is None or row.high is None:
        return ""
    ends = (number(end) if scale == 1 else rounded(scale * end, 1) for end in (row.low, row.high))
    return " to ".join(ends) + NARROW * bool(row.short_text)


def vocabulary_sizes(run: Run) -> Mapping[str, int]:
    """Return the vocabulary size of each system at its largest."""
    return {outcome.system: outcome.vocabulary_size for outcome in largest(run)}


def values_by_corpus(
    run: Run, metric: str, system: str, size: str, context: str
) -> dict[str, float]:
    """Return the values of a system at one size by corpus, of those on whole training text."""
    return {
        row.corpus: row.value
        for row in run.by_metric.get(metric, ())
        if row.system == system and row.size == size and row.context == context
        and row.subset == "all" and row.training_share == 1 and row.value is not None
    }  # fmt: skip
