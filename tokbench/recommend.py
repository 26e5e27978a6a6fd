"""What a run recommends: a system and its size, by the rules of docs/answer.md, as values.

Sentences are made of them elsewhere. What cannot be decided is None or empty.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from tokbench.api import Size
from tokbench.config.experiment import Recommend
from tokbench.run_folder import CorpusRecord, OutcomeRecord, Run, size_number
from tokbench.sizes.statistics import RARE

__all__ = [
    "ALL_TOKENS",
    "LENGTH",
    "RARE",
    "Barred",
    "Beside",
    "Ranking",
    "Recommendation",
    "SizeChoice",
    "barred_systems",
    "by_gold",
    "recommend",
]

LENGTH = "fertility"
ALL_TOKENS = "tokens"
"""What decides in context, since tokens of spaces are of no word, and others of several words."""

METRICS = {
    "tokens": LENGTH, "parity": LENGTH, "model": "bits-per-byte", "morphemes": "boundary-kappa",
}  # fmt: skip
BY_GOLD = METRICS["morphemes"]

Verdict = Literal["tie", "worse", "undecided", "ahead", "untested"]


Reason = Literal["words", "word-ends"]


class Barred(NamedTuple):
    """A system that is not recommended, and why.

    It cannot write a `share` of the `words` of a `corpus` or give them back, the largest share of
    all texts, or it loses `word-ends`.
    """

    system: str
    reason: Reason
    share: float | None = None
    corpus: str = ""


class Beside(NamedTuple):
    """Another system beside the first one, at a size that both reached.

    `excess` is the share of tokens (or of bits) that it needs more than the first, or by how much
    its kappa is lower, and `low` and `high` are the 95 % interval of that, None without resamples.
    """

    system: str
    size: str
    excess: float
    low: float | None
    high: float | None
    verdict: Verdict


@dataclass(frozen=True)
class Ranking:
    """Systems that are compared with each other in one context: the first, and who follows.

    `others` are beside the first at the largest size that both reached, those with the fewest
    tokens before; `apart` have no size in common with the first. `value` is that of the first at
    its largest `size`, of several texts the geometric mean. `metric` names it; `tokens` are counted
    per word.
    """

    context: str
    metric: str
    first: str
    size: str
    value: float
    others: tuple[Beside, ...]
    apart: tuple[str, ...]

    def of(self, verdict: Verdict) -> tuple[Beside, ...]:
        """Return the other systems with a verdict."""
        return tuple(other for other in self.others if other.verdict == verdict)


@dataclass(frozen=True)
class SizeChoice:
    """The size of a system: the smallest one that doubling improves by less than asked for.

    `value` are its tokens per word, `saving` the share of tokens that going on from size `since` to
    `until` saves. If the size `is_enough`, that is from itself to its double; else it is the
    largest one, and that is how it was reached: from half of it, or from the size before. `most` is
    then the largest vocabulary that the training text gives, if more was asked for in vain.
    """

    size: str
    value: float
    is_enough: bool
    saving: float
    since: int
    until: int
    most: int | None


@dataclass(frozen=True)
class Recommendation:
    """What to take: any of `take`, which tie; the first has the `value`, others `tied_values`.

    `texts` are the names of the corpora that decide. `choice` says why this size, None where there
    is one only. `ranking` has the first of `take` beside all others of its context, at the largest
    sizes that they share, and `at_size` at the size that was chosen. `changes` are the sizes at
    which another system is ahead, with its name, and `second` is the size of the one that is ahead
    at the chosen size. `ready` are the rankings of ready-made tokenizers, `elsewhere` those of
    other contexts. `unmeasured` may be recommended, but have no value. `premium` is the parity of
    the dearest text, where that decides. Not `learned_here`: only ready-made ones can be
    recommended.
    """

    by: str
    texts: tuple[str, ...]
    take: tuple[str, ...]
    size: str
    value: float
    tied_values: tuple[float, ...]
    choice: SizeChoice | None
    ranking: Ranking
    at_size: tuple[Beside, ...]
    changes: tuple[tuple[str, str], ...]
    second: tuple[str, SizeChoice] | None
    ready: tuple[Ranking, ...]
    elsewhere: tuple[Ranking, ...]
    unmeasured: tuple[str, ...]
    barred: tuple[Barred, ...]
    premium: float | None
    learned_here: bool


def barred_systems(run: Run) -> tuple[Barred, ...]:
    """Return who cannot be recommended: what loses words, or the ends of words, at every size."""
    return _Candidates.of(run).barred


def recommend(run: Run) -> Recommendation | None:
    """Return what a run recommends, None where no system can be, or nothing was measured for it."""
    candidates = _Candidates.of(run)
    here = [s.name for s in run.record.systems if s.reads != "nothing"]
    learned = _rankings(candidates, here)
    ready = _rankings(candidates, [name for name in candidates.order if name not in here])
    if not learned and not ready:
        return None
    main, *elsewhere = learned or ready
    context, premium = main.context, None
    group = [n for n in candidates.order if n in {main.first, *(o.system for o in main.others)}]
    tied = candidates.tied(main)
    if candidates.criterion == "parity" and (premiums := candidates.premiums(main)):
        premium = min(premiums.values())
        tied = [min(premiums, key=premiums.__getitem__)]
    choices = {name: candidates.choice(context, name) for name in tied} if learned else {}
    first, size, same = candidates.at_one_size(context, tied, choices)
    first, size, same = candidates.at_one_size(context, candidates.by_gold(same, size), choices)
    take = (first, *(name for name in same if name != first))
    choice = choices.get(first)
    at_size = candidates.beside(context, first, group, size)
    changes = tuple(candidates.changes(context, first, group)) if learned else ()
    ahead = next((name for at, name in changes if at == size), "")
    second = candidates.choice(context, ahead) if ahead else None
    ranked = [main, *elsewhere, *(ready if learned else [])]
    measured = {
        name for one in ranked for name in (one.first, *one.apart, *(o.system for o in one.others))
    }
    return Recommendation(
        by=candidates.criterion if premium or candidates.criterion != "parity" else "tokens",
        texts=tuple(corpus.name for corpus in candidates.corpora),
        take=take,
        size=size,
        value=candidates.value(context, first, size),
        tied_values=tuple(candidates.value(context, name, size) for name in take[1:]),
        choice=choice,
        ranking=candidates.ranking(context, [*group, *main.apart], first) or main,
        at_size=tuple(other for other in at_size if other.system not in take),
        changes=changes,
        second=(ahead, second) if second else None,
        ready=tuple(ready) if learned else (),
        elsewhere=tuple(elsewhere),
        unmeasured=tuple(
            n for n in candidates.order if n in candidates.contexts and n not in measured
        ),
        barred=candidates.barred,
        premium=premium,
        learned_here=bool(learned),
    )


def by_gold(run: Run, size: str) -> Ranking | None:
    """Rank all systems at one size by their agreement with the first gold file."""
    record = run.record
    outcomes = tuple(outcome for outcome in record.outcomes if outcome.size in ("", size))
    at_size = replace(run, record=replace(record, outcomes=outcomes))
    candidates = _Candidates.of(at_size, Recommend.model_validate({"for": "morphology"}))
    return next(iter(_rankings(candidates, candidates.order)), None)


def _rankings(candidates: "_Candidates", systems: Collection[str]) -> list[Ranking]:
    """Rank systems in each context, that of most of them first; in context on a tie.

    Of other contexts only the systems count that the first one lacks.
    """
    contexts = Counter(context for name in systems for context in candidates.contexts.get(name, ()))
    rankings: list[Ranking] = []
    done: set[str] = set()
    for context in sorted(contexts, key=lambda one: (-contexts[one], one != "in-context")):
        names = [
            name
            for name in candidates.order
            if name in systems and name not in done and context in candidates.contexts.get(name, ())
        ]
        if ranking := candidates.ranking(context, names):
            rankings.append(ranking)
            done.update(names)
    return rankings


class _Place(NamedTuple):
    """Where a value stands. Words of lists and gold files have no context of their own."""

    metric: str
    system: str
    context: str
    size: str


@dataclass(frozen=True)
class _Candidates:
    """The systems that may be recommended, with their values; `order` has the baseline first."""

    run: Run
    wish: Recommend
    corpora: tuple[CorpusRecord, ...]
    order: tuple[str, ...]

    @classmethod
    def of(cls, run: Run, wish: Recommend | None = None) -> "_Candidates":
        """Read what the config wishes, unless something else is, and which corpora decide."""
        wish = wish or Recommend.model_validate(run.record.resolved.get("recommend", {}))
        tests = [test for test in run.record.tests if test.kind != "pairs"]
        if wish.criterion == "morphemes":
            corpora = [test for test in tests if test.gold][:1]
        else:
            corpora = [test for test in tests if test.kind == "text"] or tests[:1]
        names = [system.name for system in run.record.systems]
        order = sorted(names, key=lambda name: name != run.record.baseline)
        return cls(run, wish, tuple(corpora), tuple(order))

    @property
    def criterion(self) -> str:
        """What decides: tokens, morphemes, parity or model."""
        return self.wish.criterion

    @property
    def _have_contexts(self) -> bool:
        return any(corpus.kind == "text" for corpus in self.corpora)

    def _context(self, context: str) -> str:
        return context if self._have_contexts else "isolated"

    def _cut(self, outcome: OutcomeRecord) -> str:
        """Return how a system cuts what must be written: texts, or else words alone."""
        has_texts = any(test.kind == "text" for test in self.run.record.tests)
        return outcome.context if has_texts else "isolated"

    @cached_property
    def _outcomes(self) -> Mapping[tuple[str, str, str], OutcomeRecord]:
        """All outcomes by system, context and size, but for sizes that were not reached.

        Of a system that reached none, the smallest one counts, with all that the text gave.
        """
        outcomes: dict[tuple[str, str, str], OutcomeRecord] = {}
        unreached: dict[tuple[str, str], OutcomeRecord] = {}
        for o in reversed(self.run.record.outcomes):
            system, context = o.system, self._context(o.context)
            if not o.size or Size.parse(o.size).reached(o.vocabulary_size, o.learned or 0):
                outcomes[system, context, o.size] = o
            else:
                smallest = unreached.setdefault((system, context), o)
                if size_number(o.size) <= size_number(smallest.size):
                    unreached[system, context] = o
        reached = {key[:2] for key in outcomes}
        rest = {(*key, o.size): o for key, o in unreached.items() if key not in reached}
        return outcomes | rest

    @cached_property
    def _unwritten(self) -> Mapping[tuple[str, str, str], tuple[float, str]]:
        """By outcome, the largest share of words that are unknown or lost, and on which corpus."""
        texts = {test.name for test in self.run.record.tests if test.kind == "text"}
        shares: dict[tuple[str, str, str], tuple[float, str]] = {}
        for row in self.run.coverage:
            if row.gated and (row.corpus in texts or not texts):
                key = row.system, self._context(row.context), row.size
                share = max(row.oov, row.lossy), row.corpus
                shares[key] = max(share, shares.get(key, share))
        return shares

    @cached_property
    def _fit(self) -> frozenset[tuple[str, str, str]]:
        """The outcomes that may be recommended."""
        return frozenset(
            key
            for key, outcome in self._outcomes.items()
            if self.wish.purpose == "morphology"
            or (key not in self._unwritten and not outcome.loses_word_ends(self._cut(outcome)))
        )

    @cached_property
    def barred(self) -> tuple[Barred, ...]:
        """The systems of which no outcome may be recommended, with the reason at the largest."""
        fit = {system for system, _, _ in self._fit}
        barred = []
        for name in self.order:
            own = [o for o in self.run.record.outcomes if o.system == name]
            if own and name not in fit:
                largest = max(own, key=lambda o: size_number(o.size))
                key = name, self._context(largest.context), largest.size
                if key in self._unwritten:
                    barred.append(Barred(name, "words", *self._unwritten[key]))
                else:
                    barred.append(Barred(name, "word-ends"))
        return tuple(barred)

    @cached_property
    def contexts(self) -> Mapping[str, Collection[str]]:
        """The contexts in which each system may be recommended."""
        contexts: dict[str, set[str]] = {}
        for system, context, _ in self._fit:
            contexts.setdefault(system, set()).add(context)
        return contexts

    @cached_property
    def _by_text(self) -> Mapping[_Place, Mapping[str, float]]:
        """The values by corpus."""
        wanted = {METRICS[self.criterion], LENGTH, ALL_TOKENS}
        words = {corpus.name: max(corpus.running, 1) for corpus in self.corpora}
        values: dict[_Place, dict[str, float]] = {}
        for row in self.run.rows:
            if (
                row.metric in wanted and row.corpus in words and row.subset == "all"
                and row.training_share == 1 and row.value is not None
            ):  # fmt: skip
                place = _Place(row.metric, row.system, self._context(row.context), row.size)
                if place[1:] in self._fit:
                    per = words[row.corpus] if row.metric == ALL_TOKENS else 1
                    values.setdefault(place, {})[row.corpus] = row.value / per
        return {p: by for p, by in values.items() if len(by) == len(words)}

    @cached_property
    def _values(self) -> Mapping[_Place, float]:
        """The values: on several texts their geometric mean."""
        return {place: _geometric_mean([*by.values()]) for place, by in self._by_text.items()}

    @cached_property
    def _pairs(self) -> Mapping[tuple[str, str, str, str, str], tuple[float, float]]:
        """The interval of the first minus the second, by metric, context, size and both names."""
        corpus = self.corpora[0].name if len(self.corpora) == 1 else ""
        words = _geometric_mean([max(corpus.running, 1) for corpus in self.corpora])
        pairs = {}
        for row in self.run.comparisons:
            if row.corpus == corpus and row.subset == "all" and row.own_low is not None:
                place = row.metric, self._context(row.context), row.size
                per = words if row.metric == ALL_TOKENS else 1
                low, high = row.own_low / per, (row.own_high or 0.0) / per
                pairs[*place, row.system, row.other] = low, high
                pairs[*place, row.other, row.system] = -high, -low
        return pairs

    @cached_property
    def _counts_all(self) -> bool:
        return any(row.metric == ALL_TOKENS for row in self.run.rows)

    def _length(self, context: str) -> str:
        return ALL_TOKENS if context == "in-context" and self._counts_all else LENGTH

    def _metric(self, context: str) -> str:
        metric = METRICS[self.criterion]
        return self._length(context) if metric == LENGTH else metric

    @cached_property
    def _sizes_of(self) -> Mapping[tuple[str, str, str], frozenset[str]]:
        """The sizes that have a value, by metric, system and context."""
        sizes: dict[tuple[str, str, str], frozenset[str]] = {}
        for metric, system, context, size in self._values:
            key = metric, system, context
            sizes[key] = sizes.get(key, frozenset()) | {size}
        return sizes

    def _sizes(self, context: str, metric: str, *systems: str) -> list[str]:
        """Return the sizes at which all of these systems have a value, the smallest first."""
        of = (self._sizes_of.get((metric, name, context), frozenset[str]()) for name in systems)
        return sorted(frozenset.intersection(*of), key=size_number)

    def _excess(
        self, context: str, size: str, name: str, other: str
    ) -> tuple[float, float | None, float | None]:
        """Return how much more another system needs, with its interval if there is one."""
        metric = self._metric(context)
        value, base = (self._values[_Place(metric, one, context, size)] for one in (other, name))
        low, high = self._pairs.get((metric, context, size, other, name), (None, None))
        if metric == BY_GOLD:
            # More is better, and a difference of kappa is no share.
            return base - value, None if high is None else -high, None if low is None else -low
        scale = base or 1.0
        excess = (value - base) / scale
        return excess, None if low is None else low / scale, None if high is None else high / scale

    def ranking(self, context: str, names: Sequence[str], first: str = "") -> Ranking | None:
        """Rank systems in a context, with a first one where a tie was broken; None without any."""
        names = [name for name in names if self._sizes(context, self._metric(context), name)]
        if not names:
            return None
        common = {
            (name, other): sizes[-1]
            for name in names
            for other in names
            if name != other and (sizes := self._sizes(context, self._metric(context), name, other))
        }
        first = first or self._first(context, names, common)
        others = [
            self._beside(context, common[first, name], first, name)
            for name in names
            if (first, name) in common
        ]
        return Ranking(
            context=context,
            metric=self._metric(context),
            first=first,
            size=self.sizes(context, first)[-1],
            value=self.value(context, first, self.sizes(context, first)[-1]),
            others=tuple(sorted(others, key=lambda other: other.excess)),
            apart=tuple(n for n in names if n != first and (first, n) not in common),
        )

    def beside(self, context: str, first: str, names: Sequence[str], size: str) -> list[Beside]:
        """Return others beside a system at one size, those with the fewest tokens before."""
        others = [
            self._beside(context, size, first, name)
            for name in names
            if name != first and size in self._sizes(context, self._metric(context), first, name)
        ]
        return sorted(others, key=lambda other: other.excess)

    def _first(
        self, context: str, names: Sequence[str], common: Mapping[tuple[str, str], str]
    ) -> str:
        """Return the system that no other beats, of several the one with the fewest at its largest.

        In a circle it is the one with the fewest at the largest size that all of the circle have.
        """
        beats = {pair for pair, size in common.items() if self._excess(context, size, *pair)[0] > 0}
        unbeaten = [name for name in names if not any((o, name) in beats for o in names)]
        if unbeaten:
            sign = -1 if METRICS[self.criterion] == BY_GOLD else 1
            return min(
                unbeaten,
                key=lambda name: sign * self.value(context, name, self.sizes(context, name)[-1]),
            )
        circle = [*names]
        while losers := [n for n in circle if not any((n, other) in beats for other in circle)]:
            circle = [name for name in circle if name not in losers]
        sizes = Counter(size for pair, size in common.items() if {*pair} <= {*circle})
        shared = {s for s in sizes if all(s in self.sizes(context, n) for n in circle)}
        size = max(shared or sizes, key=size_number)
        having = [name for name in circle if size in self.sizes(context, name)]
        return next(
            n for n in having if all(o.excess >= 0 for o in self.beside(context, n, having, size))
        )

    def sizes(self, context: str, name: str) -> list[str]:
        """Return the sizes at which a system has a value, the smallest first."""
        return self._sizes(context, self._metric(context), name)

    def value(self, context: str, name: str, size: str) -> float:
        """Return the value of a system at a size."""
        return self._values[_Place(self._metric(context), name, context, size)]

    def _beside(self, context: str, size: str, name: str, other: str) -> Beside:
        excess, low, high = self._excess(context, size, name, other)
        verdict: Verdict = "untested"
        if low is not None and high is not None:
            near = 2 * self.wish.within
            if high <= near:
                verdict = "tie" if low >= -near else "ahead" if high < 0 else "undecided"
            else:
                verdict = "worse" if low > 0 else "undecided"
        return Beside(other, size, excess, low, high, verdict)

    def premiums(self, ranking: Ranking) -> dict[str, float]:
        """Return the parity of the dearest text, of each system with few tokens that has one."""
        few = {o.system: o.size for o in ranking.others if o.excess <= self.wish.within}
        few[ranking.first] = next(iter(few.values()), ranking.size)
        premiums: dict[str, float] = {}
        for row in self.run.rows:
            is_own = row.context == ranking.context and few.get(row.system) == row.size
            whole = row.subset == "all" and row.training_share == 1
            if is_own and whole and row.metric.startswith("parity") and row.value is not None:
                premiums[row.system] = max(row.value, premiums.get(row.system, 0))
        return premiums

    def tied(self, ranking: Ranking) -> list[str]:
        """Return the first of a ranking and those that tie with it, the baseline first."""
        names = {ranking.first, *(other.system for other in ranking.of("tie"))}
        return [name for name in self.order if name in names]

    def at_one_size(
        self, context: str, tied: Sequence[str], choices: Mapping[str, SizeChoice | None]
    ) -> tuple[str, str, list[str]]:
        """Return which of systems that tie tells the size, that size, and who ties there too.

        It is the first that was tried at several sizes.
        """
        first = next((name for name in tied if choices.get(name)), tied[0])
        choice = choices.get(first)
        size = choice.size if choice else self.sizes(context, first)[-1]
        others = self.beside(context, first, tied, size)
        same = {first, *(other.system for other in others if other.verdict == "tie")}
        return first, size, [name for name in tied if name in same]

    def by_gold(self, tied: Sequence[str], size: str) -> Sequence[str]:
        """Leave out who agrees surely less with the first gold file than the best, at one size."""
        gold = next((test.name for test in self.run.record.tests if test.gold), None)
        place = BY_GOLD, gold, "all", size
        kappa = {
            row.system: row.value
            for row in self.run.rows
            if (row.metric, row.corpus, row.subset, row.size) == place
            and row.training_share == 1 and row.value is not None and row.system in tied
        }  # fmt: skip
        if len(kappa) < len(tied) or self.criterion != "tokens":
            return tied
        best = max(tied, key=lambda name: kappa[name])
        lower = {
            other
            for row in self.run.comparisons
            if (row.metric, row.corpus, row.subset, row.size) == place
            and best in (row.system, row.other)
            and row.own_low is not None and row.own_high is not None
            and not row.own_low <= 0 <= row.own_high
            for other in (row.system, row.other)
        }  # fmt: skip
        return [name for name in tied if name == best or name not in lower]

    def changes(self, context: str, first: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the sizes at which another system is ahead, and its name; also where untested."""
        for size in self.sizes(context, first):
            for other in self.beside(context, first, names, size):
                if other.excess < 0 and other.verdict in ("ahead", "untested"):
                    yield size, other.system
                    break

    def choice(self, context: str, name: str) -> SizeChoice | None:
        """Choose the size of a system by its tokens; None where it has one size only."""
        metric = self._length(context)
        tokens = {
            size: self._values[_Place(metric, name, context, size)]
            for size in self._sizes(context, metric, name)
            if size_number(size)
        }
        tokens = {size: value for size, value in tokens.items() if value > 0}
        if len(tokens) < 2:
            return None
        numbers = {size: size_number(size) for size in tokens}
        at = self._tokens_at(context, name, metric, {numbers[s]: tokens[s] for s in tokens})
        *smaller, size = tokens
        largest = numbers[size]
        for enough in smaller:
            double = 2 * numbers[enough]
            if double <= largest and (saving := 1 - at(double) / tokens[enough]) < self.wish.saving:
                return SizeChoice(
                    enough, tokens[enough], True, saving, numbers[enough], double, None
                )
        half = largest // 2
        since = half if half >= numbers[smaller[0]] else numbers[smaller[-1]]
        own = [o for o in self.run.record.outcomes if o.system == name]
        in_vain = any((name, context, o.size) not in self._outcomes for o in own)
        most = max(o.vocabulary_size for o in own) if in_vain else None
        saving = 1 - tokens[size] / at(since)
        return SizeChoice(size, tokens[size], False, saving, since, largest, most)

    def _tokens_at(
        self, context: str, name: str, metric: str, listed: Mapping[int, float]
    ) -> Callable[[float], float]:
        """Return the tokens at any size: from a curve, else interpolated on a log scale."""
        key = name, self.corpora[0].name, "all", metric
        curve = next((curve for curve in self.run.curves or () if curve.names == key), None)
        is_own = not any(
            o.isolated_copy and self._context(o.context) == context
            for o in self.run.record.outcomes
            if o.system == name
        )
        if curve and is_own and not curve.unit and len(self.corpora) == 1 and metric == LENGTH:
            return lambda size: curve.at(int(size))
        sizes, values = [math.log(size) for size in listed], [*listed.values()]
        return lambda size: float(np.interp(math.log(size), sizes, values))


def _geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean; of one value the value, with all its digits."""
    if len(values) == 1 or not all(values):
        return min(values)
    return math.exp(math.fsum(map(math.log, values)) / len(values))
