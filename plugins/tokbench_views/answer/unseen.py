"""How much of a text the training text lacks, of which kinds it is, and how finely it is split."""

from collections.abc import Mapping

from tokbench.api import Fact
from tokbench.printing import integer, percent, rounded
from tokbench.recommend import LENGTH, Recommendation
from tokbench.run_folder import CorpusRecord, Run, UnseenRow
from tokbench_views.answer.fact import Values, in_words, interval_of
from tokbench_views.shared import GUESSED, KINDS, unlike_training

SECTION = "Unseen, rare and special words"


def least_seen(run: Run) -> CorpusRecord | None:
    """Return the text with the largest share of unseen words, the first of equal ones."""
    shares = {row.corpus: row.share_running for row in run.unseen if row.kind == "all"}
    texts = (test for test in run.record.tests if test.kind == "text")
    return max(texts, key=lambda text: shares.get(text.name, 0.0), default=None)


def unseen_share(run: Run, test: CorpusRecord, splits: Mapping[str, float]) -> Fact | None:
    """Say how much of a text is unseen, whether that is unusual, and how finely it is split.

    `splits` are the tokens per unseen word of one system, or of two.
    """
    every = _all_unseen(run, test)
    if every is None or not every.words_running:
        return None
    share, expected = every.share_running, every.good_turing
    if share < 0.2:
        text = f"1 in {integer(round(1 / share))} words of {test.name} is"
    else:
        text = f"{rounded(100 * share, 0)} in 100 words of {test.name} are"
    details = [percent(share, 1)]
    between = unlike_training(run, every)
    if expected is not None:
        to = "" if between is None else f"{rounded(100 * expected, 1)} to "
        details.append(f"{to}{percent(between or expected, 1)} would be normal")
    text += f" not in the training text ({'; '.join(details)})"
    texts = sum(test.kind == "text" for test in run.record.tests)
    text += f", the most of {texts} texts." if texts > 1 else "."
    if splits:
        (name, first), *others = ((name, rounded(value, 1)) for name, value in splits.items())
        text += f" {name} splits them into {first} tokens"
        # Of systems that need as many there is nothing to say.
        differ = [f", {other} into {tokens}" for other, tokens in others if tokens != first]
        text += f"{''.join(differ[:1])}."
    values: Values = {
        "share": share, "low": every.low, "high": every.high, "expected": expected,
        "between": between, "short-text": every.short_text or None, **splits,
    }  # fmt: skip
    return Fact("unseen", text, test.name, "unseen.csv", SECTION, values)


def _all_unseen(run: Run, test: CorpusRecord) -> UnseenRow | None:
    return next((r for r in run.unseen if (r.corpus, r.kind) == (test.name, "all")), None)


def splits(run: Run, test: CorpusRecord, recommended: Recommendation) -> Mapping[str, float]:
    """Return the tokens per unseen word of the first system and of others, at the chosen size.

    Systems that tie come before those that follow. What merges across words has no such value.
    """
    merging = {outcome.system for outcome in run.record.outcomes if outcome.merges_words}
    following = [o.system for o in recommended.at_size if o.verdict in ("worse", "untested")]
    context, size = recommended.ranking.context, recommended.size
    place = test.name, size, context, "unseen", 1.0
    values = {
        row.system: row.value
        for row in run.by_metric.get(LENGTH, ())
        if (row.corpus, row.size, row.context, row.subset, row.training_share) == place
    }
    measured = {
        name: value
        for name in (*recommended.take, *following)
        if name not in merging and (value := values.get(name)) is not None
    }
    return measured if recommended.system in measured else {}


def unseen_kinds(run: Run, test: CorpusRecord) -> Fact | None:
    """Say of which kinds the unseen words of a text are."""
    every = _all_unseen(run, test)
    if every is None:
        return None
    if not every.words_running:
        text = f"All words of {test.name} occur in the training text."
        return Fact("unseen-kinds", text, test.name, "unseen.csv", SECTION, {"share": 0.0}, rank=2)
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
    share = ", ".join(filter(None, (percent(every.share_running, 1), interval_of(every, 100))))
    text = f"Of the unseen words of {test.name} ({share}), {kinds}."
    return Fact("unseen-kinds", text, test.name, "unseen.csv", SECTION, shares, rank=2)
