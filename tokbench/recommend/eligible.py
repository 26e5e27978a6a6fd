"""Who may be recommended, and the values by which they are compared."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from tokbench.api import Size
from tokbench.config.experiment import Recommend
from tokbench.recommend.values import Barred, Beside, Verdict
from tokbench.run_folder import CorpusRecord, OutcomeRecord, Run, size_number

LENGTH = "fertility"
ALL_TOKENS = "tokens"
"""What decides in context, since tokens of spaces are of no word, and others of several words."""
KAPPA = "boundary-kappa"

METRICS = {"tokens": LENGTH, "parity": LENGTH, "model": "bits-per-byte", "morphemes": KAPPA}


class Candidate(NamedTuple):
    """A system at a size. Words of lists and gold files have no context of their own."""

    system: str
    context: str
    size: str


@dataclass(frozen=True)
class Eligible:
    """The systems of a run that may be recommended, with their values on the deciding `corpora`.

    If a `size` is named, systems without sizes and those of this size are looked at alone.
    """

    run: Run
    wish: Recommend
    corpora: tuple[CorpusRecord, ...]
    size: str | None = None

    @classmethod
    def of(cls, run: Run, wish: Recommend | None = None, size: str | None = None) -> "Eligible":
        """Read what the config wishes, unless something else is, and which corpora decide."""
        wish = wish or Recommend.model_validate(run.record.resolved.get("recommend", {}))
        tests = [test for test in run.record.tests if test.kind != "pairs"]
        if wish.criterion == "morphemes":
            corpora = [test for test in tests if test.gold][:1]
        else:
            corpora = [test for test in tests if test.kind == "text"] or tests[:1]
        return cls(run, wish, tuple(corpora), size)

    def context(self, context: str) -> str:
        """Return the context that counts: lists and gold files have words alone."""
        return context if self._decided_by_text else "isolated"

    @cached_property
    def _decided_by_text(self) -> bool:
        return any(corpus.kind == "text" for corpus in self.corpora)

    @cached_property
    def _texts(self) -> Collection[str]:
        return {test.name for test in self.run.record.tests if test.kind == "text"}

    @cached_property
    def outcomes(self) -> Mapping[Candidate, OutcomeRecord]:
        """All outcomes, but for sizes that were not reached.

        Of a system that reached none, the smallest one counts, with all that the text gave.
        """
        outcomes: dict[Candidate, OutcomeRecord] = {}
        unreached: dict[tuple[str, str], OutcomeRecord] = {}
        for o in reversed(self.run.record.outcomes):
            if self.size is not None and o.size not in ("", self.size):
                continue
            system, context = o.system, self.context(o.context)
            if not o.size or Size.parse(o.size).reached(o.vocabulary_size, o.learned or 0):
                outcomes[Candidate(system, context, o.size)] = o
            else:
                smallest = unreached.setdefault((system, context), o)
                if size_number(o.size) <= size_number(smallest.size):
                    unreached[system, context] = o
        reached = {key[:2] for key in outcomes}
        rest = {Candidate(*key, o.size): o for key, o in unreached.items() if key not in reached}
        return outcomes | rest

    @cached_property
    def _unwritten(self) -> Mapping[Candidate, tuple[float, str]]:
        """By outcome, the largest share of words that are unknown or lost, and on which corpus."""
        shares: dict[Candidate, tuple[float, str]] = {}
        for row in self.run.coverage:
            if row.gated and (row.corpus in self._texts or not self._texts):
                key = Candidate(row.system, self.context(row.context), row.size)
                share = max(row.oov, row.lossy), row.corpus
                shares[key] = max(share, shares.get(key, share))
        return shares

    @cached_property
    def _passing(self) -> frozenset[Candidate]:
        def loses_word_ends(outcome: OutcomeRecord) -> bool:
            return outcome.loses_word_ends(outcome.context if self._texts else "isolated")

        return frozenset(
            key
            for key, outcome in self.outcomes.items()
            if self.wish.purpose == "morphology"
            or (key not in self._unwritten and not loses_word_ends(outcome))
        )

    @cached_property
    def barred(self) -> tuple[Barred, ...]:
        """The systems of which no outcome may be recommended, with the reason at the largest."""
        barred = []
        for name in self.run.record.baseline_first:
            own = [o for o in self.run.record.outcomes if o.system == name]
            if not own:
                barred.append(Barred(name, "no-result"))
            elif name not in self.contexts:
                largest = max(own, key=lambda o: size_number(o.size))
                key = Candidate(name, self.context(largest.context), largest.size)
                if key in self._unwritten:
                    barred.append(Barred(name, "words", *self._unwritten[key]))
                else:
                    barred.append(Barred(name, "word-ends"))
        return tuple(barred)

    @cached_property
    def contexts(self) -> Mapping[str, Collection[str]]:
        """The contexts in which each system may be recommended."""
        contexts: dict[str, set[str]] = {}
        for system, context, _ in self._passing:
            contexts.setdefault(system, set()).add(context)
        return contexts

    @cached_property
    def _metrics(self) -> Collection[str]:
        return METRICS[self.wish.criterion], LENGTH, ALL_TOKENS

    @cached_property
    def values(self) -> Mapping[str, Mapping[Candidate, float]]:
        """The values of eligible outcomes by metric: on several texts their geometric mean.

        All tokens are counted per word. An outcome that lacks a text has no value.
        """
        words = {corpus.name: max(corpus.running, 1) for corpus in self.corpora}
        by_text: dict[str, dict[Candidate, dict[str, float]]] = {
            metric: {} for metric in self._metrics
        }
        for row in chain.from_iterable(self.run.by_metric.get(metric, ()) for metric in by_text):
            outcome = Candidate(row.system, self.context(row.context), row.size)
            if (
                row.corpus in words and row.subset == "all"
                and row.training_share == 1 and row.value is not None and outcome in self._passing
            ):  # fmt: skip
                per = words[row.corpus] if row.metric == ALL_TOKENS else 1
                by_text[row.metric].setdefault(outcome, {})[row.corpus] = row.value / per
        return {
            metric: {
                outcome: _geometric_mean([*values.values()])
                for outcome, values in by_outcome.items()
                if len(values) == len(words)
            }
            for metric, by_outcome in by_text.items()
        }

    @cached_property
    def sizes(self) -> Mapping[tuple[str, str, str], frozenset[str]]:
        """The sizes that have a value, by metric, system and context."""
        sizes: dict[tuple[str, str, str], frozenset[str]] = {}
        for metric, values in self.values.items():
            for system, context, size in values:
                key = metric, system, context
                sizes[key] = sizes.get(key, frozenset()) | {size}
        return sizes

    @cached_property
    def intervals(self) -> Mapping[tuple[str, str, str, str, str], tuple[float, float]]:
        """The interval of a system minus another, by metric, context, size and both names."""
        corpus = self.corpora[0].name if len(self.corpora) == 1 else ""
        words = _geometric_mean([max(corpus.running, 1) for corpus in self.corpora])
        metrics, intervals = self._metrics, {}
        for row in self.run.comparisons:
            decides = row.metric in metrics and row.subset == "all" and row.corpus == corpus
            if decides and row.own_low is not None:
                place = row.metric, self.context(row.context), row.size
                per = words if row.metric == ALL_TOKENS else 1
                low, high = row.own_low / per, (row.own_high or 0.0) / per
                intervals[*place, row.system, row.other] = low, high
                intervals[*place, row.other, row.system] = -high, -low
        return intervals

    def in_context(self, context: str) -> "Comparable":
        """Return the systems that are compared in one context."""
        counts_all = ALL_TOKENS in self.run.by_metric
        length = ALL_TOKENS if context == "in-context" and counts_all else LENGTH
        metric = METRICS[self.wish.criterion]
        return Comparable(self, context, length if metric == LENGTH else metric, length)


@dataclass(frozen=True)
class Comparable:
    """The eligible systems in one `context`, compared by a `metric`; `length` counts tokens."""

    eligible: Eligible
    context: str
    metric: str
    length: str

    def sizes(self, *systems: str) -> list[str]:
        """Return the sizes at which all of these systems have a value, the smallest first."""
        by_system = (
            self.eligible.sizes.get((self.metric, name, self.context), frozenset())
            for name in systems
        )
        return sorted(frozenset[str].intersection(*by_system), key=size_number)

    def value(self, system: str, size: str) -> float:
        """Return the value of a system at a size."""
        return self.eligible.values[self.metric][Candidate(system, self.context, size)]

    def lead(self, system: str, other: str, size: str) -> float:
        """Return by how much a system is better than another, at a size that both have."""
        difference = self.value(other, size) - self.value(system, size)
        return -difference if self.metric == KAPPA else difference  # more kappa is better

    def beside(self, system: str, size: str, other: str) -> Beside:
        """Compare another system with one, at a size that both have."""
        # A difference of kappa is no share.
        scale = 1.0 if self.metric == KAPPA else self.value(system, size) or 1.0
        excess = self.lead(system, other, size) / scale
        pair = (system, other) if self.metric == KAPPA else (other, system)
        place = self.metric, self.context, size
        interval = self.eligible.intervals.get((*place, *pair))
        if interval is None:
            return Beside(other, size, excess, None, None, "untested")
        low, high = interval[0] / scale, interval[1] / scale
        return Beside(other, size, excess, low, high, self._verdict(low, high))

    def all_beside(self, system: str, size: str, others: Sequence[str]) -> list[Beside]:
        """Compare others that have a size with a system, those with the fewest tokens before."""
        compared = [
            self.beside(system, size, name)
            for name in others
            if name != system and size in self.sizes(system, name)
        ]
        return sorted(compared, key=lambda other: other.excess)

    def _verdict(self, low: float, high: float) -> Verdict:
        near = 2 * self.eligible.wish.within
        if high <= near and low >= -near:
            return "tie"
        if low > 0:
            return "worse"
        return "ahead" if high < 0 else "undecided"


def _geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean; of one value the value, with all its digits."""
    if len(values) == 1 or not all(values):
        return min(values)
    return math.exp(math.fsum(map(math.log, values)) / len(values))
