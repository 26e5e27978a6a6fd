"""The systems that are not taken: who ties elsewhere, who is not ranked, who is ranked apart."""

from collections.abc import Sequence

from tokbench.api import Fact
from tokbench.printing import integer, percent, rounded
from tokbench.recommend import LENGTH, Barred, Ranking, Recommendation
from tokbench.run_folder import Run
from tokbench_views.answer.fact import (
    UNITS,
    Values,
    in_words,
    size_with_unit,
    some_names,
    these_texts,
    values_by_corpus,
    verb,
    vocabulary_sizes,
)

CUT = {"in-context": "whole lines", "isolated": "words alone"}
"""What systems cut in each context."""
SHOWN = 0.0005
"""The least share of fewer tokens that is said: 0.1 %, rounded."""


def undecided(recommended: Recommendation) -> Fact | None:
    """Name whom the test text cannot tell from the first."""
    are = "These test texts are" if len(recommended.texts) > 1 else "This test text is"
    sentences = []
    if names := [other.system for other in recommended.ranking.of("undecided")]:
        sentences.append(f"{are} too small to tell {in_words(names)} from {recommended.system}.")
    if fewer := [
        other.system
        for other in recommended.at_size
        if other.verdict == "undecided" and other.excess < 0 and recommended.size
    ]:
        at = size_with_unit(recommended.size)
        sentences.append(
            f"At {at}, {in_words(fewer)} {verb('need', fewer)} fewer, by less than "
            f"{these_texts(recommended.texts)} can tell."
        )
    text = " ".join(sentences)
    return Fact("undecided", text, file="comparisons.csv", rank=3) if text else None


def outdone(recommended: Recommendation) -> Fact | None:
    """Name who ties by tokens, and was dropped by gold boundaries."""
    names = recommended.outdone
    if not names:
        return None
    text = (
        f"{some_names(names)} {verb('tie', names)}, but {verb('agree', names)} less with gold "
        "words."
    )
    return Fact("outdone", text, file="comparisons.csv", rank=5)


def other_sizes(recommended: Recommendation) -> Fact | None:
    """Say who ties or is ahead at one size only."""
    sentences = []
    ties: dict[str, list[str]] = {}
    elsewhere = (o for o in recommended.ranking.others if o.size != recommended.size)
    for other in (*elsewhere, *recommended.at_size):
        if other.verdict == "tie" and other.system not in (*recommended.take, *recommended.outdone):
            ties.setdefault(other.size, []).append(other.system)
    for size, names in ties.items():
        sentences.append(f"At {size_with_unit(size)}, {some_names(names)} {verb('tie', names)}.")
    ahead: dict[str, list[str]] = {}
    for size, system in recommended.changes:
        ahead.setdefault(system, []).append(size)
    sentences += (f"At {size_with_unit(*at)}, {system} is ahead." for system, at in ahead.items())
    if recommended.second is not None:
        system, choice = recommended.second
        sentences.append(f"For {system} the size would be {size_with_unit(choice.size)}.")
    return Fact("sizes", " ".join(sentences), file="results.csv", rank=8) if sentences else None


def not_ranked(
    run: Run, barred: Sequence[Barred], recommended: Recommendation | None = None
) -> Fact | None:
    """Name the systems that are not ranked, and those that are ranked apart, with the reason."""
    lossy = [system for system in barred if system.reason == "words"]
    endless = [system.system for system in barred if system.reason == "word-ends"]
    parts = []
    if lossy:
        least = min(lossy, key=lambda system: system.share or 0)
        lost = least.share or 0
        share = percent(lost, 0 if lost > 0.1 else 1, over=run.record.gate)
        more = " or more" * (len(lossy) > 1)
        several = sum(test.kind == "text" for test in run.record.tests) > 1
        on = f" of {least.corpus}" * several
        names = some_names(system.system for system in lossy)
        parts.append(f"{names} ({share}{more} of the words{on} lost)")
    if endless:
        parts.append(f"{some_names(endless)} (word ends lost)")
    if without := [system.system for system in barred if system.reason == "no-result"]:
        parts.append(f"{some_names(without)} (no result)")
    if recommended and (apart := recommended.ranking.apart):
        parts.append(f"{some_names(apart)} (no size that {recommended.system} has)")
    if recommended and (unmeasured := recommended.unmeasured):
        parts.append(f"{some_names(unmeasured)} (no length was measured)")
    sentences = [f"Not ranked: {'; '.join(parts)}."] if parts else []
    for ranking in recommended.elsewhere if recommended else ():
        ranked = [ranking.leader, *(other.system for other in ranking.others), *ranking.apart]
        cut = f"{verb('cut', ranked)} {CUT[ranking.context]}"
        sentences.append(f"Ranked apart: {some_names(ranked)} ({cut}).")
    if not sentences:
        return None
    values: Values = {system.system: system.share for system in barred}
    section = "Coverage: is anything unknown or lossy?"
    text = " ".join(sentences)
    return Fact("not-ranked", text, file="coverage.csv", section=section, values=values, rank=1)


def shorter(run: Run, recommended: Recommendation) -> Fact | None:
    """Say how many tokens fewer the shortest system without word ends needs, if any."""
    names = [system.system for system in recommended.barred if system.reason == "word-ends"]
    if recommended.ranking.metric != LENGTH or len(recommended.texts) > 1:
        return None
    (corpus,), context = recommended.texts, recommended.ranking.context
    lengths = {
        name: values_by_corpus(run, LENGTH, name, recommended.size, context).get(corpus)
        for name in (*names, recommended.system)
    }
    base = lengths.pop(recommended.system) or 0
    fewer = {name: 1 - value / base for name, value in lengths.items() if value}
    name = max(fewer, key=fewer.__getitem__, default="")
    if fewer.get(name, 0) < SHOWN:
        return None
    text = (
        f"{name} needs {percent(fewer[name], 1)} fewer tokens than {recommended.system}, but they "
        "do not tell where words end."
    )
    return Fact("shorter", text, file="results.csv", values={"share": fewer[name]}, rank=7)


def ready_made(run: Run, recommended: Recommendation) -> Fact | None:
    """Name the first of the ready-made tokenizers, in each context."""
    entries = vocabulary_sizes(run)
    at = recommended.system, recommended.size
    taken = next(o.vocabulary_size for o in run.record.outcomes if (o.system, o.size) == at)
    sentences = []
    for ranking in recommended.ready:
        own = entries[ranking.leader]
        times = f", {rounded(own / taken, 0)} times as many" if own >= 2 * taken else ""
        sentence = f"{ranking.leader} ({integer(own)} entries{times}) needs {_value(ranking)}"
        sentence += ", on average" * (len(recommended.texts) > 1)
        if near := [other.system for other in (*ranking.of("tie"), *ranking.of("undecided"))]:
            sentence += f", {some_names(near)} about as many"
        if ranking.context != recommended.ranking.context:
            sentence += f" (cuts {CUT[ranking.context]}: not compared)"
        sentences.append(sentence)
    if not sentences:
        return None
    may = (
        f"{'it' if len(sentences) == 1 else 'they'} may have seen {these_texts(recommended.texts)}"
    )
    text = f"Ready-made: {'; '.join(sentences)}; {may}."
    values: Values = {ranking.leader: ranking.value for ranking in recommended.ready}
    return Fact("ready-made", text, file="results.csv", values=values)


def other_contexts(recommended: Recommendation) -> Fact | None:
    """Name the first system of each other context, with which what is taken is not compared."""
    sentences = [
        f"Of systems that cut {CUT[ranking.context]}, "
        f"{ranking.leader} is first: {_value(ranking)}"
        f"{f', with {size_with_unit(ranking.size)}' if ranking.size else ''}."
        for ranking in recommended.elsewhere
    ]
    text = " ".join(sentences)
    return Fact("other-context", text, file="results.csv", rank=4) if sentences else None


def _value(ranking: Ranking) -> str:
    """Spell the value of the leader with what it counts."""
    unit = UNITS.get(ranking.metric)
    return f"{rounded(ranking.value, 2)} {f'tokens {unit}' if unit else ranking.metric}"
