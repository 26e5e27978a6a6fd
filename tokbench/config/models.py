"""The keys of a config, with what each means: the one source of checks, schema and reference.

Each key is checked for itself by the model that has it. `contradictions` finds what keys ask for
and others of them do not have.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from tokbench.api.component import Options
from tokbench.api.vocabulary import SystemSize
from tokbench.assertions import EXAMPLE, Assertion, AssertionTextError
from tokbench.config.components import Built, component
from tokbench.config.corpora import CorporaKeys
from tokbench.config.experiment import Limits
from tokbench.config.messages import WrittenAs
from tokbench.config.metrics import lacking
from tokbench.config.names import Name
from tokbench.config.problems import Problem, Where, WrongValueError
from tokbench.config.systems import (
    MergeCounts,
    MergeRange,
    SizeList,
    SizeRange,
    SystemList,
    Totals,
    TrainingSamples,
    only_one,
)
from tokbench.corpora.source import Bands, Generated, Rising, Split

MAX_SEED = 2**32 - 1
MAX_RESAMPLES = 1_000_000
MAX_REPEATS = 100

_Metrics = Annotated[tuple[Annotated[Built, component("metric")], ...], Field(min_length=1)]
TrainingShare = Annotated[float, Field(ge=1e-9, le=1)]


def _assertion(text: str, _: object) -> Assertion:
    try:
        return Assertion.parse(text)
    except AssertionTextError as error:
        raise WrongValueError(Problem((), str(error), column=error.column)) from None


class ConfigKeys(Options):
    """A tokbench config."""

    corpora: CorporaKeys = Field(description="what is learned from, and what is scored")
    systems: SystemList = Field(
        description="the tokenizers to compare; a learner's name alone will do"
    )
    sizes: Totals | SizeRange | None = Field(
        None, description="the vocabulary sizes to compare, in tokens, alphabet included"
    )
    merges: MergeCounts | MergeRange | None = Field(
        None, description="instead of `sizes`: numbers of learned items (merges for BPE)"
    )
    metrics: _Metrics | Literal["all"] | None = Field(
        None,
        description="the metrics, or `all` whose needs are met; by default a core of "
        "twelve, with pairs five more",
    )
    baseline: Name | None = Field(
        None, description="the system that the others are compared with; by default the first"
    )
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = Field(
        0, description="the seed of everything random: splits, resampling, components"
    )
    repeats: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = Field(
        3, description="how often a learner that is not deterministic is run"
    )
    training_samples: TrainingSamples = Field(
        0,
        description="how often each system is learned again, from documents of the training text"
        " drawn with replacement: `training-sd` shows how much a value varies with them",
    )
    training_shares: Annotated[tuple[TrainingShare, ...], Rising] = Field(
        (),
        description="the shares of the training text, such as `[0.01, 0.1, 1.0]`, from which each"
        " system is learned again: `training-share` shows how values grow with it",
    )
    resamples: Annotated[int, Field(ge=1, le=MAX_RESAMPLES)] = Field(
        1000, description="the bootstrap resamples behind intervals and p-values"
    )
    gate: Annotated[float, Field(ge=0, le=1)] = Field(
        0.01,
        description="the share of a corpus's words that may be unknown or lossy; above it, lengths"
        " and compression are marked, not compared, and left out of advice",
    )
    bands: Bands = Field(
        (1, 2, 6, 51),
        description="the counts in the training text at which bands of words begin, scored apart: "
        "0, 1, 2-5, 6-50 and 51+; `{per-million: [1, 10, 100]}` takes shares, `[]` makes none",
    )
    resample_by: Literal["line", "document"] = Field(
        "line", description="what is drawn of a test text: lines, or documents (30 or more)"
    )
    assertions: tuple[Annotated[Assertion, WrittenAs(str, _assertion)], ...] = Field(
        (),
        alias="assert",
        description="what must hold of the results, such as"
        f" `{EXAMPLE}`; where it does not, the run ends with code 5",
    )
    isolation: Literal["foreign", "all", "none"] | None = Field(
        None, description="has no effect any more, and will be removed"
    )
    limits: Limits | None = Field(
        None,
        description="what one call of a plugin or a wrapped library may take, else its process is"
        " ended",
    )
    jobs: Annotated[int, Field(ge=1)] = Field(
        1,
        description="how many systems are learned and scored side by side, each in a process of its"
        " own; changes no result",
    )
    engine: Literal["auto", "compiled", "python"] | None = Field(
        None, description="has no effect any more, and will be removed"
    )

    _only_one = field_validator("merges")(only_one)

    @property
    def shared_sizes(self) -> SizeList:
        """The sizes of all systems that have none of their own."""
        return SizeList.of(self.sizes, self.merges)


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
                there = ", ".join(corpora.test) or "none"
                what = f"no test text is called '{entry.source.of}'; there are: {there}"
                yield Problem((*where, "of"), what)


def _systems(keys: ConfigKeys) -> Iterator[Problem]:
    learning = [one for one in keys.systems if one.learner.component.reads != "nothing"]
    if learning and keys.corpora.train is None:
        learner = learning[0].learner
        what = f"the key `train` is missing: {learner.name} learns from {learner.component.reads}"
        yield Problem(("corpora",), what)
    numbers: dict[str, int] = {}
    without_sizes = []
    for number, system in enumerate(keys.systems):
        where: Where = ("systems", number)
        other = numbers.setdefault(system.title.casefold(), number)
        if other != number:
            what = f"systems[{other}] is called '{system.title}' too: give one of them a `name`"
            yield Problem((*where, "name"), what)
        if keys.corpora.has_counts and system.learner.component.reads == "lines":
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
        metric: Any = built.component
        if lack := lacking(type(metric), keys.corpora):
            yield Problem(where, f"'{built.name}' {lack}")
        if "lines" in metric.needs:
            for name in (metric.reference, *(metric.texts or ())):
                if name not in keys.corpora.test:
                    there = ", ".join(keys.corpora.test)
                    yield Problem(where, f"no test text is called '{name}'; there are: {there}")
        if "system" in metric.needs and metric.of not in (sizes := _sizes(keys)):
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
