"""Read a config, check all of it, and build the experiment that it asks for."""

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from tokbench.api import Size
from tokbench.assertions import Assertion, AssertionTextError
from tokbench.config.components import Builder
from tokbench.config.corpora import SCORED, CorporaReader, Role
from tokbench.config.document import read_document
from tokbench.config.experiment import Experiment, Limits, System
from tokbench.config.metrics import read_metrics
from tokbench.config.models import ConfigKeys
from tokbench.config.parts import Parts
from tokbench.config.problems import Problem, TextPlace, Where
from tokbench.config.systems import SystemsPart, SystemsReader
from tokbench.corpora.source import PerMillion
from tokbench.plugins import Registry
from tokbench.significance import resamples_needed


def load_experiment(
    path: Path, registry: Registry, text: str | None = None, texts_are_read: bool = False
) -> Experiment:
    """Read and check a config; corpora are looked for, not read.

    A `text` is what stood in the file, which is not read again. Corpora that `texts_are_read` says
    to be read already are not looked for.
    Raises ConfigError with all problems at once; PluginError if the only ones are plugins that
    are broken, clash, or lack an extra; InputError if only files are missing or unreadable.
    """
    parts = Parts(read_document(path, text))
    parts.keys((), ConfigKeys)
    keys = ("seed", "resamples", "repeats", "gate")
    numbers = {key: parts.field(ConfigKeys, (key,)) for key in keys}
    resample_by = parts.field(ConfigKeys, ("resample-by",))
    bands = parts.field(ConfigKeys, ("bands",))
    limits = parts.field(ConfigKeys, ("limits",)) or Limits()
    without_effect = _without_effect(parts)
    jobs = parts.field(ConfigKeys, ("jobs",))
    builder = Builder(parts, registry, numbers["seed"] or 0)
    corpora = CorporaReader(parts, builder, not texts_are_read).read()
    systems = SystemsReader(parts, builder).read()
    given: dict[Role, bool] = {key: bool(parts.get(("corpora", key))) for key in SCORED}
    given["train"] = "train" in corpora.by_key["train"] or _lacks_train(parts, systems)
    metrics = read_metrics(parts, builder, given, systems)
    baseline = _baseline(parts, systems.names)
    assertions = _assertions(parts)
    parts.raise_all()
    resolved = {
        "corpora": corpora.plain,
        "systems": systems.plain,
        "metrics": metrics.plain,
        "baseline": baseline,
        "training-samples": systems.training_samples,
        "training-shares": [*systems.training_shares],
        "resample-by": resample_by,
        "bands": bands.shortest() if isinstance(bands, PerMillion) else [*(bands or ())],
        **numbers,
    }
    few = _too_few_resamples(systems.systems, baseline, numbers["resamples"])
    return Experiment(
        path=path,
        text="\n".join(parts.document.lines),
        train=corpora.by_key["train"].get("train"),
        tests=corpora.by_key["test"],
        lists=corpora.by_key["lists"],
        gold=corpora.by_key["gold"],
        pairs=corpora.by_key["pairs"],
        systems=tuple(systems.systems),
        metrics=tuple(metrics.metrics),
        baseline=baseline,
        training_shares=systems.training_shares,
        assertions=assertions,
        limits=limits,
        jobs=jobs,
        bands=bands,
        resample_by=resample_by,
        resample_place=parts.document.place(("resample-by",)),
        resolved=resolved,
        **numbers,
        warnings=(
            *without_effect,
            *systems.warnings,
            *metrics.warnings,
            *few,
            *_alone(systems.systems, baseline),
        ),
    )


def _without_effect(parts: Parts) -> list[str]:
    """Check the keys that had a meaning once, and warn of each that is written."""
    for key in ("isolation", "engine"):
        parts.field(ConfigKeys, (key,))
    keys: list[Where] = [
        ("isolation",),
        ("engine",),
        ("limits", "idle-seconds"),
        ("limits", "output"),
    ]
    return [
        f"{'.'.join(map(str, where))}: has no effect any more, remove it"
        for where in keys
        if parts.get(where) is not None
    ]


def _lacks_train(parts: Parts, systems: SystemsPart) -> bool:
    """Return whether a config needs a training text that it does not name, or names wrongly."""
    corpora = parts.get(("corpora",))
    if not isinstance(corpora, dict) or corpora.get("train") is not None:
        return True
    for system in systems.systems:
        if system.learner.reads != "nothing":
            what = f"the key `train` is missing: {system.name} learns from {system.learner.reads}"
            parts.problem(("corpora",), what)
            return True
    return False


def _baseline(parts: Parts, names: Sequence[str | None]) -> str | None:
    """Return the baseline: the first system, the one that is named, or none for `null`."""
    where: Where = ("baseline",)
    if where not in parts.document.values:
        return names[0] if names else None
    baseline = parts.field(ConfigKeys, where)
    if not isinstance(baseline, str):
        return None
    if baseline in names:
        return baseline
    known = [name for name in names if name is not None]
    if len(known) == len(names):
        close = get_close_matches(baseline, known, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(known)}"
        parts.problem(where, f"no system is called '{baseline}'; {hint}")
    return None


def _assertions(parts: Parts) -> tuple[Assertion, ...]:
    """Read the assertions; a problem points at the place in the text, where that is on its line."""
    where: Where = ("assert",)
    found = []
    for number, text in enumerate(parts.field(ConfigKeys, where) or ()):
        try:
            found.append(Assertion.parse(text))
        except AssertionTextError as error:
            place = parts.document.place((*where, number))
            begin = parts.document.lines[place.line - 1].find(text, place.column - 1)
            if begin >= 0:
                place = TextPlace(place.line, begin + error.column)
            parts.problems.append(Problem(place, (*where, number), str(error)))
    return tuple(found)


def _too_few_resamples(
    systems: Sequence[System], baseline: str | None, resamples: int
) -> list[str]:
    """Warn if Holm's correction over so many systems could never find anything significant."""
    compared = _compared(systems, baseline)
    needed = resamples_needed(compared)
    if resamples >= needed:
        return []
    return [
        f"resamples: with {resamples} none of the {compared} differences from the baseline at one "
        f"size can be significant after Holm's correction; write `resamples: {needed}` or more"
    ]


def _alone(systems: Sequence[System], baseline: str | None) -> list[str]:
    """Warn of sizes at which the baseline will have no results to be compared with."""
    base = next((system for system in systems if system.name == baseline), None)
    if base is None or not base.sizes:
        return []
    alone = {
        system.name: [str(size) for size in system.sizes if size not in base.sizes]
        for system in systems
    }
    return [
        f"system {name}: not compared at {', '.join(sizes)}, where the baseline {baseline} has no "
        "such size"
        for name, sizes in alone.items()
        if sizes
    ]


def _compared(systems: Sequence[System], baseline: str | None) -> int:
    """Count the systems compared with the baseline at one size, at the size with the most."""
    base = next((system for system in systems if system.name == baseline), None)
    in_two_contexts = sum(system.context == "both" for system in systems)
    if base is None:
        return in_two_contexts
    families: Counter[Size | None] = Counter()
    for system in systems:
        if system is not base:
            shared = {size for size in system.sizes if not base.sizes or size in base.sizes}
            families.update(shared if system.sizes else [None])
    return max([in_two_contexts, *families.values()])
