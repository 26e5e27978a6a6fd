"""The answer: what to take and why, then facts, each with the file that its numbers are from.

`docs/reference/answer.md` has the rules. `tokbench.recommend` decides, this package says it.
"""

from collections.abc import Iterator
from dataclasses import replace

from tokbench.api import Fact
from tokbench.printing import escaped
from tokbench.recommend import Recommendation, barred_systems, recommend
from tokbench.run_folder import Run, placed
from tokbench_views.answer import facts, others, take, unseen

TITLE = """
## What to take

"""
FACTS = """
## What this run shows

"""
CAVEAT = "Fewer tokens are no proof of a better model: docs/explanation/which-metric.md."


def answer(run: Run, recommended: Recommendation | None = None) -> list[Fact]:
    """Return the recommendation, then the facts, in the order in which people need them.

    The facts that plugins add come last. Give what `recommend` returned, if it was asked already.
    """
    recommended = recommended or recommend(run)
    sentences = _nobody(run) if recommended is None else _recommended(run, recommended)
    if run.coverage:
        # The same in every run, so it is the first to go where a terminal has no room.
        sentences = [*sentences, Fact("caveat", CAVEAT, rank=9)]
    parts = [replace(fact, part="recommendation") for fact in sentences if fact]
    return [*parts, *filter(None, _facts(run)), *run.added.facts]


def answer_section(run: Run, report: str) -> str:
    """Write the answer as a section of a report, with links to its sections or to `metrics.md`."""
    text, part = TITLE, "recommendation"
    for fact in answer(run):
        if fact.part != part:
            text, part = text + FACTS, fact.part
        file = "" if f"# {fact.section}\n" in report else placed("metrics.md")
        # Code hosts link a title so.
        words = fact.section.lower().replace(" ", "-")
        anchor = "".join(char for char in words if char.isalnum() or char == "-")
        link = f" ([more]({file}#{anchor}))" if fact.section else ""
        text += f"- {escaped(fact.text)}{link}\n"
    return text


def _recommended(run: Run, recommended: Recommendation) -> list[Fact | None]:
    """Say what to take, and what a reader must know before taking it."""
    text = unseen.least_seen(run)
    return [
        take.taken(run, recommended),
        take.size_reason(run, recommended),
        take.rare_tokens(run, recommended),
        unseen.unseen_share(run, text, unseen.splits(run, text, recommended)) if text else None,
        others.undecided(recommended),
        others.outdone(recommended),
        others.other_sizes(recommended),
        others.not_ranked(run, recommended.barred, recommended),
        others.shorter(run, recommended),
        others.ready_made(run, recommended),
        others.other_contexts(recommended),
    ]


def _nobody(run: Run) -> list[Fact | None]:
    """Say that no system can be recommended, and why."""
    barred, text = barred_systems(run), unseen.least_seen(run)
    are_lost = any(system.reason == "words" for system in barred)
    return [
        take.nobody(run, barred),
        unseen.unseen_share(run, text, {}) if text else None,
        others.not_ranked(run, barred) if are_lost else None,
    ]


def _facts(run: Run) -> Iterator[Fact | None]:
    if text := unseen.least_seen(run):
        yield unseen.unseen_kinds(run, text)
    yield facts.coverage(run)
    yield facts.lines_back(run)
    yield facts.gold(run)
    yield facts.parity(run)
    yield facts.noise(run)
    yield facts.unreached(run)
    yield facts.failures(run)
