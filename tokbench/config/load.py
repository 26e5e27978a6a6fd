"""Read a config, check all of it, and build the experiment that it asks for."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tokbench.api import Size
from tokbench.config.components import Builder
from tokbench.config.document import read_config
from tokbench.config.experiment import Experiment, Limits, System
from tokbench.config.messages import checked
from tokbench.config.metrics import metrics_of
from tokbench.config.models import ConfigKeys, contradictions
from tokbench.config.problems import Problem, WrongValueError, refuse
from tokbench.corpora.source import PerMillion
from tokbench.plugins import Registry
from tokbench.significance import resamples_needed


def load_experiment(
    path: Path, registry: Registry, text: str | None = None, texts_are_read: bool = False
) -> Experiment:
    """Read and check a config; corpora are looked for, not read.

    A `text` is what stood in the file, which is not read again. Corpora that `texts_are_read` says
    to be read already are not looked for.
    Raises ConfigError with all problems of its keys at once, and, where there are none, of keys
    that contradict each other; PluginError if the only ones are plugins that
    are broken, clash, or lack an extra; InputError if only files are missing or unreadable.
    """
    document = read_config(path, text)
    seed = document.data.get("seed", 0)
    seed = seed if isinstance(seed, int) else 0
    builder = Builder(registry, path.parent, seed, looks_for_files=not texts_are_read)
    try:
        keys = checked(ConfigKeys, document.data, builder)
        refuse(contradictions(keys))
        metrics = metrics_of(keys.metrics, keys.corpora, builder)
    except WrongValueError as error:
        raise document.error(error.problems) from None
    if document.problems:
        raise document.error()
    shared = keys.shared_sizes
    systems = tuple(system.system(shared, keys.training_samples) for system in keys.systems)
    named = "baseline" in keys.model_fields_set
    baseline = keys.baseline if named else systems[0].name
    train, described = keys.corpora.train, keys.corpora.described
    numbers = {key: getattr(keys, key) for key in ("seed", "resamples", "repeats", "gate")}
    bands = keys.bands
    resolved = {
        "corpora": keys.corpora.plain,
        "systems": [system.plain(shared) for system in keys.systems],
        "metrics": metrics.plain,
        "baseline": baseline,
        "training-samples": keys.training_samples,
        "training-shares": [*keys.training_shares],
        "resample-by": keys.resample_by,
        "bands": bands.shortest() if isinstance(bands, PerMillion) else [*bands],
        **numbers,
    }
    return Experiment(
        path=path,
        text=document.text,
        train=train.corpus(None) if train else None,
        tests=described["test"],
        lists=described["lists"],
        gold=described["gold"],
        pairs=described["pairs"],
        systems=systems,
        metrics=metrics.metrics,
        baseline=baseline,
        training_shares=keys.training_shares,
        assertions=keys.assertions,
        limits=keys.limits or Limits(),
        jobs=keys.jobs,
        bands=bands,
        resample_by=keys.resample_by,
        resample_index=document.index(Problem(("resample-by",), "")),
        resolved=resolved,
        **numbers,
        warnings=(
            *_without_effect(keys),
            *_sizes_ignored(keys),
            *metrics.warnings,
            *_missed_comparisons(systems, baseline, keys.resamples),
        ),
    )


def _without_effect(keys: ConfigKeys) -> list[str]:
    """Warn of each key that is written and that had a meaning once."""
    limits = keys.limits or Limits()
    written = {
        "isolation": keys.isolation,
        "engine": keys.engine,
        "limits.idle-seconds": limits.idle_seconds,
        "limits.output": limits.output,
    }
    return [
        f"{key}: has no effect any more, remove it"
        for key, value in written.items()
        if value is not None
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

    So many differences are tested together as there are systems that share a size, or the lack of
    one, with the baseline, at the size with the most of them.
    """
    base = next((system for system in systems if system.name == baseline), None)
    differences: Counter[Size | None] = Counter()
    alone: dict[str, list[Size]] = {}
    for system in systems:
        if base is not None and system is not base:
            lacking = [size for size in system.sizes if base.sizes and size not in base.sizes]
            alone[system.name] = lacking
            differences.update({*(system.sizes or [None])}.difference(lacking))
    in_two_contexts = sum(system.context == "both" for system in systems)
    compared = max([in_two_contexts, *differences.values()])
    if resamples < (needed := resamples_needed(compared)):
        yield (
            f"resamples: with {resamples} none of the {compared} differences from the baseline at "
            f"one size can be significant after Holm's correction; write `resamples: {needed}` or "
            "more"
        )
    for name, sizes in alone.items():
        if sizes:
            yield (
                f"system {name}: not compared at {', '.join(map(str, sizes))}, where the baseline "
                f"{baseline} has no such size"
            )
