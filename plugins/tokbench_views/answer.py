"""The answer: at most ten facts, each with its scope and the file that its numbers are from.

`docs/answer.md` has the rules. No fact names a winner.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, takewhile
from typing import NamedTuple

from tokbench.api import Size
from tokbench.printing import NARROW, escaped, integer, number, percent, rounded
from tokbench.run_folder import (
    COMMON,
    ComparisonRow,
    CorpusRecord,
    Row,
    Run,
    Subset,
    SystemSize,
    UnseenRow,
    size_number,
)
from tokbench_views.shared import (
    GUESSED,
    KINDS,
    first_test,
    largest,
    rows_of,
    unlike_training,
)

ENOUGH = 0.01
"""A thousand more tokens that save a smaller share of the tokens are said to save little."""

THOUSAND = 1_000
MOST_NAMES = 4
UNTOLD = "cannot tell"
TITLE = """
## What this run shows

"""
CAVEAT = "Fewer tokens do not always make a better model."


@dataclass(frozen=True)
class Fact:
    """One fact of the answer; `file` has its numbers, `section` of the report more of it.

    `values` holds the numbers with all their digits. Shares are of 1.
    """

    topic: str
    text: str
    corpus: str = ""
    file: str = ""
    section: str = ""
    values: Mapping[str, str | float | None] = field(default_factory=dict)


def answer(run: Run) -> list[Fact]:
    """Return the facts of a run, in the order in which people need them."""
    return [fact for fact in _facts(run) if fact]


def answer_section(run: Run, report: str) -> str:
    """Write the answer as a section of a report, with links to its sections or to `metrics.md`."""
    lines = []
    for fact in answer(run):
        file = "" if f"# {fact.section}\n" in report else "metrics.md"
        # Code hosts link a title so.
        words = fact.section.lower().replace(" ", "-")
        anchor = "".join(char for char in words if char.isalnum() or char == "-")
        link = f" ([more]({file}#{anchor}))" if fact.section else ""
        lines.append(f"- {escaped(fact.text)}{link}\n")
    return f"{TITLE}{''.join(lines)}"


def _facts(run: Run) -> Iterator[Fact | None]:
    text, gold = first_test(run, "text"), first_test(run, "gold")
    if text:
        yield unseen(run, text)
    yield coverage(run)
    if text:
        yield fewest(run, text, "all")
        yield fewest(run, text, "unseen")
        yield enough(run, text)
    if gold:
        yield boundaries(run, gold)
    yield noise(run)
    yield scope(run)
    yield failed(run)
    yield Fact("caveat", CAVEAT)


def unseen(run: Run, test: CorpusRecord) -> Fact | None:
    """Say how much of a text is unseen and of which kinds, and whether that is unusual."""
    rows = {row.kind: row for row in run.unseen if row.corpus == test.name}
    every = rows.pop("all", None)
    if every is None:
        return None
    section = "Unseen, rare and special words"
    if not every.words_running:
        text = (
            f"All {integer(test.running)} running words of {test.name} occur in the training text."
        )
        return Fact("unseen", text, test.name, "unseen.csv", section, {"share": 0.0})
    share, expected = every.share_running, every.good_turing
    interval = _interval(every, 100)
    text = (
        f"{percent(share, 1)}{interval} of the {integer(test.running)} running words of "
        f"{test.name} do not occur in the training text"
    )
    if expected is not None:
        text += f" ({percent(expected, 1)} is expected from its rare words)"
    between = unlike_training(run, every)
    if between is not None:
        text += f", more than between tenths of the training text ({percent(between, 1)})"
    text += "."
    named = [row for kind, row in rows.items() if kind != "other" and row.words_running]
    most = sorted(named, key=lambda row: -row.words_running)[:2]
    of_unseen = {row.kind: row.words_running / every.words_running for row in most}
    if of_unseen:
        kinds = in_words(
            f"{percent(part, 1)} {'look like' if kind in GUESSED else 'are'} {KINDS[kind]}"
            for kind, part in of_unseen.items()
        )
        text += f" Of these, {kinds}."
    values = {
        "share": share, "low": every.low, "high": every.high, "expected": expected,
        "between": between,
    }  # fmt: skip
    return Fact("unseen", text, test.name, "unseen.csv", section, {**values, **of_unseen})


def coverage(run: Run) -> Fact | None:
    """Say whether anything is unknown or lossy in texts, and where."""
    texts = {test.name for test in run.record.tests if test.kind == "text"}
    rows = (row for row in run.coverage if row.corpus in texts or not texts)
    gated: dict[str, list[str]] = {}
    missing: dict[tuple[str, str], float] = {}
    corpora: dict[str, None] = {}
    for (label, corpus), row in rows_of(largest(run), rows, lambda row: row.corpus).items():
        corpora[corpus] = None
        if row.gated:
            gated.setdefault(corpus, []).append(label)
        else:
            missing[label, corpus] = max(row.oov, row.lossy)
    if not corpora:
        return None
    worst = max(missing.values(), default=0.0)
    at = dict.fromkeys(label for (label, _), share in missing.items() if share == worst)
    names_at = "" if all(label in at for label, _ in missing) else f" ({_some(at)})"
    if gated:
        text = (
            f"More than {percent(run.record.gate)} of the words are unknown or lossy on "
            f"{_places(gated)}: these lengths are not compared."
        )
        if worst:
            text += f" Elsewhere it is at most {percent(worst, 1)}{names_at}."
        elif missing:
            text += " Elsewhere every word is known and comes back."
    elif worst:
        share = percent(worst, 1)
        text = (
            f"At most {share} of the words of {in_words(corpora)} are unknown or lossy{names_at}."
        )
    else:
        text = f"All systems know every word of {in_words(corpora)} and give it back from its ids."
    section = "Coverage: is anything unknown or lossy?"
    return Fact("coverage", text, "", "coverage.csv", section, {"worst-not-gated": worst})


def _places(systems: Mapping[str, Sequence[str]]) -> str:
    """List corpora with their systems; those with the same systems together."""
    corpora: dict[tuple[str, ...], list[str]] = {}
    for corpus, labels in systems.items():
        corpora.setdefault(tuple(labels), []).append(corpus)
    return "; ".join(f"{_some(names)} for {_some(labels)}" for labels, names in corpora.items())


def fewest(run: Run, test: CorpusRecord, subset: str) -> Fact | None:
    """Say which systems need the fewest tokens at the largest common size, and by how much."""
    ranking = _compared(run, test, "fertility", subset)
    if ranking is None:
        return None
    best, at = ranking.best[0], ranking.at
    names = _some(row.system for row in ranking.best)
    where = f"{'unseen words of ' * (subset == 'unseen')}{test.name}"
    length = number(best.value)
    if not ranking.is_group:
        text = f"{at}, {best.system} needs the fewest tokens on {where} ({length} a word), but "
        text += f"this run cannot tell it from {_some(row.system for row in ranking.best[1:])}"
    elif ranking.next is None:
        longest = number(ranking.best[-1].value)
        text = f"{at}, this run cannot tell {names} apart by tokens on {where}"
        text += f" ({length} to {longest} a word)"
    elif len(ranking.best) > 1:
        text = f"{at}, {names} need the fewest tokens on {where} ({length} a word and up)"
        text += ", and this run cannot tell them apart"
    else:
        text = f"{at}, {names} needs the fewest tokens on {where} ({length} a word)"
    values: dict[str, str | float | None] = {"tokens-a-word": best.value}
    if ranking.next is not None:
        row, pair = ranking.next
        more, low, high = (value / (best.value or 1) for value in _from(pair, row))
        details = [_range(low, high, pair, 100), *_samples(best, row), *_samples(row, best)]
        than = "" if ranking.is_group else f" than {best.system}"
        text += f"; {row.system} needs {percent(more, 1)} more{than} ({'; '.join(details)})"
        values |= {"next-more": more, "low": low, "high": high}
    topic = "fewest-tokens" if subset == "all" else "fewest-tokens-unseen"
    return Fact(topic, f"{text}.", test.name, "comparisons.csv", "fertility", values)


def _samples(row: Row, baseline: Row) -> Iterator[str]:
    """Say how many training samples agree on a difference, where it is from the row's baseline."""
    if row.baseline == baseline.system and row.training_agree is not None:
        agree = round(row.training_agree * (row.training_samples or 0))
        yield f"{agree} of {row.training_samples} training samples agree"


def boundaries(run: Run, test: CorpusRecord) -> Fact | None:
    """Say which systems agree most with gold boundaries at the largest common size."""
    ranking = _compared(run, test, "boundary-kappa", "all")
    if ranking is None:
        return None
    best, at, gold = ranking.best[0], ranking.at, f"the gold boundaries of {test.name}"
    names = _some(row.system for row in ranking.best)
    if not ranking.is_group:
        text = f"{at}, {best.system} agrees most with {gold}, but this run cannot tell it from "
        text += _some(row.system for row in ranking.best[1:])
    elif ranking.next is None:
        text = f"{at}, this run cannot tell {names} apart by {gold}"
    elif len(ranking.best) > 1:
        text = f"{at}, {names} agree most with {gold}, and this run cannot tell them apart"
    else:
        text = f"{at}, {names} agrees most with {gold}"
    text += f": kappa {number(best.value)}{_interval(best)}, 0 by chance"
    values: dict[str, str | float | None] = {
        "kappa": best.value, "low": best.low, "high": best.high
    }  # fmt: skip
    if ranking.next is not None:
        row, _ = ranking.next
        text += f"; {row.system} follows with {number(row.value)}"
        values["next-kappa"] = row.value
    return Fact("gold", f"{text}.", test.name, "comparisons.csv", "boundary-kappa", values)


@dataclass(frozen=True)
class _Ranking:
    """The best system at a size, those that cannot be told from it, and the first that can.

    The `best` are a group if no two of them can be told apart, and no other system is between them.
    """

    at: str
    best: Sequence[Row]
    is_group: bool
    next: tuple[Row, ComparisonRow] | None


def _compared(run: Run, test: CorpusRecord, metric: str, subset: str) -> _Ranking | None:
    """Compare systems at the largest size that half as many have as any, or more.

    By length, those whose word ends are lost are compared only where no others can be.
    """
    chosen = [
        pair
        for pair in run.comparisons
        if (pair.metric, pair.corpus, pair.subset) == (metric, test.name, subset)
    ]
    by_length = metric in run.record.lengths
    lost = by_length and all(map(run.loses_word_ends, chosen))
    pairs: dict[tuple[str, str], dict[frozenset[str], ComparisonRow]] = {}
    for pair in chosen:
        if lost or not by_length or not run.loses_word_ends(pair):
            by_systems = pairs.setdefault((pair.context, pair.size), {})
            by_systems[frozenset((pair.system, pair.other))] = pair
    if not pairs:
        return None
    systems = {place: frozenset().union(*by_systems) for place, by_systems in pairs.items()}
    most = max(map(len, systems.values()))
    enough = [place for place in pairs if 2 * len(systems[place]) >= most]
    place = max(enough, key=lambda place: (size_number(place[1]), len(systems[place])))
    wanted = (metric, subset, test.name, *place, 1)
    rows = [
        row
        for row in run.rows
        if (row.metric, row.subset, row.corpus, row.context, row.size, row.training_share) == wanted
        and row.system in systems[place]
        and row.value is not None
    ]
    sign = -1 if run.record.better[metric] == "higher" else 1
    first, *others = sorted(rows, key=lambda row: sign * (row.value or 0))
    by_systems = pairs[place]
    verdicts = [(row, by_systems[frozenset((first.system, row.system))]) for row in others]
    best = [first, *(row for row, pair in verdicts if pair.verdict == UNTOLD)]
    apart = [(row, pair) for row, pair in verdicts if pair.verdict != UNTOLD]
    untold = all(
        by_systems[frozenset((one.system, other.system))].verdict == UNTOLD
        for one, other in combinations(best, 2)
    )
    at = f"At {_size(place[1])}" if place[1] else "At their own sizes"
    at += ", with word ends lost" * lost
    is_group = untold and best == [first, *others][: len(best)]
    return _Ranking(at, best, is_group, apart[0] if apart else None)


def _from(pair: ComparisonRow, row: Row) -> tuple[float, float, float]:
    """Return by how much a system's value is above the other's, and the interval of that."""
    if pair.system == row.system:
        return pair.difference, pair.low, pair.high
    return -pair.difference, -pair.high, -pair.low


def enough(run: Run, test: CorpusRecord) -> Fact | None:
    """Say from which size on a thousand more tokens save little, for the baseline or the first."""
    rows = [
        row
        for row in run.rows
        if (row.metric, row.corpus, row.subset) == ("fertility", test.name, "all")
        and (row.training_share, row.gated) == (1, "")
        and row.size
    ]
    by_system = ((name, _savings(run, test, name, rows)) for name in _baseline_first(run))
    system, savings = next(((name, saved) for name, saved in by_system if saved), ("", []))
    if not savings:
        return None
    last = max(saving.to for saving in savings)
    final = savings[-1].share
    tokens = f"of its tokens on {test.name}"
    if final >= ENOUGH:
        since = None
        text = (
            f"At the largest sizes tried ({integer(savings[-1].since)} to {integer(last)}), a "
            f"vocabulary larger by 1,000 still saves {system} {percent(final, 1)} {tokens}."
        )
    else:
        small = takewhile(lambda saving: saving.share < ENOUGH, reversed(savings))
        since = [*small][-1].since
        text = (
            f"From {integer(since)} on, a vocabulary larger by 1,000 saves {system} less than "
            f"{percent(ENOUGH)} {tokens}; sizes above {integer(last)} were not tried."
        )
    values = {"system": system, "from": since, "largest": last, "last-saving": final}
    file = "results.csv" if run.curves is None else "curves.csv"
    return Fact("size", text, test.name, file, "Which size is enough?", values)


def _baseline_first(run: Run) -> list[str]:
    """Return the names of the systems, the baseline before all others."""
    names = [system.name for system in run.record.systems]
    return sorted(names, key=lambda name: name != run.record.baseline)


class _Saving(NamedTuple):
    """The share of a text's tokens that a thousand more tokens of the vocabulary save."""

    since: int
    to: int
    share: float


def _savings(run: Run, test: CorpusRecord, system: str, rows: Sequence[Row]) -> list[_Saving]:
    """Return what sizes save, the smallest first: at every size of a curve, or of listed sizes.

    A listed size is compared with the first one that has a thousand tokens more, or yet more.
    Sizes at which too much is unknown or lossy are left out.
    """
    # Of what is cut both in context and alone the first rows count, the system's own.
    own = {row.vocabulary_size: row.value for row in reversed(rows) if row.system == system}
    listed = {size: value for size, value in own.items() if size and value}
    names = system, test.name, "all", "fertility"
    curve = next((curve for curve in run.curves or () if curve.names == names), None)
    value: Callable[[int], float]
    if listed and curve is not None and not curve.unit:
        last = int(curve.sizes[-1])
        steps = curve.sizes.tolist()
        begins = sorted({*steps, *(step - THOUSAND for step in steps)})
        pairs = [(n, n + THOUSAND) for n in begins if min(listed) <= n <= last - THOUSAND]
        value = curve.at
    else:
        sizes = sorted(listed)
        ends = [next((n for n in sizes if n >= size + THOUSAND), None) for size in sizes]
        pairs = [(size, end) for size, end in zip(sizes, ends, strict=True) if end]
        value = listed.__getitem__
    return [
        _Saving(since, to, (1 - value(to) / value(since)) * THOUSAND / (to - since))
        for since, to in pairs
    ]


def noise(run: Run) -> Fact | None:
    """Say which kind of changed words costs most, on the words that all kinds change.

    It costs most if its interval lies above those of all others.
    """
    sizes = {outcome.system: outcome.size for outcome in largest(run)}
    rows = [
        row
        for row in reversed(run.rows)
        if row.metric == "fertility-change"
        and (row.training_share, row.gated) == (1, "")
        and row.size == sizes.get(row.system)
        and row.value is not None
    ]

    def kinds_of(system: str) -> list[Row]:
        own = [row for row in rows if row.system == system]
        common = [row for row in own if Subset.parse(row.subset).family == COMMON]
        return common or [row for row in own if row.subset != "all"]

    kinds = next(filter(None, map(kinds_of, _baseline_first(run))), [])
    if not kinds:
        return None
    worst = max(kinds, key=lambda row: row.value or 0)
    kind = Subset.parse(worst.subset).name
    others = [row for row in kinds if row is not worst and not _is_above(worst, row)]
    if others:
        names = _some(Subset.parse(row.subset).name for row in others)
        text = f"Of {len(kinds)} kinds of noise, this run cannot tell {kind} from {names}"
    else:
        text = f"Of {len(kinds)} kinds of noise {kind} costs most" if kinds[1:] else "Under noise"
    label = SystemSize(worst.system, worst.size)
    text += f": {label} needs {number(worst.value)} times as many tokens"
    text += f"{_interval(worst)} for the changed words of {worst.corpus}"
    text += f" under {kind}" * bool(others)
    if kind != worst.corpus and len(kinds) == 1:
        text += f" ({kind})"
    values = {"kind": kind, "times": worst.value, "low": worst.low, "high": worst.high}
    return Fact("noise", f"{text}.", worst.corpus, "results.csv", "Under noise", values)


def _is_above(row: Row, other: Row) -> bool:
    """Return whether a value's interval lies above that of another."""
    return row.low is not None and other.high is not None and row.low > other.high


def scope(run: Run) -> Fact | None:
    """Say what cannot be compared: systems that learned elsewhere, sizes, contexts."""
    parts = []
    ready = [system.name for system in run.record.systems if system.reads == "nothing"]
    if len(ready) == len(run.record.systems):
        sizes = [outcome.vocabulary_size for outcome in run.record.outcomes]
        if len({*sizes}) > 1:
            parts.append(
                "all systems learned elsewhere, and their vocabularies hold from "
                f"{integer(min(sizes))} to {integer(max(sizes))} tokens"
            )
    elif ready:
        parts.append(f"learned elsewhere, and compared as found: {_some(ready)}")
    asked = {row.size for row in run.rows if row.size and row.metric}
    if len(asked) == 1:
        parts.append(f"no size but {_size(*asked)} was tried")
    contexts = {outcome.context for outcome in run.record.outcomes if not outcome.isolated_copy}
    if len(contexts) > 1:
        parts.append("systems that cut whole lines are not compared with those that cut words")
    scored = {row.system for row in run.rows if row.metric}
    ends_lost = {o.system: o.loses_word_ends() for o in largest(run) if o.system in scored}
    if len({*ends_lost.values()}) > 1:
        names = [system for system, is_lost in ends_lost.items() if is_lost]
        others = "are compared by length with each other only"
        others = others if names[1:] else "is compared by length with no other system"
        parts.append(f"word ends lost: {_some(names)} {others}")
    left = dict.fromkeys(row.system for row in run.rows if row.is_left_out)
    if left:
        parts.append(f"a size was not reached by {_some(left)}")
    if not parts:
        return None
    text = "; ".join(parts)
    return Fact("scope", f"{text[0].upper()}{text[1:]}.", file="results.csv")


def failed(run: Run) -> Fact | None:
    """Say that something failed, so that what it would have shown is missing."""
    count = len(run.record.failures)
    if not count:
        return None
    if not run.coverage:
        return Fact("failures", "Nothing was scored: every system failed.", file="run.json")
    parts = "one part" if count == 1 else f"{count} parts"
    text = f"{parts} of this run failed; what would stand there is missing.".capitalize()
    return Fact("failures", text, file="run.json")


def _size(size: str) -> str:
    total = Size.parse(size).total
    return size if total is None else integer(total)


def in_words(names: Iterable[str]) -> str:
    """List names as a sentence does.

    >>> in_words(["a"]), in_words(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _some(names: Iterable[str]) -> str:
    """List names as a sentence does; of many the first ones and how many more there are."""
    every = [*names]
    if len(every) <= MOST_NAMES:
        return in_words(every)
    return f"{', '.join(every[: MOST_NAMES - 1])} and {len(every) - MOST_NAMES + 1} more"


def _interval(row: Row | UnseenRow, scale: int = 1) -> str:
    """Spell an interval in brackets, nothing where there is none; in percent at scale 100."""
    if row.low is None or row.high is None:
        return ""
    return f" ({_range(row.low, row.high, row, scale)})"


def _range(low: float, high: float, row: Row | UnseenRow | ComparisonRow, scale: int = 1) -> str:
    ends = (number(end) if scale == 1 else rounded(scale * end, 1) for end in (low, high))
    return " to ".join(ends) + NARROW * bool(row.short_text)
