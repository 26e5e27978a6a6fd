"""What to take, by which number, and why at this size."""

from collections.abc import Sequence

from tokbench.api import Fact, Size
from tokbench.printing import integer, percent, rounded
from tokbench.recommend import RARE, Barred, Recommendation, SizeChoice
from tokbench.run_folder import Run
from tokbench_views.answer.fact import (
    UNITS,
    Values,
    in_words,
    size_with_unit,
    some_names,
    these_texts,
    values_by_corpus,
    vocabulary_sizes,
)
from tokbench_views.shared import parity_metric

MOST_TOKENS_A_WORD = 1.5
"""How many tokens words give at most, each with the parts that built it, as we saw it."""
BYTE_LEVEL = "add one that writes every byte, such as {use: byte-bpe, read: lines}"


def nobody(run: Run, barred: Sequence[Barred]) -> Fact | None:
    """Say that no system can be recommended."""
    if not run.coverage or len(barred) < len(run.record.systems):
        return None
    if any(system.reason == "words" for system in barred):
        texts = these_texts([test for test in run.record.tests if test.kind == "text"])
        text = f"No system tried can write {texts} and tell where words end: {BYTE_LEVEL}."
    else:
        text = "No system tried tells where words end: add one with a mark, such as bpe."
    return Fact("recommendation", text, file="coverage.csv", values={"system": None, "size": None})


def taken(run: Run, recommended: Recommendation) -> Fact:
    """Say what to take, and by what."""
    names, size, texts = recommended.take, recommended.size, recommended.texts
    text = f"{('Take', 'Take either', 'Take any of')[min(len(names), 3) - 1]} "
    if size or recommended.learned_here:
        text += in_words(names, "or") + (f" with {_reached(run, recommended)}" if size else "")
    elif len(names) == 1:
        text += f"{names[0]} ({_entries(run, names[0])}; may have seen {these_texts(texts)})"
    else:
        text += in_words((f"{name} ({_entries(run, name)})" for name in names), "or")
        text += f", which may have seen {these_texts(texts)},"
    text += f" for texts like {some_names(texts)}, by {_reason(run, recommended)}."
    values: Values = {"system": recommended.system, "size": size, "value": recommended.value}
    corpus = texts[0] if len(texts) == 1 else ""
    metric = recommended.ranking.metric
    return Fact("recommendation", text, corpus, "results.csv", metric, values)


def _reached(run: Run, recommended: Recommendation) -> str:
    """Spell the size to take; of a learner that reached none, all that it gave."""
    at = recommended.system, recommended.size
    size = next(o.vocabulary_size for o in run.record.outcomes if (o.system, o.size) == at)
    asked = Size.parse(recommended.size)
    if asked.total is not None and size < asked.total:
        return f"all {integer(size)} tokens that the text gives"
    return size_with_unit(recommended.size)


def _entries(run: Run, system: str) -> str:
    """Say how many entries a ready-made tokenizer has."""
    return f"{integer(vocabulary_sizes(run)[system])} entries"


def _reason(run: Run, recommended: Recommendation) -> str:
    """Say by which number a system is first, and how far before the next that does not tie."""
    ends = min(recommended.values), max(recommended.values)
    value = " to ".join(dict.fromkeys(rounded(end, 2) for end in ends))
    if recommended.by == "morphemes":
        return f"agreement with its morphemes: kappa {value} (0 is chance)"
    if recommended.by == "parity":
        return (
            "parity among those with few tokens: its dearest text takes "
            f"{rounded(recommended.premium or 0, 2)} times the tokens of the reference"
            f"{' (not tested)' * bool(recommended.ranking.others)}"
        )
    several = len(recommended.texts) > 1
    if recommended.by == "model":
        reason = f"bits per byte: {value}"
    else:
        reason = f"number of tokens: {value} {UNITS[recommended.ranking.metric]}"
        reason += f", the geometric mean of {len(recommended.texts)} texts" * several
    if following := recommended.following:
        fewer = percent(following.excess / (1 + following.excess), 1)
        entries = "" if recommended.learned_here else f" ({_entries(run, following.system)})"
        not_tested = " (not tested)" * (following.verdict == "untested")
        reason += f", {fewer} fewer than {following.system}{entries}{not_tested}"
    if several and (worst := _worst_text(run, recommended)):
        reason += f"; {worst}"
    return reason


def _worst_text(run: Run, recommended: Recommendation) -> str:
    """Say on which text a system does worst: by parity, else beside the baseline or the next."""
    place = recommended.size, recommended.ranking.context
    system, metric = recommended.system, recommended.ranking.metric
    parity, reference = parity_metric(run)
    if premiums := values_by_corpus(run, parity, system, *place):
        worst = max(premiums, key=premiums.__getitem__)
        times = rounded(premiums[worst], 1)
        return f"{worst} takes {times} times the tokens of {reference}" if times != "1.0" else ""
    own = values_by_corpus(run, metric, system, *place)
    for name in (run.record.baseline, *(other.system for other in recommended.at_size)):
        others = values_by_corpus(run, metric, name or "", *place)
        if name != system and {*own} == {*others} and all(others.values()):
            ratios = {corpus: own[corpus] / others[corpus] for corpus in own}
            worst = max(ratios, key=ratios.__getitem__)
            share = percent(abs(ratios[worst] - 1), 1)
            if ratios[worst] < 1:
                return f"it saves least on {worst}: {share} fewer than {name}"
            return f"on {worst} it needs {share} more than {name}"
    return ""


def size_reason(run: Run, recommended: Recommendation) -> Fact | None:
    """Say why this size, or that none is enough."""
    choice, values = recommended.choice, dict[str, str | float | None]()
    if not (recommended.learned_here and recommended.size):
        return None
    text = "There is one size only, so no advice on it."
    if choice is not None:
        values = {"saving": choice.saving, "since": choice.since, "until": choice.until}
        text = _saved(choice) + ("." if choice.is_enough else _next_sizes(run, recommended, choice))
    section = "Which size is enough?"
    return Fact("size", text, file="results.csv", section=section, values=values, rank=2)


def rare_tokens(run: Run, recommended: Recommendation) -> Fact | None:
    """Say how many learned tokens the training text has seldom: a reason against a larger size."""
    at = recommended.system, recommended.size
    rare = next((row.rare for row in run.sizes if (row.system, row.size) == at), None) or None
    if rare is None or not recommended.learned_here:
        return None
    share = percent(rare, 0 if rare >= 0.1 else 1)
    whose = f"{recommended.system}'s" if len(recommended.take) > 1 else "the"
    text = f"{share} of {whose} learned tokens occur under {RARE} times in the training text."
    return Fact("rare", text, file="sizes.csv", values={"rare": rare}, rank=6)


def _saved(choice: SizeChoice) -> str:
    """Say what doubling the size would save, or what the last step has saved."""
    saving, since, until = choice.saving, integer(choice.since), integer(choice.until)
    saved = percent(saving, 0 if saving >= 0.1 else 1) if saving >= 0.0005 else "nothing"
    if choice.is_enough:
        return f"Doubling it to {until} would save {saved}{' more' * (saved != 'nothing')}"
    if 2 * choice.since == choice.until:
        return f"The last doubling saved {saved}"
    return f"Going from {since} to {until} saved {saved}"


def _next_sizes(run: Run, recommended: Recommendation, choice: SizeChoice) -> str:
    """Say how to try the next two sizes, or that the training text hardly gives more."""
    if choice.most is not None:
        return f". The text gives only {integer(choice.most)}."
    (training,) = (corpus for corpus in run.record.corpora if corpus.kind == "training")
    prefix, most = Size.parse(choice.size).prefix, MOST_TOKENS_A_WORD * training.distinct
    # Tokens of whole lines, and of text without spaces, are pieces of more than its words.
    words = next(s.reads == "words" for s in run.record.systems if s.name == recommended.system)
    unspaced = any(test.unspaced for test in run.record.tests)
    is_limited = words and not prefix and not unspaced
    tries = [n for n in (2 * choice.until, 4 * choice.until) if not is_limited or n <= most]
    if not tries:
        return f". With {integer(training.distinct)} distinct words the text gives hardly more."
    sizes = ",".join(f"{prefix}{size}" for size in tries)
    return f". Try: tokbench run {run.record.path or 'CONFIG'} --size {sizes}"
