"""Two runs side by side: what differs in their settings, their numbers, and their tokens.

Numbers are counted again from the tokens that both runs kept, on the same resamples, so differences
are paired, as those between the systems of one run are.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose, isnan
from typing import Any, NamedTuple

from tokbench.api import Metric, TrainingMetric, UsageError
from tokbench.commands import Registry, Use, core, holm_by_family, run_folder
from tokbench_commands.shared import build

ELSEWHERE = ("corpora", "systems", "metrics")
"""Keys of a config that have facts of their own."""

Estimates = Mapping[tuple[str, str], Any]
"""By metric and subset, the estimates of a system on a corpus."""

DIGITS = 12
ROUNDING = 1e-12
"""Values that differ by no more than this share are equal: they were added up in another order."""

OTHER_TEXTS = (
    "unseen words and bands: the runs learned from different texts, so that other words are unseen"
)


class Setting(NamedTuple):
    """A setting that is not the same in both runs; an empty one is not there."""

    what: str
    first: str
    second: str


class CutPlace(NamedTuple):
    """A system at a size and in a context, and the corpus that it cut."""

    system: str
    size: str
    context: str
    corpus: str

    @property
    def label(self) -> str:
        """The system with its size."""
        return str(run_folder.SystemSize(self.system, self.size))


class DifferentCut(NamedTuple):
    """A word that two runs cut differently: how often they do so, and its tokens in both.

    In context a word may be cut in several ways; those that differ most often stand here.
    """

    word: str
    running: int
    first: tuple[str, ...]
    second: tuple[str, ...]


class ComparedNumber(NamedTuple):
    """A number in both runs, and the second minus the first with its interval.

    `short_text` is `yes` where the interval may be too narrow, since the text is short.
    `better` is the direction of the metric. `p_holm` is p after Holm's correction over all systems
    and sizes. What is undefined is None.
    """

    system: str
    size: str
    context: str
    corpus: str
    subset: str
    metric: str
    better: str
    first: float | None
    second: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    short_text: str = ""


CSV = tuple(field.replace("_", "-") for field in ComparedNumber._fields)
"""The columns of compared numbers."""


@dataclass(frozen=True)
class TwoRuns:
    """What two runs have in common and what not; `left_out` says what could not be compared.

    `cuts` holds by place the words that are cut differently, the most frequent first. `labels` are
    the names of metrics for people.
    """

    settings: Sequence[Setting]
    left_out: Sequence[str]
    numbers: Sequence[ComparedNumber]
    cuts: Mapping[CutPlace, Sequence[DifferentCut]]
    labels: Mapping[str, str]


def compare_runs(first: "run_folder.Run", second: "run_folder.Run", registry: Registry) -> TwoRuns:
    """Compare two runs; metrics are built again from the configs, with the plugins of `registry`.

    Raises UsageError, with the reasons, where they have no text or no system in common.
    """
    corpora, other_corpora = _corpora(first, second)
    if not corpora:
        raise UsageError("; ".join(["the runs cannot be compared", *other_corpora]))
    outcomes, other_outcomes = _outcomes(first, second)
    left_out = [*other_corpora, *other_outcomes]
    if not outcomes:
        raise UsageError(
            "; ".join(["the runs have no system at the same size in common", *left_out])
        )
    same_training = _training(first) == _training(second)
    metrics, other_metrics = _metrics(first, second, registry)
    left_out += [*([] if same_training else [OTHER_TEXTS]), *other_metrics]
    tests = _test_sets(first, corpora, same_training)
    gated = {
        (row.system, row.size, row.context, row.corpus, row.metric)
        for run in (first, second)
        for row in run.rows
        if row.gated
    }
    others = {(each.system, each.size, each.context): each for each in second.record.outcomes}
    short = {test.name for test in first.record.tests if test.is_short}
    numbers: list[ComparedNumber] = []
    cuts: dict[CutPlace, Sequence[DifferentCut]] = {}
    for outcome in outcomes:
        before, after = (_segmentations(run, outcome, corpora) for run in (first, second))
        for corpus in (name for name in corpora if name in before and name in after):
            context = "isolated" if before[corpus].context is None else "in-context"
            place = CutPlace(outcome.system, outcome.size, context, corpus)
            other = others[outcome.system, outcome.size, outcome.context]
            lost = [each.loses_word_ends(context) for each in (outcome, other) if each.told_edge]
            unlike = first.record.lengths if {*lost} == {False, True} else frozenset()
            cuts[place] = different_cuts(before[corpus], after[corpus])
            scores = [core.score(tests[corpus], metrics, of) for of in (before, after)]
            left_out += (
                f"metric {metric} on {corpus}: {error}"
                for scored in scores
                for metric, error in scored.errors
            )
            for number in _numbers(place, metrics, *(scored.estimates for scored in scores)):
                # What did not change must not make Holm's correction stricter for the rest.
                if not cuts[place]:
                    number = _of_same_tokens(number)
                elif (*place, number.metric) in gated or number.metric in unlike:
                    number = number._replace(p=None)
                if number.low is not None and cuts[place] and corpus in short:
                    number = number._replace(short_text="yes")
                numbers.append(number)
    settings = [*differing_settings(first, second)]
    labels = second.record.labels
    return TwoRuns(settings, [*dict.fromkeys(left_out)], _adjusted(numbers), cuts, labels)


def _test_sets(
    run: "run_folder.Run", corpora: Collection[str], same_training: bool
) -> dict[str, "core.TestSet"]:
    """Prepare the test corpora of a run for its tokens and for those of another run.

    Unless both learned from the same training text, there are no unseen words to speak of.
    """
    record = run.record
    tests = {}
    for test in record.tests:
        if test.name in corpora:
            words = run.words(test.name)
            if not same_training:
                words = replace(words, train_count=None, groups={})
            kind: Any = test.kind
            corpus = core.TestCorpus(test.name, kind, words, test.sha256, test.words_by)
            by: Any = test.drawn_by.partition(":")[0] or record.resample_by
            length, twice = test.block_length, test.drawn_twice
            if length and twice is not None:  # else it is of an earlier version
                by = core.Drawing(by, length, test.fitting_length or length, max(twice, 0))
            draws = corpus, record.resamples, record.seed, by, length
            tests[test.name] = core.TestSet.prepare(*draws)
    return tests


def _numbers(
    place: CutPlace, metrics: Mapping[str, Metric], first: Estimates, second: Estimates
) -> Iterator[ComparedNumber]:
    """Yield the numbers that either run has of a system on a corpus, tested in pairs."""
    for metric, subset in {**first, **second}:
        before, after = first.get((metric, subset)), second.get((metric, subset))
        values = [
            None if estimate is None or isnan(estimate.value) else estimate.value
            for estimate in (before, after)
        ]
        number = ComparedNumber(
            *place, subset, metric, metrics[metric].better, first=values[0], second=values[1]
        )
        if before is not None and after is not None and None not in values:
            if paired := core.compare(after, before):
                difference, low, high, p = paired
                number = number._replace(difference=difference, low=low, high=high, p=p)
        elif values == [None, None]:
            continue
        yield number


def _of_same_tokens(number: ComparedNumber) -> ComparedNumber:
    """Return a number of words that both runs cut alike: there is nothing to be tested.

    Only what depends on the vocabulary too can differ then; sums in another order do not count.
    """
    first, second = number.first, number.second
    if first is None or second is None or not isclose(first, second, rel_tol=ROUNDING):
        return number._replace(p=None)
    end = None if number.low is None else 0.0
    return number._replace(second=first, difference=0.0, low=end, high=end, p=None)


def differing_settings(first: "run_folder.Run", second: "run_folder.Run") -> Iterator[Setting]:
    """Yield what differs in the records of two runs, numbers and tokens apart."""
    before, after = _facts(first), _facts(second)
    for what in dict.fromkeys([*before, *after]):
        if before.get(what, "") != after.get(what, ""):
            yield Setting(what, before.get(what, ""), after.get(what, ""))


def _facts(run: "run_folder.Run") -> dict[str, str]:
    """Return what a run depends on, by name."""
    record = run.record
    return {
        "tokbench": record.tokbench,
        **{f"package {name}": version for name, version in record.packages.items()},
        "python": str(record.machine.get("python", "")).partition(" ")[0],
        **{
            name: json.dumps(value)
            for name, value in record.resolved.items()
            if name not in ELSEWHERE
        },
        **{
            f"{corpus.kind} {corpus.name}": _described(corpus, record.resample_by)
            for corpus in record.corpora
        },
        **{f"system {system.name}": system.components for system in record.systems},
        **{f"sizes of {system.name}": ", ".join(system.sizes) for system in record.systems},
        **{f"metric {metric.name}": "scored" for metric in record.metrics},
        **{f"file {file.name.lstrip('/')}": file.sha256[:DIGITS] for file in record.files},
    }


def _described(corpus: "run_folder.CorpusRecord", resample_by: str) -> str:
    treatment = f", {corpus.treatment}" if corpus.treatment else ""
    if corpus.kind == "text":
        treatment += f", resampled by {corpus.drawn_by or resample_by}"
    return f"{corpus.sha256[:DIGITS]}, words: {corpus.words_by}{treatment}"


def _training(run: "run_folder.Run") -> list[tuple[str, ...]]:
    return [_content(corpus) for corpus in run.record.corpora if corpus.kind == "training"]


def _content(corpus: "run_folder.CorpusRecord") -> tuple[str, ...]:
    """Return what two corpora must have in common to hold the same words."""
    return corpus.kind, corpus.sha256, corpus.words_by, corpus.treatment


def _corpora(first: "run_folder.Run", second: "run_folder.Run") -> tuple[list[str], list[str]]:
    """Return the test corpora that both runs have, with the same words, and why not the others."""
    others = {corpus.name: corpus for corpus in second.record.tests}
    names, left_out = [], []
    for corpus in first.record.tests:
        name, other = corpus.name, others.pop(corpus.name, None)
        if other is None:
            why = "only the first run has it"
        elif corpus.sha256 != other.sha256:
            why = "its text is not the same in both runs"
        elif _content(corpus) != _content(other):
            why = "its words are not found in the same way in both runs"
        elif first.is_without_text or second.is_without_text:
            why = "a run kept no text of it, as with `samples: none`"
        elif first.words(name).text != second.words(name).text:
            why = "its words are not the same in both runs"
        else:
            names.append(name)
            continue
        left_out.append(f"{corpus.kind} {name}: {why}")
    left_out += (
        f"{other.kind} {name}: only the second run has it" for name, other in others.items()
    )
    return names, left_out


def _outcomes(
    first: "run_folder.Run", second: "run_folder.Run"
) -> tuple[list["run_folder.OutcomeRecord"], list[str]]:
    """Return the outcomes that both runs have, and which only one of them has."""
    before, after = (
        {(each.system, each.size, each.context): each for each in run.record.outcomes}
        for run in (first, second)
    )
    left_out = []
    for these, those, which in ((before, after, "first"), (after, before, "second")):
        systems = {each.system for each in those.values()}
        alone = [each for key, each in these.items() if key not in those]
        at_size = [each.label for each in alone if each.system in systems]
        if at_size:
            left_out.append(f"the {which} run alone has these at this size: {', '.join(at_size)}")
        if len(at_size) < len(alone):
            labels = (each.label for each in alone if each.system not in systems)
            left_out.append(f"only the {which} run has {', '.join(labels)}")
    return [outcome for key, outcome in before.items() if key in after], left_out


def _metrics(
    first: "run_folder.Run", second: "run_folder.Run", registry: Registry
) -> tuple[Mapping[str, Metric], list[str]]:
    """Build the metrics that both runs scored; return also which need more than tokens."""
    scored = {metric.name for metric in second.record.metrics}
    metrics: dict[str, Metric] = {}
    left_out = []
    for plain in first.record.resolved["metrics"]:
        metric: Metric = build(registry, "metric", Use.model_validate(plain))
        name = metric.describe(plain["use"])
        if "system" in metric.needs:
            left_out.append(f"metric {name}: it compares with a system of its own run")
        elif isinstance(metric, TrainingMetric):
            left_out.append(
                f"metric {name}: it learns from the training text, which runs do not hold"
            )
        elif name in scored:
            metrics[name] = metric
    return metrics, left_out


def _segmentations(
    run: "run_folder.Run", outcome: "run_folder.OutcomeRecord", corpora: Iterable[str]
) -> dict[str, "core.Segmentation"]:
    """Return a system's tokens of all corpora for which they are kept in this context."""
    cuts = {}
    for name in corpora:
        try:
            cuts[name] = run.segmentation(outcome.system, name, outcome.size, outcome.context)
        except UsageError:
            continue  # lists have no copy that is cut alone
    return cuts


def _adjusted(numbers: Sequence[ComparedNumber]) -> list[ComparedNumber]:
    """Adjust the p-values of all systems and sizes on one metric, corpus and subset after Holm."""
    families = [(number.metric, number.corpus, number.subset) for number in numbers]
    adjusted = holm_by_family([number.p for number in numbers], families)
    return [number._replace(p_holm=p) for number, p in zip(numbers, adjusted, strict=True)]


def different_cuts(first: "core.Segmentation", second: "core.Segmentation") -> list[DifferentCut]:
    """Compare the tokens of each running word, and count those that differ by their word."""
    import numpy as np  # not at the top, since the help of `tokbench compare` waits for none

    pairs = first.states_at() * len(second) + second.states_at()
    cuts: dict[int, Counter[tuple[tuple[str, ...], ...]]] = {}
    distinct, times = np.unique(pairs, return_counts=True)
    for pair, count in zip(distinct.tolist(), times.tolist(), strict=True):
        before, after = divmod(pair, len(second))
        tokens = tuple(first.pieces(before)), tuple(second.pieces(after))
        if tokens[0] != tokens[1]:
            cuts.setdefault(int(first.word[before]), Counter())[tokens] += count
    frequent = sorted(cuts, key=lambda number: (-cuts[number].total(), number))
    return [
        DifferentCut(
            first.words.text[number], cuts[number].total(), *cuts[number].most_common(1)[0][0]
        )
        for number in frequent
    ]
