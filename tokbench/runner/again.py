"""Systems learned again: where learning varies, and from samples and shares of the text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from tokbench.config import System
from tokbench.corpora.words import TrainingText, training_words
from tokbench.issues import Issue, Location
from tokbench.run_folder.record import Cost
from tokbench.runner.outcome import SystemResult
from tokbench.runner.system import is_reached

RunAgain = Callable[..., SystemResult]
"""Runs a system again; `told` is the progress message while it learns."""


def repeated(run: RunAgain, system: System, times: int) -> Iterator[SystemResult]:
    """Run a system again whose learner is not deterministic; only values and issues are kept."""
    what = "its learner is not deterministic, "
    if times == 1:
        what += "and was run once (`repeats: 1`): the spread of its values is not known"
    else:
        what += f"so it is run {times} times; values are those of the first run, `repeat-sd` is "
        what += "their spread"
    yield SystemResult(issues=(Issue("note", what, Location(system.name)),))
    for repeat in range(1, times):
        found = run(f"learning again ({repeat + 1} of {times})", repeat=repeat)
        values = {key: outcome.values for key, outcome in found.outcomes.items()}
        yield SystemResult(repeated=values, issues=found.issues)


def sampled(
    run: RunAgain, system: System, samples: Sequence[TrainingText], first: SystemResult
) -> SystemResult:
    """Run a system on each training sample; only values, costs and issues are kept.

    What happened in the `first` run already is not said again, and what happens in several samples
    is said once.
    """
    parts: list[SystemResult] = []
    met: dict[tuple[Location, str, bool], list[Issue]] = {}
    for sample, text in enumerate(samples, start=1):
        found = run(
            f"learning from training sample {sample} of {len(samples)}",
            text=partial(_split, text, system),
            sample=sample,
        )
        costs = (_summed(system, f"training sample {sample}", found.costs),)
        values = {key: outcome.values for key, outcome in found.outcomes.items()}
        parts.append(SystemResult(sampled=values, costs=costs))
        for issue in found.issues:
            met.setdefault((issue.where, issue.corpus, issue.failed), []).append(issue)
    for issue in first.issues:
        met.pop((issue.where, issue.corpus, issue.failed), None)
    summed = tuple(
        replace(
            issue,
            where=replace(
                issue.where, run=f"in {1 + len(more)} of {len(samples)} training samples"
            ),
        )
        for issue, *more in met.values()
    )
    return SystemResult.joined([*parts, SystemResult(issues=summed)])


def _summed(system: System, step: str, costs: Sequence[Cost]) -> Cost:
    """Sum what a run cost: another process may have done it, or one that was stopped."""
    seconds = sum(cost.seconds for cost in costs)
    return Cost(system.name, step, "", seconds, max(cost.peak_mb for cost in costs))


def _split(text: TrainingText, system: System) -> TrainingText:
    return replace(text, words=training_words(text.words, system.splitter))


def on_shares(
    run: RunAgain, system: System, texts: Mapping[float, TrainingText]
) -> Iterator[SystemResult]:
    """Run a system on shares of the training text; tokens are not kept.

    A size for which a share is too little text is left out: it could not be compared.
    """
    for share, text in texts.items():
        label = f"training-share {share:g}"
        found = run(f"learning from {label}", text=partial(_split, text, system), share=share)
        kept = {k: one for k, one in found.outcomes.items() if is_reached(k.size, one.vocabulary)}
        named = f"{share:.15f}".rstrip("0")  # digits alone, also where the share is tiny
        yield SystemResult(
            vocabularies={f"%{named}{size}": one for size, one in found.vocabularies.items()},
            shares={key: replace(outcome, segmentations={}) for key, outcome in kept.items()},
            costs=(_summed(system, label, found.costs),),
            issues=tuple(
                replace(
                    issue,
                    kind="left out" if issue.kind == "not reached" else issue.kind,
                    where=replace(issue.where, run=label),
                )
                for issue in found.issues
            ),
        )
