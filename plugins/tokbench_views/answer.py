"""The answer: what to take and why, then facts, each with the file that its numbers are from.

`docs/answer.md` has the rules. `tokbench.recommend` decides, this module says it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tokbench.api import Size
from tokbench.printing import NARROW, escaped, integer, number, percent, rounded
from tokbench.recommend import (
    LENGTH,
    OF_MERGED,
    RARE,
    Barred,
    Recommendation,
    barred_systems,
    by_gold,
    recommend,
)
from tokbench.run_folder import COMMON, CorpusRecord, Row, Run, Subset, SystemSize, UnseenRow
from tokbench_views.shared import (
    GUESSED,
    KINDS,
    common_size,
    first_test,
    largest,
    rows_of,
    unlike_training,
)

MOST_NAMES = 4
TITLE = """
## What to take

"""
FACTS = """
## What this run shows

"""
CAVEAT = "Fewer tokens are no proof of a better model: see docs/which-metric.md."
BYTE_LEVEL = "add one that writes every byte, such as {use: byte-bpe, read: lines}"

LINES_BACK = "round-trip-text"
UNITS = {LENGTH: "per word", OF_MERGED: "bytes per token"}

Values = Mapping[str, str | float | None]


@dataclass(frozen=True)
class Fact:
    """One sentence or two of the answer; `file` has its numbers, `section` of the report more.

    `part` is where it stands: in the recommendation, or among the facts below it. Of facts that do
    not fit, those of the highest `rank` are left out; those of rank 0 never. `values` holds the
    numbers with all their digits. Shares are of 1.
    """

    topic: str
    text: str
    corpus: str = ""
    file: str = ""
    section: str = ""
    values: Values = field(default_factory=dict)
    part: Literal["recommendation", "facts"] = "facts"
    rank: int = 0

    @property
    def plain(self) -> dict[str, Any]:
        """The fact as data for programs, without its rank."""
        return {name: value for name, value in vars(self).items() if name != "rank"}


def answer(run: Run) -> list[Fact]:
    """Return the recommendation, then the facts, in the order in which people need them."""
    return [*_recommendation(run), *filter(None, _facts(run))]


def answer_section(run: Run, report: str) -> str:
    """Write the answer as a section of a report, with links to its sections or to `metrics.md`."""
    facts = answer(run)
    text = TITLE
    for i, fact in enumerate(facts):
        if fact.part == "facts" and (not i or facts[i - 1].part != "facts"):
            text += FACTS
        file = "" if f"# {fact.section}\n" in report else "metrics.md"
        # Code hosts link a title so.
        words = fact.section.lower().replace(" ", "-")
        anchor = "".join(char for char in words if char.isalnum() or char == "-")
        link = f" ([more]({file}#{anchor}))" if fact.section else ""
        text += f"- {escaped(fact.text)}{link}\n"
    return text


def _recommendation(run: Run) -> Iterator[Fact]:
    """Say what to take, and what a reader must know before taking it."""
    recommended = recommend(run)
    barred = recommended.barred if recommended else barred_systems(run)
    facts = [_take(run, recommended) if recommended else _nobody(run, barred)]
    if recommended:
        facts.append(_size_reason(run, recommended))
    if text := first_test(run, "text"):
        facts.append(unseen(run, text, recommended))
    if recommended:
        facts += [
            _undecided(recommended),
            _changes(recommended),
            _barred(run, barred, recommended),
            _ready(run, recommended),
            _elsewhere(recommended),
            _rare(run, recommended),
        ]
    elif any(system.reason == "words" for system in barred):
        facts.append(_barred(run, barred, None))
    if run.coverage:
        facts.append(Fact("caveat", CAVEAT))
    for fact in filter(None, facts):
        yield Fact(**{**vars(fact), "part": "recommendation"})


def _nobody(run: Run, barred: Iterable[Barred]) -> Fact | None:
    """Say that no system can be recommended."""
    reasons = {system.reason: system for system in barred}
    if not run.coverage or not reasons:
        return None
    if "words" in reasons:
        text = f"No system tried can write this text with its word ends: {BYTE_LEVEL}."
    elif "size" in reasons:
        system = reasons["size"]
        text = f"No size was reached: this training text gives {system.system} only "
        text += f"{integer(system.tokens)} tokens. Ask for fewer."
    else:
        text = "No system tried tells where words end: add one with a mark, such as bpe."
    return Fact("recommendation", text, file="coverage.csv", values={"system": None, "size": None})


def _take(run: Run, recommended: Recommendation) -> Fact:
    """Say what to take, and by what."""
    names, size = recommended.take, recommended.chosen_size
    text = f"{('Take', 'Take either', 'Take any of')[min(len(names), 3) - 1]} {_some(names, 'or')}"
    if size:
        text += f" {_with(size)}"
    elif len(names) == 1:
        entries = {o.system: o.vocabulary_size for o in largest(run)}
        text += f" (its own {integer(entries[names[0]])} tokens)"
    text += f" for texts like {in_words(recommended.texts)}, by {_reason(run, recommended)}."
    values: Values = {"system": names[0], "size": size, "value": recommended.value}
    corpus = recommended.texts[0] if len(recommended.texts) == 1 else ""
    metric = recommended.ranking.metric
    return Fact("recommendation", text, corpus, "results.csv", metric, values)


def _reason(run: Run, recommended: Recommendation) -> str:
    """Say by which number a system is first, and by how much."""
    ranking, value = recommended.ranking, rounded(recommended.value, 2)
    several = len(recommended.texts) > 1
    if recommended.by == "morphemes":
        return f"agreement with its morphemes: kappa {value} (0 is chance)"
    if recommended.by == "model":
        reason = f"bits per byte: {value}"
    elif recommended.by == "parity":
        reason = "parity of its texts among those with few tokens"
    elif several:
        reason = f"number of tokens, on average over {len(recommended.texts)} texts"
    else:
        reason = f"number of tokens: {value} {UNITS[ranking.metric]}"
    rest = (o for o in ranking.others if o.system not in recommended.take)
    following = next((other for other in rest if other.size == ranking.size), None)
    if following and following.verdict in ("worse", "untested"):
        less = percent(following.excess / (1 + following.excess), 1)
        tested = "" if following.verdict == "worse" else " (not tested)"
        reason += f", {less} fewer than {following.system}{tested}"
    if several and ranking.others:
        reason += f"; most on {_worst_text(run, recommended)}"
    return reason


def _worst_text(run: Run, recommended: Recommendation) -> str:
    """Return the text on which the first needs most, beside the baseline or else the next."""
    ranking = recommended.ranking
    other = run.record.baseline if run.record.baseline != ranking.first else None
    other = other or ranking.others[0].system
    place = ranking.metric, "all", ranking.context, 1.0
    values = {
        (row.system, row.size, row.corpus): row.value or 0.0
        for row in run.rows
        if (row.metric, row.subset, row.context, row.training_share) == place
    }
    size = next((o.size for o in ranking.others if o.system == other), ranking.size)
    higher = ranking.metric == OF_MERGED

    def beside(corpus: str) -> float:
        value = values.get((ranking.first, size, corpus), 0)
        base = values.get((other, size, corpus), 0)
        return (base / value if higher else value / base) if value and base else 0.0

    return max(recommended.texts, key=beside)


def _with(size: str) -> str:
    parsed = Size.parse(size)
    unit = "tokens" if parsed.learned is None else "merges"
    return f"with {integer(parsed.number)} {unit}"


def _size_reason(run: Run, recommended: Recommendation) -> Fact | None:
    """Say why this size, or that none is enough."""
    size = recommended.size
    if size is None or size.saving is None:
        return None
    saved = percent(size.saving, 0 if size.saving >= 0.1 else 1)
    if size.is_enough:
        text = f"Doubling it to {integer(size.doubled)} would save {saved} more."
    elif size.most is not None:
        text = f"The last doubling saved {saved}, but this training text gives only "
        text += f"{integer(size.most)} tokens."
    else:
        unit, largest_tried = Size.parse(size.size).prefix, Size.parse(size.size).number
        tries = f"--size {','.join(f'{unit}{times * largest_tried}' for times in (2, 4))}"
        path = run.record.path or "CONFIG"
        text = f"The last doubling saved {saved}: tokbench run {path} {tries}"
    values: Values = {"saving": size.saving, "doubled": size.doubled}
    return Fact("size", text, file="results.csv", section="Which size is enough?", values=values)


def _undecided(recommended: Recommendation) -> Fact | None:
    """Name whom the test text cannot tell from the first."""
    undecided = [other.system for other in recommended.ranking.of("undecided")]
    if not undecided:
        return None
    first = recommended.take[0]
    text = f"This test text is too small to tell {_some(undecided)} from {first}."
    return Fact("undecided", text, file="comparisons.csv", rank=3)


def _changes(recommended: Recommendation) -> Fact | None:
    """Say at which sizes another system is ahead, and what is not compared."""
    sentences = []
    by_system: dict[str, list[str]] = {}
    for change in recommended.changes:
        by_system.setdefault(change.system, []).append(_size(change.size))
    for system, sizes in by_system.items():
        sentences.append(f"At {in_words(sizes)}, {system} is ahead.")
    if recommended.second is not None:
        system, size = recommended.second
        sentences.append(f"For {system} {_size(size.size)} would be the size.")
    if apart := recommended.ranking.apart:
        verb = "has" if len(apart) == 1 else "have"
        first = recommended.ranking.first
        sentences.append(f"{_some(apart)} {verb} no size in common with {first}: not compared.")
    return Fact("sizes", " ".join(sentences), file="results.csv", rank=4) if sentences else None


def _barred(run: Run, barred: Iterable[Barred], recommended: Recommendation | None) -> Fact | None:
    """Name the systems that are not recommended, with the reason."""
    unknown = [system for system in barred if system.reason == "words"]
    endless = [system.system for system in barred if system.reason == "word-ends"]
    unreached = [system.system for system in barred if system.reason == "size"]
    sentences = []
    if unknown:
        least = min(system.share or 0 for system in unknown)
        names = _some(system.system for system in unknown)
        share = percent(least, 0 if least > 0.1 else 1)
        at_least = "" if len(unknown) == 1 else "at least "
        sentences.append(f"{names} cannot write {at_least}{share} of the words.")
    if endless:
        verb = "does" if len(endless) == 1 else "do"
        names = f"{_some(endless)} {verb} not tell where words end"
        fewer = _fewer(run, endless, recommended)
        sentences.append(f"{names}{fewer}.")
    if unreached:
        sentences.append(f"{_some(unreached)} reached no size.")
    values: Values = {system.system: system.share for system in barred}
    if not sentences:
        return None
    section = "Coverage: is anything unknown or lossy?"
    text = " ".join(sentences)
    return Fact(
        "not-recommended", text, file="coverage.csv", section=section, values=values, rank=1
    )


def _fewer(run: Run, names: Iterable[str], recommended: Recommendation | None) -> str:
    """Say how many tokens fewer the shortest system without word ends needs, if any."""
    if recommended is None or recommended.ranking.metric != LENGTH or len(recommended.texts) > 1:
        return ""
    size = recommended.chosen_size
    place = LENGTH, recommended.texts[0], "all", size, recommended.ranking.context, 1.0
    values = {
        row.system: row.value
        for row in run.rows
        if row.value and place == (
            row.metric, row.corpus, row.subset, row.size, row.context, row.training_share
        )
    }  # fmt: skip
    base = values.get(recommended.take[0])
    shortest = min((name for name in names if name in values), key=values.__getitem__, default="")
    if not base or not shortest or values[shortest] >= base:
        return ""
    return f"; {shortest} needs {percent(1 - values[shortest] / base, 1)} fewer tokens"


def _ready(run: Run, recommended: Recommendation) -> Fact | None:
    """Name the first of the ready-made tokenizers."""
    ready = recommended.ready
    if ready is None:
        return None
    ranking = recommended.ranking
    entries = {o.system: o.vocabulary_size for o in largest(run)}
    own = entries[ready.first]
    chosen = recommended.size.vocabulary_size if recommended.size else entries[ranking.first]
    times = f", {number_of_times(own / chosen)} as many" if own >= 2 * chosen else ""
    value = f"{rounded(ready.value, 2)} {UNITS.get(ready.metric, ready.metric)}"
    text = f"Of ready-made tokenizers {ready.first} ({integer(own)} entries{times}) needs {value}"
    if ready.context != ranking.context:
        text += ", cut in another way and so not compared"
    values: Values = {"system": ready.first, "entries": own, "value": ready.value}
    text += "; it may have seen this text."
    return Fact("ready-made", text, file="results.csv", values=values)


def number_of_times(ratio: float) -> str:
    """Spell how many times as large something is."""
    return f"{rounded(ratio, 0)} times"


def _elsewhere(recommended: Recommendation) -> Fact | None:
    """Name the first system of each other context, with which the first is not compared."""
    how = {"in-context": "cut whole lines", "isolated": "cut words alone"}
    sentences = [
        f"Of systems that {how.get(ranking.context, ranking.context)}, not compared with the "
        f"others, {ranking.first} is first: {rounded(ranking.value, 2)}."
        for ranking in recommended.elsewhere
    ]
    return (
        Fact("other-context", " ".join(sentences), file="results.csv", rank=2)
        if sentences
        else None
    )


def _rare(run: Run, recommended: Recommendation) -> Fact | None:
    """Say how many learned tokens are rare in the training text at the chosen size."""
    if recommended.size is None:
        return None
    at = recommended.take[0], recommended.size.size
    share = next((row.rare for row in run.sizes if (row.system, row.size) == at), None)
    if not share:
        return None
    part = percent(share, 0 if share >= 0.1 else 1)
    text = (
        f"{part} of the tokens that {recommended.take[0]} learned occur fewer than {RARE} times in "
        "the training text."
    )
    return Fact("rare-tokens", text, file="sizes.csv", values={"share": share}, rank=5)


def unseen(run: Run, test: CorpusRecord, recommended: Recommendation | None) -> Fact | None:
    """Say how much of a text is unseen, whether that is unusual, and how finely it is split."""
    every = _unseen_row(run, test, "all")
    section = "Unseen, rare and special words"
    if every is None or not every.words_running:
        return None
    share, expected = every.share_running, every.good_turing
    if share < 0.4:
        text = f"1 in {integer(round(1 / share))} words of {test.name} never occurs"
    else:
        text = f"{rounded(100 * share, 0)} in 100 words of {test.name} never occur"
    details = [percent(share, 1)]
    if expected is not None:
        details.append(f"about {percent(expected, 1)} would be normal")
    between = unlike_training(run, every)
    if between is not None:
        details.append(f"between parts of the training text it is {percent(between, 1)}")
    text += f" in the training text ({'; '.join(details)})."
    splits = _splits(run, test, recommended) if recommended else {}
    if splits:
        name, *others = splits
        text += f" {name} splits them into {rounded(splits[name], 1)} tokens"
        text += f", {others[0]} into {rounded(splits[others[0]], 1)}." if others else "."
    values: Values = {
        "share": share, "low": every.low, "high": every.high, "expected": expected,
        "between": between, **splits,
    }  # fmt: skip
    return Fact("unseen", text, test.name, "unseen.csv", section, values)


def _unseen_row(run: Run, test: CorpusRecord, kind: str) -> UnseenRow | None:
    return next((r for r in run.unseen if (r.corpus, r.kind) == (test.name, kind)), None)


def _splits(run: Run, test: CorpusRecord, recommended: Recommendation) -> dict[str, float]:
    """Return the tokens per unseen word of the first system and of the next, at the chosen size."""
    ranking = recommended.ranking
    if ranking.metric != LENGTH:
        return {}
    size = recommended.chosen_size
    place = LENGTH, test.name, "unseen", size, ranking.context, 1.0
    values = {
        row.system: row.value
        for row in run.rows
        if row.value is not None and place == (
            row.metric, row.corpus, row.subset, row.size, row.context, row.training_share
        )
    }  # fmt: skip
    first = recommended.take[0]
    names = [first, *(o.system for o in ranking.others if o.system not in recommended.take)]
    return {name: values[name] for name in names if name in values} if first in values else {}


def _facts(run: Run) -> Iterator[Fact | None]:
    if text := first_test(run, "text"):
        yield unseen_kinds(run, text)
    yield coverage(run)
    yield lines_back(run)
    yield boundaries(run)
    yield noise(run)
    yield scope(run)
    yield failed(run)


def unseen_kinds(run: Run, test: CorpusRecord) -> Fact | None:
    """Say of which kinds the unseen words of a text are."""
    every = _unseen_row(run, test, "all")
    section = "Unseen, rare and special words"
    if every is None:
        return None
    if not every.words_running:
        text = f"All words of {test.name} occur in the training text."
        return Fact("unseen-kinds", text, test.name, "unseen.csv", section, {"share": 0.0}, rank=2)
    named = [
        row
        for row in run.unseen
        if row.corpus == test.name and row.kind not in ("all", "other") and row.words_running
    ]
    most = sorted(named, key=lambda row: -row.words_running)[:2]
    shares = {row.kind: row.words_running / every.words_running for row in most}
    if not shares:
        return None
    kinds = in_words(
        f"{percent(part, 1)} {'look like' if kind in GUESSED else 'are'} {KINDS[kind]}"
        for kind, part in shares.items()
    )
    share = f"{percent(every.share_running, 1)}{_interval(every, 100, ', ')}"
    text = f"Of the unseen words of {test.name} ({share}), {kinds}."
    return Fact("unseen-kinds", text, test.name, "unseen.csv", section, shares, rank=2)


def coverage(run: Run) -> Fact | None:
    """Say what share of the words the worst of the systems that pass cannot write."""
    texts = {test.name for test in run.record.tests if test.kind == "text"}
    rows = (row for row in run.coverage if row.corpus in texts or not texts)
    shown = rows_of(largest(run), rows, lambda row: row.corpus)
    missing = {key: max(row.oov, row.lossy) for key, row in shown.items() if not row.gated}
    if not missing:
        return None
    worst = max(missing.values())
    others = "All others write" if len(missing) < len(shown) else "All systems write"
    if not worst:
        text = f"{others} every word of {_some(dict.fromkeys(c for _, c in shown))}."
    else:
        share = "under 0.05 %" if worst < 0.0005 else percent(worst, 1)
        text = f"{others} all but {share} of the words."
    section = "Coverage: is anything unknown or lossy?"
    return Fact("coverage", text, "", "coverage.csv", section, {"worst-not-gated": worst}, rank=3)


def lines_back(run: Run) -> Fact | None:
    """Say of how many lines the systems that cut whole lines give every character back."""
    rows = [row for row in run.rows if row.metric == LINES_BACK and row.training_share == 1]
    shares = {
        label: row.value
        for (label, _), row in rows_of(largest(run), rows, lambda row: row.metric).items()
        if row.context == "in-context" and row.value is not None
    }
    if not shares:
        return None
    worst = min(shares.values())
    if worst == 1:
        text = "All systems that cut whole lines give every line back exactly."
    else:
        least = [label for label, share in shares.items() if share == worst]
        verb = "gives" if len(least) == 1 else "give"
        text = f"{_some(least)} {verb} back {percent(worst, 1)} of the lines exactly."
    return Fact("lines-back", text, "", "results.csv", LINES_BACK, {**shares}, rank=3)


def boundaries(run: Run) -> Fact | None:
    """Say which systems agree most with gold boundaries at the largest common size."""
    size = common_size(run)
    ranking = by_gold(run, size)
    if ranking is None or not ranking.others:
        return None
    gold = next(test.name for test in run.record.tests if test.gold)
    if ranking.value <= 0:
        text = f"No system agrees with the morphemes of {gold} more than chance."
        return Fact("gold", text, gold, "comparisons.csv", "boundary-kappa")
    tied = [ranking.first, *(o.system for o in ranking.others if o.verdict != "worse")]
    names = _some(tied)
    at = f"At {_size(size)}, " if size else ""
    how = "agrees" if len(tied) == 1 else "agree"
    text = f"{at}{names} {how} most with the morphemes of {gold}: kappa {number(ranking.value)}"
    values: dict[str, str | float | None] = {"system": ranking.first, "kappa": ranking.value}
    apart = ranking.of("worse")
    if apart:
        text += f"; {apart[0].system} follows with {number(ranking.value - apart[0].excess)}"
        values["next-kappa"] = ranking.value - apart[0].excess
    text += " (0 is chance)."
    return Fact("gold", text, gold, "comparisons.csv", "boundary-kappa", values)


def _baseline_first(run: Run) -> list[str]:
    """Return the names of the systems, the baseline before all others."""
    names = [system.name for system in run.record.systems]
    return sorted(names, key=lambda name: name != run.record.baseline)


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
    return Fact("noise", f"{text}.", worst.corpus, "results.csv", "Under noise", values, rank=4)


def _is_above(row: Row, other: Row) -> bool:
    """Return whether a value's interval lies above that of another."""
    return row.low is not None and other.high is not None and row.low > other.high


def scope(run: Run) -> Fact | None:
    """Say what was not reached."""
    left = dict.fromkeys(row.system for row in run.rows if row.is_left_out)
    if not left:
        return None
    text = f"A size was not reached by {_some(left)}."
    return Fact("scope", text, file="results.csv", rank=5)


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


def in_words(names: Iterable[str], last_word: str = "and") -> str:
    """List names as a sentence does.

    >>> in_words(["a"]), in_words(["a", "b", "c"]), in_words(["a", "b"], "or")
    ('a', 'a, b and c', 'a or b')
    """
    *others, last = names
    return f"{', '.join(others)} {last_word} {last}" if others else last


def _some(names: Iterable[str], last_word: str = "and") -> str:
    """List names as a sentence does; of many the first ones and how many more there are."""
    every = [*names]
    if len(every) <= MOST_NAMES:
        return in_words(every, last_word)
    return f"{', '.join(every[: MOST_NAMES - 1])} and {len(every) - MOST_NAMES + 1} more"


def _interval(row: Row | UnseenRow, scale: int = 1, before: str = "") -> str:
    """Spell an interval, in brackets or after a comma; in percent at scale 100."""
    if row.low is None or row.high is None:
        return ""
    ends = (number(end) if scale == 1 else rounded(scale * end, 1) for end in (row.low, row.high))
    text = " to ".join(ends) + NARROW * bool(row.short_text)
    return f"{before}{text}" if before else f" ({text})"
