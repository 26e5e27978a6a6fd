"""Which engine does the work of a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from tokbench import plugins
from tokbench.api import Component
from tokbench.api.engine import COUNT_TABLE, active, chosen, kernels, using

if TYPE_CHECKING:
    from tokbench.config import Experiment


@contextmanager
def engine_of(experiment: "Experiment") -> Iterator[None]:
    """Let the engine of TOKBENCH_ENGINE, or else of the config, do the work inside.

    Raises PluginError where that is the compiled one, and a part of it was not built.
    """
    asked = chosen()
    with using(experiment.engine if asked == "auto" else asked):
        train = experiment.train
        components: list[Component] = [train.splitter] if train else []
        for system in experiment.systems:
            components += [part for part in (system.learner, system.segmenter) if part is not None]
        for module in (COUNT_TABLE, *(component.kernels for component in components)):
            if module is not None:
                kernels(module)
        yield


def print_engines() -> None:
    """Print which engine does the work of each module of compiled code."""
    offers = plugins.load().offers
    modules = {offer.component.kernels for offer in offers if offer.component.kernels}
    for module in sorted(modules | {COUNT_TABLE}):
        click.echo(f"engine {active(module)}: {module}")
