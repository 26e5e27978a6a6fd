"""The metrics of a config: those that it lists, or all whose needs are met."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from tokbench.api import AdditiveMetric, Component, Metric, ParallelMetric, SystemMetric
from tokbench.api.component import Use
from tokbench.api.metric import TrainingMetric
from tokbench.api.vocabulary import SystemSize
from tokbench.config.components import Builder, Built
from tokbench.config.corpora import Role
from tokbench.config.experiment import NamedMetric
from tokbench.config.messages import found
from tokbench.config.parts import Parts
from tokbench.config.problems import Where
from tokbench.config.systems import SystemsPart
from tokbench.errors import PluginError
from tokbench.plugins import check_requirements

WHERE: Where = ("metrics",)
ALL = "all"
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


@dataclass
class MetricsPart:
    """The metrics in order, and the JSON form."""

    metrics: list[NamedMetric] = field(default_factory=list)
    plain: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, built: Built, listed: bool = False) -> bool:
        """Add a metric; return whether it is new. `listed` if the config names it."""
        metric = cast(Metric, built.component)
        name = metric.describe(built.name)
        if any(other.name == name for other in self.metrics):
            return False
        self.metrics.append(NamedMetric(name, metric, listed))
        self.plain.append(built.plain)
        return True


def read_metrics(
    parts: Parts, builder: Builder, given: Mapping[Role, bool], systems: SystemsPart
) -> MetricsPart:
    """Check `metrics`; what is wrong goes to the problems of `parts`, what is right is given.

    `given` holds which kinds of corpora there are to score; some metrics name one of the `systems`.
    """
    part = MetricsPart()
    listed = parts.get(WHERE)
    if listed is None or listed == ALL:
        core = (*CORE, *OF_PAIRS) if given["pairs"] else CORE
        _add_offered(part, builder, given, core if listed is None else None)
    elif not isinstance(listed, list) or not listed:
        what = f"found {found(listed)}, expected a list of metrics, or `all`; without it a core of "
        parts.problem(WHERE, f"{what}{len(CORE)} is scored")
    else:
        for i in range(len(listed)):
            where = (*WHERE, i)
            built = builder.at("metric", where)
            if built is None:
                continue
            if missing := _missing(type(built.component), given):
                parts.problem(where, f"'{built.name}' {missing}")
            _check_texts(parts, where, cast(Metric, built.component))
            _check_system(parts, where, cast(Metric, built.component), systems)
            if not part.add(built, listed=True):
                parts.problem(where, f"'{built.name}' stands twice with the same options")
    # Metrics that show what chance alone gives, and others, join those that they stand beside.
    for named, plain in [*zip(part.metrics, part.plain, strict=True)]:
        others = [Use(use=name) for name in filter(None, [named.metric.chance])]
        others += [Use(**{**plain, "use": name}) for name in named.metric.beside]
        for use in others:
            if built := builder.build("metric", use, WHERE):
                part.add(built)
    return part


def _check_texts(parts: Parts, where: Where, metric: Metric) -> None:
    """Check that the texts that a metric compares are there."""
    if not isinstance(metric, ParallelMetric):
        return
    tests = parts.get(("corpora", "test"))
    known = list(tests) if isinstance(tests, dict) and "path" not in tests else ["test"]
    for name in (metric.reference, *(metric.texts or ())):
        if name not in known:
            what = f"no test text is called '{name}'; there are: {', '.join(map(str, known))}"
            parts.problem(where, what)


def _check_system(parts: Parts, where: Where, metric: Metric, systems: SystemsPart) -> None:
    """Check that the system that a metric compares with is there, at that size."""
    if not isinstance(metric, SystemMetric) or len(systems.systems) < len(systems.names):
        return  # what is wrong with a system comes first
    known = [
        label
        for system in systems.systems
        for label in [str(SystemSize(system.name, f"{size}")) for size in system.sizes or ("",)]
    ]
    if metric.of not in known:
        what = f"`of: {metric.of}` names no system; there are: {', '.join(known)}"
        parts.problem(where, what)


def _add_offered(
    part: MetricsPart, builder: Builder, given: Mapping[Role, bool], names: Sequence[str] | None
) -> None:
    """Add every metric on offer, or those of `names`, that can be scored without being asked for.

    It needs no option, and no corpus that is missing; and it learns no model of its own.
    """
    for broken in builder.registry.broken:
        # A file that is broken is warned of already, whatever is asked of it.
        reason = "" if broken.plugin.is_file else f": {broken.reason}"
        what = f"plugin {broken.plugin.name} is broken, its metrics are left out{reason}"
        part.warnings.append(what)
    offered = (offer.name for offer in builder.registry.offers if offer.kind == "metric")
    for name in dict.fromkeys(offered):
        if names is not None and name not in names:
            continue
        try:
            offer = builder.registry.find("metric", name)
        except PluginError as error:
            builder.parts.problem(WHERE, str(error), error=PluginError)
            continue
        try:
            component = offer.component
            required = any(field.is_required() for field in component.model_fields.values())
            if required or _missing(component, given) or issubclass(component, TrainingMetric):
                continue
            check_requirements(name, component)
        except PluginError as error:
            part.warnings.append(f"a metric is left out: {error}")
            continue
        built = builder.build("metric", Use(use=name), WHERE)
        if built:
            part.add(built)


def _missing(component: type[Component], given: Mapping[Role, bool]) -> str | None:
    """Describe which corpus a metric lacks; None if it can be computed."""
    metric = cast(type[Metric], component)
    if {"training", "training-lines"} & metric.needs and not given["train"]:
        return "needs a training text: add corpora.train"
    if "gold" in metric.needs and not given["gold"]:
        return "needs gold segmentations: add a corpus under corpora.gold"
    if "pairs" in metric.needs and not given["pairs"]:
        return "needs pairs of words: add a corpus under corpora.pairs"
    by_line = issubclass(metric, AdditiveMetric) and metric.per == "line"
    if (by_line or metric.texts_only) and not given["test"]:
        return "needs running text: add a corpus under corpora.test"
    return None
