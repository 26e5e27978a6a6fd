"""The key `metrics` of a config: those that it lists, or all whose needs are met."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

from pydantic import Field

from tokbench.api import AdditiveMetric, Metric, ParallelMetric, SystemMetric
from tokbench.api.component import Use
from tokbench.api.metric import TrainingMetric
from tokbench.api.vocabulary import SystemSize
from tokbench.config.components import Builder, Built, Info, component
from tokbench.config.corpora import CorporaKeys
from tokbench.config.experiment import NamedMetric
from tokbench.config.messages import WrittenAs
from tokbench.config.problems import Problem, refuse
from tokbench.config.systems import SizeList, SystemKeys
from tokbench.errors import PluginError
from tokbench.plugins import check_requirements

CORE = (
    "round-trip",
    "oov-words-running",
    "unknown-characters",
    "kept-whole-running",
    "single-characters",
    "tokens",
    "fertility",
    "bytes-per-token",
    "vocabulary-use",
    "renyi-efficiency-declared",
    "boundary-f1-micro",
    "boundary-kappa",
)
"""The metrics that are scored if the config lists none."""

OF_PAIRS = (
    "token-edit-distance",
    "boundary-flips",
    "fertility-change",
    "lost-whole",
    "new-unknown-characters",
)
"""Those that join them where there are pairs."""


@dataclass(frozen=True)
class MetricsPart:
    """The metrics in order, their JSON form, and warnings of those that are left out."""

    metrics: tuple[NamedMetric, ...] = ()
    plain: tuple[dict[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()


def _read(written: tuple[Built, ...] | Literal["all"] | None, info: Info) -> MetricsPart:
    """Return the metrics that a config asks for, and those that stand beside them."""
    if not {"corpora", "systems", "sizes", "merges"} <= info.data.keys():
        return MetricsPart()  # what is wrong there comes first
    builder = info.context
    warnings: list[str] = []
    if isinstance(written, tuple):
        refuse(_wrong(written, info.data))
        chosen = [*written]
    else:
        chosen, warnings = _offered(builder, info.data["corpora"], written == "all")
    metrics = {metric.described: metric for metric in chosen}
    # Metrics that show what chance alone gives, and others, join those that they stand beside.
    for metric in chosen:
        others = [Use(use=name) for name in filter(None, [metric.component.chance])]
        others += [Use(**{**metric.plain, "use": name}) for name in metric.component.beside]
        for use in others:
            other = builder.build_in_config("metric", use)
            metrics.setdefault(other.described, other)
    listed = written if isinstance(written, tuple) else ()
    return MetricsPart(
        tuple(NamedMetric(name, one.component, one in listed) for name, one in metrics.items()),
        tuple(one.plain for one in metrics.values()),
        tuple(warnings),
    )


def _wrong(metrics: tuple[Built, ...], keys: dict[str, Any]) -> Iterator[Problem]:
    """Refuse listed metrics that cannot be computed, and those that stand twice."""
    names: set[str] = set()
    for number, metric in enumerate(metrics):
        if missing := _missing(type(metric.component), keys["corpora"]):
            yield Problem((number,), f"'{metric.name}' {missing}")
        yield from (Problem((number,), what) for what in _unknown(metric.component, keys))
        if metric.described in names:
            yield Problem((number,), f"'{metric.name}' stands twice with the same options")
        names.add(metric.described)


def _unknown(metric: Metric, keys: dict[str, Any]) -> Iterator[str]:
    """Describe the texts and the system that a metric compares and that are not there."""
    if isinstance(metric, ParallelMetric):
        texts = keys["corpora"].test
        for name in (metric.reference, *(metric.texts or ())):
            if name not in texts:
                yield f"no test text is called '{name}'; there are: {', '.join(texts)}"
    if isinstance(metric, SystemMetric):
        shared = SizeList.of(keys["sizes"], keys["merges"])
        systems: tuple[SystemKeys, ...] = keys["systems"]
        known = [
            str(SystemSize(system.title, f"{size}"))
            for system in systems
            for size in system.sizes_of(shared).listed or ("",)
        ]
        if metric.of not in known:
            yield f"`of: {metric.of}` names no system; there are: {', '.join(known)}"


def _offered(
    builder: Builder, corpora: CorporaKeys, all_of_them: bool
) -> tuple[list[Built], list[str]]:
    """Build the metrics on offer, all or the core, that can be scored without being asked for.

    They need no option, and no corpus that is missing; and they learn no model of their own.
    Warnings tell which are left out for another reason.
    """
    registry, metrics, warnings = builder.registry, [], []
    for broken in registry.broken:
        # A file that is broken is warned of already, whatever is asked of it.
        reason = "" if broken.plugin.is_file else f": {broken.reason}"
        what = f"plugin {broken.plugin.name} is broken, its metrics are left out{reason}"
        warnings.append(what)
    core = (*CORE, *OF_PAIRS) if corpora.pairs else CORE
    for name in dict.fromkeys(offer.name for offer in registry.offers if offer.kind == "metric"):
        if not all_of_them and name not in core:
            continue
        offer = registry.find("metric", name)
        try:
            metric = cast(type[Metric], offer.component)
            required = any(field.is_required() for field in metric.model_fields.values())
            if required or _missing(metric, corpora) or issubclass(metric, TrainingMetric):
                continue
            check_requirements(name, metric)
        except PluginError as error:
            warnings.append(f"a metric is left out: {error}")
            continue
        metrics.append(builder.build_in_config("metric", Use(use=name)))
    return metrics, warnings


def _missing(metric: type[Metric], corpora: CorporaKeys) -> str | None:
    """Describe which corpus a metric lacks; None if it can be computed."""
    if {"training", "training-lines"} & metric.needs and not corpora.train:
        return "needs a training text: add corpora.train"
    if "gold" in metric.needs and not corpora.gold:
        return "needs gold segmentations: add a corpus under corpora.gold"
    if "pairs" in metric.needs and not corpora.pairs:
        return "needs pairs of words: add a corpus under corpora.pairs"
    by_line = issubclass(metric, AdditiveMetric) and metric.per == "line"
    if (by_line or metric.texts_only) and not corpora.test:
        return "needs running text: add a corpus under corpora.test"
    return None


Metrics = Annotated[
    MetricsPart,
    WrittenAs(
        Annotated[tuple[Annotated[Built, component("metric")], ...], Field(min_length=1)]
        | Literal["all"]
        | None,
        _read,
    ),
]
