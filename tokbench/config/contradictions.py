"""Keys of a config that are right, each for itself, and contradict each other."""

from collections.abc import Iterator
from difflib import get_close_matches

from tokbench.api import ParallelMetric, SystemMetric
from tokbench.api.vocabulary import SystemSize
from tokbench.config.corpora import CorporaKeys
from tokbench.config.metrics import lacking
from tokbench.config.models import ConfigKeys
from tokbench.config.problems import Problem, Where
from tokbench.corpora.source import Generated, Split


def contradictions(keys: ConfigKeys) -> Iterator[Problem]:
    """Find what keys ask for, and what others of them do not have."""
    yield from _corpora(keys.corpora)
    yield from _systems(keys)
    yield from _draws(keys)
    yield from _metrics(keys)
    names = [system.title for system in keys.systems]
    if keys.baseline is not None and keys.baseline not in names:
        close = get_close_matches(keys.baseline, names, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(names)}"
        yield Problem(("baseline",), f"no system is called '{keys.baseline}'; {hint}")


def _corpora(corpora: CorporaKeys) -> Iterator[Problem]:
    if not corpora.scored:
        what = "nothing to score: add `test`, `lists`, `gold` or `pairs`"
        yield Problem(("corpora",), what)
    places: dict[str, str] = {}
    for role, entries in corpora.scored.items():
        for name, entry in entries.items():
            where: Where = ("corpora", role, name)
            place = f"corpora.{role}.{name}"
            if (other := places.setdefault(name.casefold(), place)) != place:
                what = f"{other} has this name too: give each its own"
                yield Problem(where, what, at_key=True)
            if isinstance(entry.source, Split) and corpora.train is None:
                yield Problem(where, "there is no training text to split: add `train`")
            elif isinstance(entry.source, Split) and corpora.has_counts:
                what = "the training text holds word counts, which have no lines to draw"
                yield Problem(where, what)
            elif isinstance(entry.source, Generated) and entry.source.of not in corpora.test:
                there = (
                    f"there are: {', '.join(corpora.test)}" if corpora.test else "there are none"
                )
                what = f"no test text is called '{entry.source.of}'; {there}"
                yield Problem((*where, "of"), what)


def _systems(keys: ConfigKeys) -> Iterator[Problem]:
    numbers: dict[str, int] = {}
    without_sizes = []
    for number, system in enumerate(keys.systems):
        where: Where = ("systems", number)
        other = numbers.setdefault(system.title.casefold(), number)
        if other != number:
            what = f"systems[{other}] is called '{system.title}' too: give one of them a `name`"
            yield Problem((*where, "name"), what)
        reads = system.learner.component.reads
        if keys.corpora.train is None and reads != "nothing":
            what = f"the key `train` is missing: {system.title} learns from {reads}"
            yield Problem(("corpora",), what)
        if keys.corpora.has_counts and reads == "lines":
            name = system.learner.name
            what = f"{name} reads whole lines, which a training file of counts has not"
            yield Problem(where, what)
        if system.learner.sized and not system.sizes_of(keys.shared_sizes).listed:
            without_sizes.append(where)
    for where in without_sizes[:1]:
        yield Problem(where, "has no sizes: write `sizes` (or `merges`) here or for all systems")


def _draws(keys: ConfigKeys) -> Iterator[Problem]:
    """Refuse samples and shares of a training text from which no lines can be drawn."""
    wanted: dict[Where, object] = {
        ("training-samples",): keys.training_samples,
        ("training-shares",): keys.training_shares,
    }
    for number, system in enumerate(keys.systems):
        wanted["systems", number, "training-samples"] = system.training_samples
    for where in (where for where, samples in wanted.items() if samples):
        if keys.corpora.train is None:
            yield Problem(where, "there is no training text to draw from: add `train`")
        elif keys.corpora.has_counts:
            what = "the training text holds word counts, which have no documents to draw"
            yield Problem(where, what)


def _metrics(keys: ConfigKeys) -> Iterator[Problem]:
    """Refuse listed metrics that cannot be computed, and those that stand twice."""
    described: set[str] = set()
    for number, built in enumerate(keys.metrics if isinstance(keys.metrics, tuple) else ()):
        where: Where = ("metrics", number)
        metric = built.component
        if lack := lacking(type(metric), keys.corpora):
            yield Problem(where, f"'{built.name}' {lack}")
        if isinstance(metric, ParallelMetric):
            for name in (metric.reference, *(metric.texts or ())):
                if name not in keys.corpora.test:
                    there = ", ".join(keys.corpora.test)
                    yield Problem(where, f"no test text is called '{name}'; there are: {there}")
        if isinstance(metric, SystemMetric) and metric.of not in (sizes := _sizes(keys)):
            what = f"`of: {metric.of}` names no system; there are: {', '.join(sizes)}"
            yield Problem(where, what)
        if built.described in described:
            yield Problem(where, f"'{built.name}' stands twice with the same options")
        described.add(built.described)


def _sizes(keys: ConfigKeys) -> list[str]:
    """List all systems at all their sizes, as metrics name them."""
    return [
        str(SystemSize(system.title, f"{size}"))
        for system in keys.systems
        for size in system.sizes_of(keys.shared_sizes).listed or ("",)
    ]
