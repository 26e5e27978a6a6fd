"""The rows of results.csv, each compared with the baseline, and those of unseen words by kind."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from tokbench.api import Size
from tokbench.api.arrays import CountedWords
from tokbench.api.vocabulary import SystemSize
from tokbench.api.words import KIND, Subset
from tokbench.config import Experiment, System
from tokbench.corpora.groups import KINDS
from tokbench.issues import Reasons
from tokbench.printing import harmless
from tokbench.run_folder.tables import ALL_KINDS, UNDEFINED, GrowthRow, Row, UnseenRow, round_fields
from tokbench.runner.results import Key, Outcome, SystemResult, size_label, spread
from tokbench.score.compare import compare
from tokbench.score.estimate import Estimate
from tokbench.score.resample import exact_sums, interval
from tokbench.score.test_set import TestSet
from tokbench.significance import MINIMUM_EVENT_UNITS, holm_by_family

Fields = Mapping[str, Any]

FAILED = "not scored"
LONGEST_REASON = 500  # characters; a library may say anything, and the failures hold all of it


def all_rows(
    experiment: Experiment, tests: Sequence[TestSet], results: SystemResult, reasons: Reasons
) -> tuple[Row, ...]:
    """Return all rows, those of systems without results at some size last.

    `results` are those of all systems, `reasons` say why others are missing.
    """
    scored = [
        row
        for key, outcome in {**results.outcomes, **results.shares}.items()
        for test in tests
        for row in _scored(experiment, test, results, key, outcome)
    ]
    scored_sizes = {(key.system, key.size) for key in results.outcomes}
    missing = (
        Row(system=system.name, size=size_label(size), status=_reason(system, size, reasons))
        for system in experiment.systems
        for size in system.sizes or (None,)
        if (system.name, size) not in scored_sizes
    )
    return (*_adjusted(scored), *missing)


def _scored(
    experiment: Experiment, test: TestSet, results: SystemResult, key: Key, outcome: Outcome
) -> Iterator[Fields]:
    """Yield the fields of one outcome's rows on one corpus: subsets and metrics in order."""
    corpus, whole_text = test.corpus.name, key.share == 1
    estimates = outcome.estimates.get(corpus, {})
    outcomes = results.outcomes if whole_text else results.shares
    base = _baseline(experiment, outcome, [o for k, o in outcomes.items() if k.share == key.share])
    was_repeated = not outcome.system.learner.deterministic and experiment.repeats > 1
    for subset, named in product(test.subsets, experiment.metrics):
        estimate = estimates.get((named.name, subset))
        if estimate is None:
            continue
        against = None if base is None else base.estimates.get(corpus, {}).get((named.name, subset))
        numbers = _numbers(estimate, against)
        if numbers.get("low") is not None or numbers.get("difference_low") is not None:
            numbers["short_text"] = "yes" * test.drawing.is_short
        # What is not to be compared has a difference, but no p-value that calls it significant.
        gated = is_gated(outcome, corpus, named.metric, experiment.gate)
        if gated or (base and is_gated(base, corpus, named.metric, experiment.gate)):
            numbers.pop("p", None)
        if base and is_length(named.metric) and not _alike(outcome, base, corpus):
            numbers.pop("p", None)
        if whole_text:
            place, difference = (corpus, named.name, subset), numbers.get("difference")
            if was_repeated:
                repeats = [values[place] for values in outcome.repeated if place in values]
                numbers["repeats"] = 1 + len(repeats)
                numbers["repeat_sd"] = spread([estimate.value, *repeats])
            if outcome.system.training_samples:
                numbers["training_samples"] = outcome.system.training_samples
                numbers["training_sd"] = outcome.sample_spread(place)
            if base is not None and difference is not None:
                numbers["training_agree"] = outcome.agreeing(base, place, difference)
        yield dict(
            system=key.system,
            corpus=corpus,
            subset=subset,
            context=outcome.contexts[corpus],
            size=outcome.record.size,
            vocabulary_size=outcome.vocabulary.size,
            training_share=key.share,
            metric=named.name,
            gated="yes" * gated,
            baseline=base.record.label if base and "difference" in numbers else None,
            **numbers,
        )


def is_length(metric: Any) -> bool:
    """Return whether a metric is a length or compression: what the gate of lost words marks.

    Bits per byte, which have a gate of their own, let each system pay for the ends of words.
    """
    gated: bool = metric.gated
    return gated and metric.gated_by is None


def is_gated(outcome: Outcome, corpus: str, metric: Any, gate: float) -> bool:
    """Return whether a length is not to be compared, for a text or for what it translates."""
    if metric.gated_by is not None:
        share = outcome.estimates.get(corpus, {}).get((metric.describe(metric.gated_by), "all"))
        return share is not None and share.value > gate
    reference = metric.reference if "lines" in metric.needs else corpus
    texts = (corpus, reference) if metric.gated else ()
    return any(outcome.is_above(gate, text) for text in texts)


def _alike(outcome: Outcome, other: Outcome, corpus: str) -> bool:
    """Return whether lengths of two outcomes compare: both tell word ends, or both do not.

    What one system cuts alone always compares with what it cuts in context.
    """
    both = outcome.loses_word_ends(corpus) == other.loses_word_ends(corpus)
    return both or outcome.system is other.system


def _reason(system: System, size: Size | None, reasons: Reasons) -> str:
    """Find why a size has no results: what is said of it, of its system, or of another size.

    It is cut to one line of bounded length, lone surrogates escaped as its file holds them.
    """
    for asked in (size, None):
        if (system.name, asked) in reasons:
            return _one_line(reasons[system.name, asked])
    for (name, other), reason in reasons.items():
        if name == system.name:
            return f"at size {other}: {_one_line(reason)}"
    return FAILED


def _one_line(reason: str) -> str:
    return harmless(" ".join(reason.split())[:LONGEST_REASON])


def _numbers(estimate: Estimate, base: Estimate | None) -> dict[str, Any]:
    """Return a value, its interval and its difference from the baseline's, as fields of a row."""
    if math.isnan(estimate.value):
        return {"status": UNDEFINED}
    low, high = (estimate.samples is not None and interval(estimate.samples)) or (None, None)
    fields = {"value": estimate.value, "low": low, "high": high, "n": estimate.n}
    fields |= {"events": estimate.events, "event_units": estimate.event_units}
    difference = None if base is None else compare(estimate, base)
    return fields if difference is None else fields | difference._asdict()


def _adjusted(rows: Sequence[Fields]) -> list[Row]:
    """Build rows with p-holm: Holm over systems within a metric, corpus, subset, size and share.

    Systems that are compared with the baseline, and those compared with themselves in context, are
    two families.
    """
    adjusted = holm_by_family([row.get("p") for row in rows], [*map(_family, rows)])
    return [Row(**round_fields({**r, "p_holm": p})) for r, p in zip(rows, adjusted, strict=True)]


def _family(row: Fields) -> tuple[str, str, str, str, float, bool]:
    with_itself = SystemSize.parse(row["baseline"] or "").system == row["system"]
    place = row["metric"], row["corpus"], row["subset"], row["size"], row["training_share"]
    return *place, with_itself


def _baseline(
    experiment: Experiment, outcome: Outcome, outcomes: Collection[Outcome]
) -> Outcome | None:
    """Find what an outcome is compared with: the baseline at the same size.

    A system without sizes is compared with the baseline's largest one; what was cut alone beside
    the same in context is compared with that.
    """
    own = [other for other in outcomes if not other.record.isolated_copy]
    if outcome.record.isolated_copy:
        place = (outcome.system.name, outcome.size)
        return next((other for other in own if (other.system.name, other.size) == place), None)
    bases = [other for other in own if other.system.name == experiment.baseline]
    if outcome in bases:
        return None
    if outcome.size is None:
        return max(bases, key=lambda base: base.size.number if base.size else 0, default=None)
    return next((base for base in bases if base.size in (None, outcome.size)), None)


def unseen_rows(test: TestSet, good_turing: float | None) -> Iterator[UnseenRow]:
    """Count the unseen words of a corpus, all and by kind, each share with its interval."""
    if test.corpus.words.pairs is not None:
        return  # their words were made to be unseen
    words, running_text = test.corpus.words, test.corpus.kind == "text"
    subsets = {ALL_KINDS: "unseen", **{kind: str(Subset(KIND, kind)) for kind in KINDS}}
    tables = [test.tables.get(("line", subset)) for subset in ("all", *subsets.values())]
    nothing = np.zeros(len(test.groups["line"]) - 1)
    by_group = [nothing if table is None else np.diff(table.ends) for table in tables]
    columns = np.column_stack(by_group).astype(np.float64)
    running, *kinds = exact_sums(test.weights["line"], columns).T
    for (kind, subset), counts, sums in zip(subsets.items(), by_group[1:], kinds, strict=True):
        each_once = test.tables.get(("word", subset))
        distinct = 0 if each_once is None else len(each_once.items)
        rarer = by_group[0] - counts if 2 * sums[0] > running[0] else counts
        enough = np.count_nonzero(rarer) >= MINIMUM_EVENT_UNITS
        resampled = enough and test.is_resampled("line", "all")
        ends = interval(sums[1:] / running[1:]) if resampled else None
        low, high = ends or (None, None)
        yield UnseenRow(
            corpus=test.corpus.name,
            kind=kind,
            words_running=int(sums[0]),
            words_distinct=distinct,
            share_running=float(sums[0] / running[0]),
            low=low,
            high=high,
            share_distinct=distinct / len(words),
            good_turing=good_turing if kind == ALL_KINDS and running_text else None,
            short_text="yes" * (ends is not None and test.drawing.is_short),
        )


def growth_rows(share: float, training: CountedWords, test: TestSet) -> Iterator[GrowthRow]:
    """Count the unseen words of a corpus where the training text is a share of the whole one."""
    words = test.corpus.words
    if words.pairs is not None:
        return
    seen = training.among(words.text)
    unseen = np.array([not seen.get(word) for word in words.text])
    running, counts = sum(training.values()), [*training.values()]
    once = counts.count(1)
    yield GrowthRow(
        corpus=test.corpus.name,
        training_share=share,
        training_words=running,
        training_distinct=len(training),
        share_running=float(words.count[unseen].sum() / words.count.sum()),
        share_distinct=float(unseen.mean()),
        good_turing=once / running if once and test.corpus.kind == "text" else None,
    )
