"""Assertions on the command line: read, checked against names, and what they say of a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tokbench.assertions import (
    EXAMPLE,
    AssertedNumber,
    Assertion,
    AssertionResult,
)
from tokbench.cli.options import say
from tokbench.errors import UsageError

if TYPE_CHECKING:
    from tokbench.config import Experiment
    from tokbench.run_folder import Run

NOT_HELD = 5
"""The exit code where nothing failed, but an assertion does not hold."""

assert_option = click.option(
    "--assert",
    "asserted",
    metavar="EXPR",
    multiple=True,
    help=f"What must hold, such as '{EXAMPLE}', else the exit code is {NOT_HELD}; at its end"
    " `significantly`: the worse end of the interval too.",
)


def parse_assertions(texts: Sequence[str], differences: bool = False) -> list[Assertion]:
    """Read assertions; raises UsageError for a text that is not an assertion."""
    assertions = []
    for text in texts:
        try:
            assertions.append(Assertion.parse(text, differences))
        except ValueError as error:
            raise UsageError(f"--assert: {error}") from None
    return assertions


def warn_of_names(assertions: Sequence[Assertion], experiment: "Experiment") -> None:
    """Warn of assertions that cannot match, before anything is learned."""
    places = [
        (system.name, str(size or ""), corpus, metric.name)
        for system in experiment.systems
        for size in system.sizes or (None,)
        for corpus in experiment.scored
        for metric in experiment.metrics
    ]
    for assertion in assertions:
        numbers = (AssertedNumber(*place[:3], assertion.subset, place[3], None) for place in places)
        if why := assertion.unmatched(numbers):
            say(f"warning: assert: {assertion.text}: {why}")


def numbers_of(run: "Run") -> list[AssertedNumber]:
    """Return the numbers of a run that assertions are about: those of the whole training text."""
    return [
        AssertedNumber(
            row.system, row.size, row.corpus, row.subset, row.metric, row.value, row.low, row.high
        )
        for row in run.rows
        if row.training_share == 1
    ]


def say_results(results: Sequence[AssertionResult], quiet: bool = False) -> bool:
    """Say which assertions hold, unless it is `quiet`, and which do not; True where all hold."""
    for result in results:
        if result.failures or not quiet:
            parts = (f"assertion {result.verdict}", result.text, result.why)
            say(": ".join(filter(None, parts)))
    return not any(result.failures for result in results)
