"""Read a config, check that its keys fit each other, and build the experiment that it asks for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tokbench.api import Size
from tokbench.api.component import kebab
from tokbench.api.vocabulary import SystemSize
from tokbench.config.components import Builder
from tokbench.config.corpora import CorporaKeys
from tokbench.config.document import read_config
from tokbench.config.experiment import Experiment, Limits, Recommend, System
from tokbench.config.metrics import lacking, metrics_of
from tokbench.config.models import ConfigKeys
from tokbench.config.problems import Problem, Where, WrongValueError, checked, refuse
from tokbench.corpora.source import Generated, Split
from tokbench.plugins import Registry
from tokbench.printing import counted, hint
from tokbench.significance import resamples_needed

CRITERIA = {"morphemes": "boundary-kappa", "parity": "parity", "model": "bits-per-byte"}
"""The metric of each criterion of a recommendation, beside tokens."""

SETTINGS = (
    "training_samples",
    "training_shares",
    "resample_by",
    "block_length",
    "bands",
    "seed",
    "resamples",
    "repeats",
    "gate",
)
"""The keys that change results, beside those of corpora, systems and metrics."""


def load_experiment(
    path: Path, registry: Registry, text: str | None = None, texts_are_read: bool = False
) -> Experiment:
    """Read and check a config; corpora are looked for, not read.

    A `text` is the content of the file, which is then not read again. If `texts_are_read`, the
    files of corpora are not looked for.
    Raises ConfigError with all problems of its keys at once or, if each key is right for itself, of
    keys that contradict each other; PluginError if the only problems are plugins that are broken,
    clash, or lack an extra; InputError if only files are missing or unreadable.
    """
    document = read_config(path, text)
    # Components are built while the keys are checked, so the seed is taken before.
    seed = document.data.get("seed", 0)
    seed = seed if isinstance(seed, int) else 0
    builder = Builder(registry, path.parent, seed, looks_for_files=not texts_are_read)
    try:
        keys = checked(ConfigKeys, document.data, builder)
        refuse(_contradictions(keys))
        metrics, plain_metrics, warnings = metrics_of(keys.metrics, keys.corpora, builder)
    except WrongValueError as error:
        raise document.error(error.problems) from None
    if document.problems:
        raise document.error()
    shared, corpora = keys.shared_sizes, keys.corpora
    systems = tuple(system.system(shared, keys.training_samples) for system in keys.systems)
    named = "baseline" in keys.model_fields_set
    baseline = keys.baseline if named else systems[0].name
    settings = keys.model_dump(mode="json", by_alias=True, include={*SETTINGS})
    return Experiment(
        path=path,
        text=document.text,
        train=corpora.train,
        tests=corpora.test,
        lists=corpora.lists,
        gold=corpora.gold,
        pairs=corpora.pairs,
        systems=systems,
        metrics=metrics,
        baseline=baseline,
        training_shares=keys.training_shares,
        seed=keys.seed,
        resamples=keys.resamples,
        repeats=keys.repeats,
        gate=keys.gate,
        bands=keys.bands,
        resample_by=keys.resample_by,
        block_length=None if keys.block_length == "auto" else keys.block_length,
        samples=keys.samples,
        assertions=keys.assertions,
        limits=keys.limits or Limits(),
        jobs=keys.jobs,
        resolved={
            "corpora": corpora.plain,
            "systems": [system.plain(shared) for system in keys.systems],
            "metrics": plain_metrics,
            "baseline": baseline,
            **{kebab(name): settings[kebab(name)] for name in SETTINGS},
            "recommend": (keys.recommend or Recommend()).model_dump(mode="json", by_alias=True),
            **({"model": keys.model.shortest()} if keys.model else {}),
        },
        warnings=(
            *_without_effect(keys),
            *_sizes_ignored(keys),
            *warnings,
            *_missed_comparisons(systems, baseline, keys.resamples),
        ),
    )


def _without_effect(keys: ConfigKeys) -> Iterator[str]:
    """Warn of each key that is written and that had a meaning once."""
    limits = keys.limits or Limits()
    written = {
        "isolation": keys.isolation,
        "engine": keys.engine,
        "limits.idle-seconds": limits.idle_seconds,
        "limits.output": limits.output,
    }
    for key, value in written.items():
        if value is not None:
            yield f"{key}: has no effect any more, remove it"


def _contradictions(keys: ConfigKeys) -> Iterator[Problem]:
    """Find keys that ask for something that other keys do not provide."""
    yield from _corpora(keys.corpora)
    yield from _systems(keys)
    yield from _draws(keys)
    yield from _blocks(keys)
    yield from _metrics(keys)
    yield from _recommend(keys)
    names = [system.title for system in keys.systems]
    if keys.baseline is not None and keys.baseline not in names:
        yield Problem(("baseline",), _not_there("system", keys.baseline, names))


def _not_there(what: str, name: str, names: Iterable[str]) -> str:
    return f"no {what} is called '{name}'; {hint(name, names)}"


def _corpora(corpora: CorporaKeys) -> Iterator[Problem]:
    if not corpora.scored:
        what = "nothing to score: add `test`, `lists`, `gold` or `pairs`"
        yield Problem(("corpora",), what)
    places: dict[str, str] = {}
    for role, by_name in corpora.scored.items():
        for name, corpus in by_name.items():
            where: Where = ("corpora", role, name)
            place = f"corpora.{role}.{name}"
            if (other := places.setdefault(name.casefold(), place)) != place:
                what = f"{other} has this name too: give each its own"
                yield Problem(where, what, at_key=True)
            if isinstance(corpus.source, Split) and corpora.train is None:
                yield Problem(where, "there is no training text to split: add `train`")
            elif isinstance(corpus.source, Split) and corpora.has_counts:
                what = "the training text holds word counts, which have no lines to draw"
                yield Problem(where, what)
            elif isinstance(corpus.source, Generated) and corpus.source.of not in corpora.test:
                what = _not_there("test text", corpus.source.of, corpora.test)
                yield Problem((*where, "of"), what)


def _systems(keys: ConfigKeys) -> Iterator[Problem]:
    learners = [system.learner for system in keys.systems]
    learning = [learner for learner in learners if learner.component.reads != "nothing"]
    if learning and keys.corpora.train is None:
        learner = learning[0]
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
    """Find samples and shares of a training text from which no lines can be drawn."""
    asked: dict[Where, object] = {
        ("training-samples",): keys.training_samples,
        ("training-shares",): keys.training_shares,
    }
    for number, system in enumerate(keys.systems):
        asked["systems", number, "training-samples"] = system.training_samples
    for where in (where for where, samples in asked.items() if samples):
        if keys.corpora.train is None:
            yield Problem(where, "there is no training text to draw from: add `train`")
        elif keys.corpora.has_counts:
            what = "the training text holds word counts, which have no documents to draw"
            yield Problem(where, what)


def _blocks(keys: ConfigKeys) -> Iterator[Problem]:
    """Find a length of blocks where none are drawn."""
    if keys.block_length == "auto":
        return
    if keys.resample_by == "line":
        what = "`resample-by: line` draws single lines: leave one of the two keys out"
        yield Problem(("block-length",), what)
    elif not keys.corpora.test:
        what = "there is no test text; of lists, gold and pairs words are drawn, not blocks"
        yield Problem(("block-length",), what)


def _recommend(keys: ConfigKeys) -> Iterator[Problem]:
    """Find a recommendation by something that is not measured."""
    by = keys.recommend.criterion if keys.recommend else "tokens"
    if keys.recommend is None or by == "tokens":
        return
    metric = CRITERIA[by]
    where: Where = ("recommend", "by" if keys.recommend.by else "for")
    if by == "morphemes" and not keys.corpora.gold:
        yield Problem(where, "there are no gold words: add `gold` to `corpora`")
    elif keys.metrics != "all":
        listed = [built.name for built in keys.metrics or ()]
        # Without a list of metrics there are those of boundaries, which gold words call for.
        if metric not in listed and not (by == "morphemes" and not listed):
            yield Problem(where, f"`{by}` is measured by '{metric}': add it to `metrics`")


def _metrics(keys: ConfigKeys) -> Iterator[Problem]:
    """Find listed metrics that cannot be computed, or are listed twice."""
    described: set[str] = set()
    for number, built in enumerate(keys.metrics if isinstance(keys.metrics, tuple) else ()):
        where: Where = ("metrics", number)
        metric: Any = built.component
        if lack := lacking(type(metric), keys.corpora):
            yield Problem(where, f"'{built.name}' {lack}")
        if "lines" in metric.needs:
            for name in (metric.reference, *(metric.texts or ())):
                if name not in keys.corpora.test:
                    yield Problem(where, _not_there("test text", name, keys.corpora.test))
        if "system" in metric.needs and metric.of not in (labels := _labels(keys)):
            what = f"`of: {metric.of}` names no system; there are: {', '.join(labels)}"
            yield Problem(where, what)
        if built.described in described:
            yield Problem(where, f"'{built.name}' stands twice with the same options")
        described.add(built.described)


def _labels(keys: ConfigKeys) -> list[str]:
    """List all systems at all their sizes, as metrics name them."""
    return [
        str(SystemSize(system.title, f"{size}"))
        for system in keys.systems
        for size in system.sizes_of(keys.shared_sizes).listed or ("",)
    ]


def _sizes_ignored(keys: ConfigKeys) -> Iterator[str]:
    """Warn of sizes that a learner doesn't take, and of curves that no system has."""
    for system in keys.systems:
        if not system.learner.sized and (system.sizes or system.merges):
            yield f"system {system.title}: {system.learner.name} takes no size and ignores them"
    shared = keys.shared_sizes
    taken = any(system.sizes_of(shared) is shared for system in keys.systems)
    if shared.span and shared.span.curve and not taken:
        yield "`curve: true` draws nothing: no system takes these sizes"


def _missed_comparisons(
    systems: Sequence[System], baseline: str | None, resamples: int
) -> Iterator[str]:
    """Warn of too few resamples for Holm's correction, and of sizes that the baseline lacks.

    Differences from the baseline at one size are corrected together, so the size with the most
    systems decides. Systems without a size are compared at each size.
    """
    base = next((system for system in systems if system.name == baseline), None)
    differences: Counter[Size | None] = Counter()
    missing: dict[str, list[Size]] = {}
    for system in systems:
        if base is not None and system is not base:
            lacking = [size for size in system.sizes if base.sizes and size not in base.sizes]
            missing[system.name] = lacking
            differences.update({*(system.sizes or [None])}.difference(lacking))
    in_two_contexts = sum(system.context == "both" for system in systems)
    compared = max([in_two_contexts, *differences.values()])
    if resamples < (needed := resamples_needed(compared)):
        yield (
            f"resamples: {resamples:,} cannot show that a difference from the baseline is "
            f"significant after Holm's correction, with {counted(compared, 'difference')} at one "
            f"size; write `resamples: {needed}` or more"
        )
    for name, sizes in missing.items():
        if sizes:
            yield (
                f"system {name}: not compared at {', '.join(map(str, sizes))}, where the baseline "
                f"{baseline} has no such size"
            )
