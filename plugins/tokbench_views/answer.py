"""The answer: what to take and why, then facts, each with the file that its numbers are from.

`docs/answer.md` has the rules. `tokbench.recommend` decides, this module says it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tokbench.api import Size
from tokbench.printing import NARROW, escaped, integer, number, percent, rounded
from tokbench.recommend import (
    ALL_TOKENS,
    LENGTH,
    RARE,
    Barred,
    Ranking,
    Recommendation,
    SizeChoice,
    barred_systems,
    by_gold,
    recommend,
)
from tokbench.run_folder import (
    COMMON,
    CorpusRecord,
    Row,
    Run,
    Subset,
    SystemSize,
    UnseenRow,
    placed,
)
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
MOST_TOKENS_A_WORD = 1.5
"""How many tokens words give at most, each with the parts that built it, as we saw it."""
CAVEAT = "Fewer tokens are no proof of a better model: see docs/which-metric.md."
BYTE_LEVEL = "add one that writes every byte, such as {use: byte-bpe, read: lines}"

LINES_BACK = "round-trip-text"
CUTS = {"in-context": "cuts whole lines", "isolated": "cuts words alone"}
UNITS = {LENGTH: "per word", ALL_TOKENS: "per word, spaces included"}

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
        """The fact as data for programs, without its rank; the file is a path in the run folder."""
        plain = {name: value for name, value in vars(self).items() if name != "rank"}
        return plain | {"file": placed(self.file) if self.file else ""}


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
        file = "" if f"# {fact.section}\n" in report else placed("metrics.md")
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
    text = first_test(run, "text")
    facts = [
        _take(run, recommended) if recommended else _nobody(run, barred),
        _size_reason(run, recommended) if recommended else None,
        unseen(run, text, recommended) if text else None,
        _undecided(recommended) if recommended else None,
        _outdone(recommended) if recommended else None,
        _other_sizes(recommended) if recommended else None,
        _barred(run, barred, recommended),
        _fewer(run, recommended) if recommended else None,
        _ready(run, recommended) if recommended else None,
        _elsewhere(recommended) if recommended else None,
        Fact("caveat", CAVEAT) if run.coverage else None,
    ]
    for fact in filter(None, facts):
        yield replace(fact, part="recommendation")


def _nobody(run: Run, barred: Sequence[Barred]) -> Fact | None:
    """Say that no system can be recommended."""
    systems = {outcome.system for outcome in run.record.outcomes}
    reasons = {system.reason: system for system in barred}
    if not run.coverage or len(barred) < len(systems):
        return None
    if "words" in reasons:
        text = f"No system tried can write this text with its word ends: {BYTE_LEVEL}."
    else:
        text = "No system tried tells where words end: add one with a mark, such as bpe."
    return Fact("recommendation", text, file="coverage.csv", values={"system": None, "size": None})


def _take(run: Run, recommended: Recommendation) -> Fact:
    """Say what to take, and by what."""
    names, size = recommended.take, recommended.size
    text = f"{('Take', 'Take either', 'Take any of')[min(len(names), 3) - 1]} "
    text += in_words(names, "or")
    if size:
        text += f" with {_reached(run, recommended)}"
    elif not recommended.learned_here:
        text += f" ({_entries(run, names[0])}; may have seen this text)"
    text += f" for texts like {_some(recommended.texts)}, by {_reason(run, recommended)}."
    values: Values = {"system": names[0], "size": size, "value": recommended.value}
    corpus = recommended.texts[0] if len(recommended.texts) == 1 else ""
    metric = recommended.ranking.metric
    return Fact("recommendation", text, corpus, "results.csv", metric, values)


def _reached(run: Run, recommended: Recommendation) -> str:
    """Spell the size to take; of a learner that reached none, all that it gave."""
    at = recommended.take[0], recommended.size
    size = next(o.vocabulary_size for o in run.record.outcomes if (o.system, o.size) == at)
    asked = Size.parse(recommended.size)
    if asked.total is not None and size < asked.total:
        return f"all {integer(size)} tokens that the text gives"
    return _counted(recommended.size)


def _entries(run: Run, system: str) -> str:
    """Say how many entries a ready-made tokenizer has."""
    return f"{integer({o.system: o.vocabulary_size for o in largest(run)}[system])} entries"


def _reason(run: Run, recommended: Recommendation) -> str:
    """Say by which number a system is first, and how far before the next that does not tie."""
    metric, several = recommended.ranking.metric, len(recommended.texts) > 1
    values = [recommended.value, *recommended.tied_values]
    value = " to ".join(dict.fromkeys(rounded(end, 2) for end in (min(values), max(values))))
    if recommended.by == "morphemes":
        return f"agreement with its morphemes: kappa {value} (0 is chance)"
    if recommended.by == "parity":
        return (
            "parity among those with few tokens: its dearest text takes "
            f"{rounded(recommended.premium or 0, 2)} times the tokens of the reference"
        )
    reason = f"bits per byte: {value}" if recommended.by == "model" else "number of tokens: "
    if recommended.by == "tokens":
        reason += f"{value} {UNITS[metric]}"
        reason += f", on average over {len(recommended.texts)} texts" * several
    tested = ("worse", "untested")
    following = next((o for o in recommended.at_size if o.verdict in tested and o.excess > 0), None)
    if following:
        less = percent(following.excess / (1 + following.excess), 1)
        entries = "" if recommended.learned_here else f" ({_entries(run, following.system)})"
        not_tested = " (not tested)" if following.verdict == "untested" else ""
        reason += f", {less} fewer than {following.system}{entries}{not_tested}"
    if several and (worst := _worst_text(run, recommended)):
        reason += f"; {worst}"
    return reason


def _worst_text(run: Run, recommended: Recommendation) -> str:
    """Say on which text the first does worst: by parity, else beside the baseline or the next."""
    first, size, context = recommended.take[0], recommended.size, recommended.ranking.context
    parity = next((m.name for m in run.record.metrics if m.name.startswith("parity")), "")
    if premiums := _by_corpus(run, parity, first, size, context):
        worst = max(premiums, key=premiums.__getitem__)
        reference = parity.partition("reference=")[2].rstrip(")").partition(",")[0]
        times = rounded(premiums[worst], 1)
        return f"{worst} takes {times} times the tokens of {reference or 'the reference'}"
    metric = recommended.ranking.metric
    own = _by_corpus(run, metric, first, size, context)
    names = [run.record.baseline, *(other.system for other in recommended.at_size)]
    for name in filter(None, names):
        others = _by_corpus(run, metric, name, size, context)
        if name != first and {*own} == {*others} and all(others.values()):
            worst = max(own, key=lambda corpus: own[corpus] / others[corpus])
            return f"compared with {name} it does worst on {worst}"
    return ""


def _by_corpus(
    run: Run, metric: str, system: str, size: str, context: str, subset: str = "all"
) -> dict[str, float]:
    """Return the values of a system at one size by corpus, of those on whole training text."""
    place = metric, system, size, context, subset, 1.0
    return {
        row.corpus: row.value
        for row in run.rows
        if row.value is not None
        and place == (row.metric, row.system, row.size, row.context, row.subset, row.training_share)
    }


def _counted(size: str) -> str:
    """Spell a size with its unit: 2,000 tokens, or 500 merges."""
    parsed = Size.parse(size)
    return f"{integer(parsed.number)} {'tokens' if parsed.learned is None else 'merges'}"


def _size_reason(run: Run, recommended: Recommendation) -> Fact | None:
    """Say why this size, or that none is enough, and how many of its tokens are rare."""
    choice = recommended.choice
    if choice is None:
        return None
    saving, since, until = choice.saving, integer(choice.since), integer(choice.until)
    saved = percent(saving, 0 if saving >= 0.1 else 1) if saving >= 0.0005 else "nothing"
    ends = ""
    if choice.is_enough:
        text = f"Doubling it to {until} would save {saved}{' more' if saved != 'nothing' else ''}"
    else:
        is_doubled = 2 * choice.since == choice.until
        text = "The last doubling saved" if is_doubled else f"From {since} to {until} saved"
        text += f" {saved}"
        ends = _next_sizes(run, choice)
    rare = _rare(run, recommended)
    if rare is not None:
        share = percent(rare, 0 if rare >= 0.1 else 1)
        whose = "its" if len(recommended.take) == 1 else f"{recommended.take[0]}'s"
        text += f"; {share} of {whose} tokens occur under {RARE} times in the training text"
    values: Values = {
        "saving": saving, "since": choice.since, "until": choice.until, "rare": rare
    }  # fmt: skip
    text += f"{ends or '.'}"
    return Fact("size", text, file="results.csv", section="Which size is enough?", values=values)


def _next_sizes(run: Run, choice: SizeChoice) -> str:
    """Say how to try the next two sizes, or that the training text hardly gives more."""
    if choice.most is not None:
        return f". The text gives only {integer(choice.most)}."
    (training,) = (corpus for corpus in run.record.corpora if corpus.kind == "training")
    prefix, most = Size.parse(choice.size).prefix, MOST_TOKENS_A_WORD * training.distinct
    tries = [size for size in (2 * choice.until, 4 * choice.until) if prefix or size <= most]
    if not tries:
        return f". With {integer(training.distinct)} distinct words the text gives hardly more."
    sizes = ",".join(f"{prefix}{size}" for size in tries)
    return f". Try: tokbench run {run.record.path or 'CONFIG'} --size {sizes}"


def _rare(run: Run, recommended: Recommendation) -> float | None:
    """Return the share of rare tokens among those learned, None where it is 0 or unknown."""
    at = recommended.take[0], recommended.size
    return next((row.rare for row in run.sizes if (row.system, row.size) == at), None) or None


def _undecided(recommended: Recommendation) -> Fact | None:
    """Name whom the test text cannot tell from the first."""
    undecided = [other.system for other in recommended.ranking.of("undecided")]
    if not undecided:
        return None
    text = f"This test text is too small to tell {in_words(undecided)} from {recommended.take[0]}."
    return Fact("undecided", text, file="comparisons.csv", rank=3)


def _outdone(recommended: Recommendation) -> Fact | None:
    """Name who ties by tokens, and was dropped by gold boundaries."""
    names = [o.system for o in recommended.at_size if o.verdict == "tie"]
    if not names or recommended.by != "tokens":
        return None
    text = (
        f"{_some(names)} {_verb('tie', names)}, but {_verb('agree', names)} less with gold words."
    )
    return Fact("outdone", text, file="comparisons.csv", rank=2)


def _other_sizes(recommended: Recommendation) -> Fact | None:
    """Say who ties or is ahead at other sizes, and what is not compared."""
    sentences = []
    ties: dict[str, list[str]] = {}
    for other in recommended.ranking.of("tie"):
        if other.system not in recommended.take and other.size != recommended.size:
            ties.setdefault(other.size, []).append(other.system)
    for size, names in ties.items():
        sentences.append(f"At {_counted(size)}, {in_words(names)} {_verb('tie', names)}.")
    by_system: dict[str, list[str]] = {}
    for size, system in recommended.changes:
        by_system.setdefault(system, []).append(_counted(size))
    for system, sizes in by_system.items():
        sentences.append(f"At {in_words(sizes)}, {system} is ahead.")
    if recommended.second is not None:
        system, choice = recommended.second
        sentences.append(f"For {system} the size would be {_counted(choice.size)}.")
    if apart := recommended.ranking.apart:
        first = recommended.ranking.first
        sentences.append(
            f"{in_words(apart)} {_verb('share', apart)} no size with {first}: not compared."
        )
    if unmeasured := recommended.unmeasured:
        sentences.append(f"{in_words(unmeasured)}: not compared, since no length was measured.")
    return Fact("sizes", " ".join(sentences), file="results.csv", rank=4) if sentences else None


def _verb(verb: str, names: Sequence[str]) -> str:
    """Return a verb as one name or several take it."""
    if len(names) > 1:
        return verb
    return {"do": "does"}.get(verb, f"{verb}s")


def _barred(run: Run, barred: Sequence[Barred], recommended: Recommendation | None) -> Fact | None:
    """Name the systems that are not ranked, with the reason."""
    lost = [system for system in barred if system.reason == "words"]
    endless = [system.system for system in barred if system.reason == "word-ends"]
    parts = []
    if lost:
        least = min(lost, key=lambda system: system.share or 0)
        share = percent(least.share or 0, 0 if (least.share or 0) > 0.1 else 1)
        more = "" if len(lost) == 1 else " or more"
        several = sum(test.kind == "text" for test in run.record.tests) > 1
        on = f" of {least.corpus}" if several else ""
        names = _some(system.system for system in lost)
        parts.append(f"{names} ({share}{more} of the words{on} lost)")
    if endless and (recommended or lost):
        parts.append(f"{_some(endless)} (word ends lost)")
    if not parts:
        return None
    values: Values = {system.system: system.share for system in barred}
    section = "Coverage: is anything unknown or lossy?"
    text = f"Not ranked: {'; '.join(parts)}."
    return Fact("not-ranked", text, file="coverage.csv", section=section, values=values, rank=1)


def _fewer(run: Run, recommended: Recommendation) -> Fact | None:
    """Say how many tokens fewer the shortest system without word ends needs, if any."""
    names = [system.system for system in recommended.barred if system.reason == "word-ends"]
    if recommended.ranking.metric != LENGTH or len(recommended.texts) > 1:
        return None
    (corpus,), context = recommended.texts, recommended.ranking.context
    lengths = {
        name: _by_corpus(run, LENGTH, name, recommended.size, context).get(corpus)
        for name in (*names, recommended.take[0])
    }
    base = lengths.pop(recommended.take[0])
    shorter = {name: value for name, value in lengths.items() if value and base and value < base}
    if not shorter or not base:
        return None
    name = min(shorter, key=shorter.__getitem__)
    share = 1 - shorter[name] / base
    text = (
        f"{name} needs {percent(share, 1)} fewer tokens than {recommended.take[0]}, but they do "
        "not tell where words end."
    )
    return Fact("shorter", text, file="results.csv", values={"share": share}, rank=2)


def _ready(run: Run, recommended: Recommendation) -> Fact | None:
    """Name the first of the ready-made tokenizers, in each context."""
    sentences = []
    entries = {outcome.system: outcome.vocabulary_size for outcome in largest(run)}
    at = recommended.take[0], recommended.size
    chosen = next(o.vocabulary_size for o in run.record.outcomes if (o.system, o.size) == at)
    values: dict[str, str | float | None] = {}
    for ranking in recommended.ready:
        own, unit = entries[ranking.first], _unit(ranking)
        times = f", {rounded(own / chosen, 0)} times as many" if own >= 2 * chosen else ""
        average = " on average" * (len(recommended.texts) > 1)
        sentence = f"{ranking.first} ({integer(own)} entries{times}) needs "
        sentence += f"{rounded(ranking.value, 2)} {unit}{average}"
        if ranking.context != recommended.ranking.context:
            sentence += f" ({CUTS[ranking.context]}: not compared)"
        sentences.append(sentence)
        values[ranking.first] = ranking.value
    if not sentences:
        return None
    may = "it" if len(sentences) == 1 else "they"
    text = f"Ready-made: {'; '.join(sentences)}; {may} may have seen this text."
    return Fact("ready-made", text, file="results.csv", values=values)


def _elsewhere(recommended: Recommendation) -> Fact | None:
    """Name the first system of each other context, with which the first is not compared."""
    sentences = [
        f"Of systems that {CUTS[ranking.context].replace('cuts', 'cut')}, not compared with the "
        f"others, {ranking.first} is first: {rounded(ranking.value, 2)} {_unit(ranking)}"
        f"{f', with {_counted(ranking.size)}' if ranking.size else ''}."
        for ranking in recommended.elsewhere
    ]
    text = " ".join(sentences)
    return Fact("other-context", text, file="results.csv", rank=2) if sentences else None


def _unit(ranking: Ranking) -> str:
    """Return what the value of a ranking counts."""
    unit = UNITS.get(ranking.metric)
    return ranking.metric if unit is None else f"tokens {unit}"


def unseen(run: Run, test: CorpusRecord, recommended: Recommendation | None) -> Fact | None:
    """Say how much of a text is unseen, whether that is unusual, and how finely it is split."""
    every = _unseen_row(run, test, "all")
    section = "Unseen, rare and special words"
    if every is None or not every.words_running:
        return None
    share, expected = every.share_running, every.good_turing
    if share < 0.4:
        text = f"1 in {integer(round(1 / share))} words of {test.name} is"
    else:
        text = f"{rounded(100 * share, 0)} in 100 words of {test.name} are"
    details = [percent(share, 1)]
    between = unlike_training(run, every)
    if expected is not None:
        to = "" if between is None else f"{rounded(100 * expected, 1)} to "
        details.append(f"{to}{percent(between or expected, 1)} would be normal")
    text += f" not in the training text ({'; '.join(details)})."
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
    """Return the tokens per unseen word of the first system and of the next, at the chosen size.

    What merges across words has no such value.
    """
    merging = {outcome.system for outcome in run.record.outcomes if outcome.merges_words}
    context = recommended.ranking.context
    following = [o for o in recommended.at_size if o.verdict in ("worse", "untested")]
    values = {
        name: _by_corpus(run, LENGTH, name, recommended.size, context, "unseen").get(test.name)
        for name in (recommended.take[0], *(other.system for other in following))
        if name not in merging
    }
    splits = {name: value for name, value in values.items() if value is not None}
    return splits if recommended.take[0] in splits else {}


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
    others = "All others" if len(missing) < len(shown) else "All systems"
    if not worst:
        text = f"{others} write every word of {_some(dict.fromkeys(c for _, c in shown))}."
    else:
        text = f"{others} write {_at_least(worst)} of the words."
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
        text = f"{_some(least)} {_verb('give', least)} back {_at_least(1 - worst)} of the lines."
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
    alike = ("tie", "undecided")
    tied = [ranking.first, *(o.system for o in ranking.others if o.verdict in alike)]
    names = _some(tied)
    at = f"At {_counted(size)}, " if size else ""
    text = f"{at}{names} {_verb('agree', tied)} most with the morphemes of {gold}: kappa "
    text += number(ranking.value)
    values: dict[str, str | float | None] = {"system": ranking.first, "kappa": ranking.value}
    apart = [other for other in ranking.others if other.verdict not in alike]
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


def _at_least(lost: float) -> str:
    """Spell how much is left without a share that is not 0: never 100 %."""
    return "over 99.9 %" if lost < 0.001 else f"at least {percent(1 - lost, 1)}"


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
