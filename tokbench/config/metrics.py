"""The key `metrics` of a config: those that it lists, or all whose needs are met."""

from typing import Any, Literal, cast

from tokbench.api import Metric
from tokbench.api.component import Use
from tokbench.api.metric import TrainingMetric
from tokbench.config.components import Builder, Built
from tokbench.config.corpora import CorporaKeys
from tokbench.config.experiment import NamedMetric
from tokbench.errors import PluginError
from tokbench.plugins import check_requirements

CORE = (
    "round-trip",
    "round-trip-text",
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
"""The metrics that are scored if the config lists none.

The same for texts and lists, so that tables of all corpora have the same columns.
"""

OF_PAIRS = (
    "token-edit-distance",
    "boundary-flips",
    "fertility-change",
    "lost-whole",
    "new-unknown-characters",
)
"""Those that join them where there are pairs."""


def metrics_of(
    written: tuple[Built, ...] | Literal["all"] | None, corpora: CorporaKeys, builder: Builder
) -> tuple[tuple[NamedMetric, ...], list[dict[str, Any]], list[str]]:
    """Return the metrics that a config asks for, their JSON form, and warnings of those left out.

    Raises WrongValueError for one that cannot be built, ClashError for a name offered twice.
    """
    listed = written if isinstance(written, tuple) else ()
    chosen, warnings = [*listed], list[str]()
    if not listed:
        chosen, warnings = _offered(builder, corpora, written == "all")
    metrics = {metric.described: metric for metric in chosen}
    # Metrics that show what chance alone gives, and others, join those that they stand beside.
    for metric in chosen:
        others = [Use(use=name) for name in filter(None, [metric.component.chance])]
        others += [Use(**{**metric.plain, "use": name}) for name in metric.component.beside]
        for use in others:
            other = builder.build_in_config("metric", use, "metrics")
            metrics.setdefault(other.described, other)
    named = (
        NamedMetric(name, metric.component, metric in listed) for name, metric in metrics.items()
    )
    return tuple(named), [metric.plain for metric in metrics.values()], warnings


def _offered(
    builder: Builder, corpora: CorporaKeys, all_of_them: bool
) -> tuple[list[Built], list[str]]:
    """Build the metrics on offer, all or the core, that can be scored without being asked for.

    They need no option, and no corpus that is missing; and they learn no model of their own.
    Warnings tell which are left out for another reason.
    """
    registry, metrics, warnings = builder.registry, [], []
    of_models: list[str] = []
    with_options: list[str] = []
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
            if lacking(metric, corpora):
                continue
            if required or issubclass(metric, TrainingMetric):
                (with_options if required else of_models).append(name)
                continue
            check_requirements(name, metric)
        except PluginError as error:
            warnings.append(f"a metric is left out: {error}")
            continue
        metrics.append(builder.build_in_config("metric", Use(use=name), "metrics"))
    reasons = {"they learn a model": of_models, "they need an option": with_options}
    left_out = [f"{', '.join(names)} ({why})" for why, names in reasons.items() if names]
    if all_of_them and left_out:
        warnings.append(f"metrics: `all` leaves out {' and '.join(left_out)}: list them too")
    return metrics, warnings


def lacking(metric: type[Metric], corpora: CorporaKeys) -> str | None:
    """Describe which corpus a metric lacks; None if it can be computed."""
    if {"training", "training-lines"} & metric.needs and not corpora.train:
        return "needs a training text: add corpora.train"
    if "gold" in metric.needs and not corpora.gold:
        return "needs gold segmentations: add a corpus under corpora.gold"
    if "pairs" in metric.needs and not corpora.pairs:
        return "needs pairs of words: add a corpus under corpora.pairs"
    if (metric.per == "line" or metric.texts_only) and not corpora.test:
        return "needs running text: add a corpus under corpora.test"
    return None
