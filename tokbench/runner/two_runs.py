"""Two runs side by side: what differs in their settings, their numbers, and their tokens.

The numbers are counted again from the tokens that both runs kept, on the same resamples, so that
differences are paired as those between systems of one run are.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tokbench.api import Metric, Segmentation, SystemMetric
from tokbench.api.component import Use
from tokbench.corpora.load import TestCorpus
from tokbench.corpora.unfinished import CorpusKind
from tokbench.errors import UsageError
from tokbench.plugins import Registry
from tokbench.run_folder import CorpusRecord, OutcomeRecord, Run
from tokbench.run_folder.record import Record
from tokbench.score.compare import compare
from tokbench.score.estimate import Estimates, score
from tokbench.score.test_set import TestSet
from tokbench.significance import holm_by_family

KINDS: Mapping[str, CorpusKind] = {one: one for one in ("text", "list", "gold", "pairs")}
SETTINGS = ("seed", "resamples", "resample-by", "gate", "bands", "baseline", "training-shares")
DIGITS = 12


class Setting(NamedTuple):
    """A setting that is not the same in both runs; an empty one is not there."""

    what: str
    first: str
    second: str


@dataclass(frozen=True)
class NumberPair:
    """One number in both runs, and the second minus the first with its interval and p."""

    system: str
    size: str
    context: str
    corpus: str
    subset: str
    metric: str
    better: str
    first: float
    second: float
    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None


class DifferentCut(NamedTuple):
    """A word that two runs cut differently: how often it occurs, and its tokens in both.

    In context a word may be cut in several ways; the most frequent one stands here.
    """

    word: str
    running: int
    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True)
class DifferentCuts:
    """The words of a corpus that a system cuts differently, the most frequent first."""

    system: str
    size: str
    context: str
    corpus: str
    running: int
    distinct: int
    words: Sequence[DifferentCut]


@dataclass(frozen=True)
class TwoRuns:
    """What two runs have in common and what not; `left_out` says what could not be compared."""

    settings: tuple[Setting, ...]
    left_out: tuple[str, ...]
    numbers: tuple[NumberPair, ...]
    cuts: tuple[DifferentCuts, ...]


def compare_runs(first: Run, second: Run, registry: Registry) -> TwoRuns:
    """Compare two runs; metrics are built again from the configs, with the plugins of `registry`.

    Raises UsageError, with the reasons, where they have no text or no system in common.
    """
    left_out: list[str] = []
    tests = [*_tests(first, second, left_out)]
    if not tests:
        raise UsageError("; ".join(["the runs cannot be compared", *left_out]))
    if _training(first) != _training(second):
        what = "the runs learned from different texts, so that other words are unseen"
        left_out.append(f"unseen words and bands: {what}")
    pairs = [*_outcomes(first, second, left_out)]
    if not pairs:
        raise UsageError("; ".join(["the runs have no system in common", *left_out]))
    metrics = _metrics(first, second, registry, left_out)
    gated = {
        (row.system, row.size, row.context, row.corpus, row.metric)
        for run in (first, second)
        for row in run.rows
        if row.gated
    }
    numbers: list[NumberPair] = []
    cuts: list[DifferentCuts] = []
    for outcome in pairs:
        one, other = (_segmentations(run, outcome, tests) for run in (first, second))
        for test in (test for test in tests if test.corpus.name in one.keys() & other.keys()):
            corpus = test.corpus.name
            found = _cuts(outcome, corpus, one[corpus], other[corpus])
            cuts.append(found)
            scores = [score(test, metrics, of) for of in (one, other)]
            for name, error in (wrong for each in scores for wrong in each.errors):
                left_out.append(f"metric {name} on {corpus}: {error}")
            for pair in _numbers(found, metrics, *(each.estimates for each in scores)):
                place = (pair.system, pair.size, pair.context, corpus, pair.metric)
                # Where all words are cut alike, there is nothing to be tested.
                tested = found.distinct > 0 and place not in gated
                numbers.append(pair if tested else replace(pair, p=None))
    return TwoRuns(
        settings=tuple(_settings(first, second)),
        left_out=tuple(dict.fromkeys(left_out)),
        numbers=tuple(_adjusted(numbers)),
        cuts=tuple(cuts),
    )


def _settings(first: Run, second: Run) -> Iterator[Setting]:
    """Yield what differs in the records of two runs, numbers and tokens apart."""
    one, other = _facts(first.record), _facts(second.record)
    for what in dict.fromkeys([*one, *other]):
        pair = one.get(what, ""), other.get(what, "")
        if pair[0] != pair[1]:
            yield Setting(what, *pair)


def _facts(record: Record) -> dict[str, str]:
    """Return what a run depends on, by name."""
    return {
        "tokbench": record.tokbench,
        **{f"package {name}": version for name, version in record.packages.items()},
        **{name: json.dumps(record.resolved.get(name)) for name in SETTINGS},
        **{f"{corpus.kind} {corpus.name}": _described(corpus) for corpus in record.corpora},
        **{f"system {system.name}": system.components for system in record.systems},
        **{f"sizes of {system.name}": ", ".join(system.sizes) for system in record.systems},
        **{f"metric {metric.name}": "scored" for metric in record.metrics},
        **{f"file {file.name}": file.sha256[:DIGITS] for file in record.files},
    }


def _described(corpus: CorpusRecord) -> str:
    treatment = f", {corpus.treatment}" if corpus.treatment else ""
    return f"{corpus.sha256[:DIGITS]}, words: {corpus.words_by}{treatment}"


def _tests(first: Run, second: Run, left_out: list[str]) -> Iterator[TestSet]:
    """Make the test corpora ready that both runs have, with the words of both alike."""
    record = first.record
    others = {corpus.name: corpus for corpus in second.record.tests}
    trained = [
        [one for one in run.record.corpora if one.kind == "training"] for run in (first, second)
    ]
    same_training = [*map(_content, trained[0])] == [*map(_content, trained[1])]
    for corpus in record.tests:
        other = others.get(corpus.name)
        if other is None:
            left_out.append(f"{corpus.kind} {corpus.name}: only the first run has it")
            continue
        if _content(corpus) != _content(other):
            what = "its text" if corpus.sha256 != other.sha256 else "how its words are found"
            left_out.append(f"{corpus.kind} {corpus.name}: {what} is not the same in both runs")
            continue
        words = first.words(corpus.name)
        if words.text != second.words(corpus.name).text:
            left_out.append(f"{corpus.kind} {corpus.name}: its words are not the same in both runs")
            continue
        if not same_training:
            words = replace(words, train_count=None, groups={})
        test = TestCorpus(corpus.name, KINDS[corpus.kind], words, corpus.sha256, corpus.words_by)
        by = record.resample_by
        yield TestSet.prepare(
            test, record.resamples, record.seed, "document" if by == "document" else "line"
        )
    for name in others.keys() - {corpus.name for corpus in record.tests}:
        left_out.append(f"{others[name].kind} {name}: only the second run has it")


def _training(run: Run) -> list[tuple[str, ...]]:
    return [_content(corpus) for corpus in run.record.corpora if corpus.kind == "training"]


def _content(corpus: CorpusRecord) -> tuple[str, ...]:
    """Return what two corpora must have in common to hold the same words."""
    return corpus.kind, corpus.sha256, corpus.words_by, corpus.treatment


def _outcomes(first: Run, second: Run, left_out: list[str]) -> Iterator[OutcomeRecord]:
    """Yield the outcomes that both runs have."""
    one, other = (
        {(each.system, each.size, each.context): each for each in run.record.outcomes}
        for run in (first, second)
    )
    for these, those, which in ((one, other, "first"), (other, one, "second")):
        if missing := [outcome.label for key, outcome in these.items() if key not in those]:
            left_out.append(f"only the {which} run has {', '.join(missing)}")
    yield from (outcome for key, outcome in one.items() if key in other)


def _metrics(
    first: Run, second: Run, registry: Registry, left_out: list[str]
) -> Mapping[str, Metric]:
    """Build the metrics that both runs scored."""
    found: dict[str, Metric] = {}
    known = {one.name for one in second.record.metrics}
    for plain in first.record.resolved["metrics"]:
        use = Use.model_validate(plain)
        metric = registry.build("metric", use)
        assert isinstance(metric, Metric)  # the registry gives what it was asked for
        name = metric.describe(use.use)
        if isinstance(metric, SystemMetric):
            left_out.append(f"metric {name}: it compares with a system of its own run")
        elif name in known:
            found[name] = metric
    return found


def _segmentations(
    run: Run, outcome: OutcomeRecord, tests: Iterable[TestSet]
) -> dict[str, Segmentation]:
    """Return a system's tokens of all corpora for which they are kept in this context."""
    found = {}
    for name in (test.corpus.name for test in tests):
        try:
            found[name] = run.segmentation(outcome.system, name, outcome.size, outcome.context)
        except UsageError:
            continue  # lists have no copy that is cut alone
    return found


def _numbers(
    cuts: DifferentCuts, metrics: Mapping[str, Metric], first: Estimates, second: Estimates
) -> Iterator[NumberPair]:
    """Yield the numbers that both segmentations have, and their differences."""
    for (metric, subset), one in first.items():
        other = second.get((metric, subset))
        if other is None or np.isnan(one.value) or np.isnan(other.value):
            continue
        yield NumberPair(
            cuts.system,
            cuts.size,
            cuts.context,
            cuts.corpus,
            subset,
            metric,
            metrics[metric].better,
            one.value,
            other.value,
            *(compare(other, one) or (None,)),
        )


def _adjusted(numbers: Sequence[NumberPair]) -> Iterator[NumberPair]:
    """Adjust the p-values of all systems and sizes on one metric, corpus and subset after Holm."""
    families = [(one.metric, one.corpus, one.subset) for one in numbers]
    adjusted = holm_by_family([one.p for one in numbers], families)
    for one, p in zip(numbers, adjusted, strict=True):
        yield replace(one, p_holm=p)


def _cuts(
    outcome: OutcomeRecord, corpus: str, first: Segmentation, second: Segmentation
) -> DifferentCuts:
    words, count = first.words.text, first.words.count
    one, other = (_ways(found) for found in (first, second))
    different = [number for number in range(len(words)) if one.get(number) != other.get(number)]
    different.sort(key=lambda number: (-int(count[number]), number))
    return DifferentCuts(
        system=outcome.system,
        size=outcome.size,
        context="isolated" if first.context is None else "in-context",
        corpus=corpus,
        running=int(count[different].sum()),
        distinct=len(different),
        words=[
            DifferentCut(
                words[number],
                int(count[number]),
                *(found[number].most_common(1)[0][0] for found in (one, other)),
            )
            for number in different
        ],
    )


def _ways(found: Segmentation) -> dict[int, Counter[tuple[str, ...]]]:
    """Return for each word how it is cut, and how often in each of these ways."""
    ways: dict[int, Counter[tuple[str, ...]]] = {}
    times: Any = found.count.tolist()
    for state, word in enumerate(found.word.tolist()):
        if times[state]:
            ways.setdefault(word, Counter())[tuple(found.pieces(state))] += times[state]
    return ways
