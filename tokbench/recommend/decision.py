"""The recommendation of a run: the rules in their order."""

from collections.abc import Iterator, Mapping, Sequence

from tokbench.config.experiment import Recommend
from tokbench.recommend.eligible import Comparable, Eligible
from tokbench.recommend.ranking import rank, rankings
from tokbench.recommend.size import choose_size
from tokbench.recommend.values import Barred, Ranking, Recommendation, SizeChoice
from tokbench.run_folder import Run

BY_GOLD = Recommend.model_validate({"for": "morphology"})


def barred_systems(run: Run) -> tuple[Barred, ...]:
    """Return who cannot be recommended: what loses words, or the ends of words, at every size."""
    return Eligible.of(run).barred


def rank_by_gold(run: Run, size: str) -> Ranking | None:
    """Rank all systems at one size by their agreement with the first gold file."""
    eligible = Eligible.of(run, BY_GOLD, size)
    return next(iter(rankings(eligible, run.record.baseline_first)), None)


def recommend(run: Run) -> Recommendation | None:
    """Return what a run recommends, None where no system can be, or nothing was measured for it."""
    eligible, order = Eligible.of(run), run.record.baseline_first
    learning = {system.name for system in run.record.systems if system.reads != "nothing"}
    # Ready-made tokenizers learned from other text, so they are ranked among themselves.
    learned = rankings(eligible, [name for name in order if name in learning])
    ready = rankings(eligible, [name for name in order if name not in learning])
    if not learned and not ready:
        return None
    main, *elsewhere = learned or ready
    comparable, criterion = eligible.in_context(main.context), eligible.wish.criterion
    ranked = {main.leader, *(other.system for other in main.others)}
    group = [name for name in order if name in ranked]
    ties = {main.leader, *(other.system for other in main.of("tie"))}
    tied = [name for name in order if name in ties]
    premiums = _premiums(eligible, main) if criterion == "parity" else {}
    if premiums:
        tied = [min(premiums, key=premiums.__getitem__)]
    # Pairs tie at the largest size that they share, which may not be the size to take.
    choices = {name: choose_size(comparable, name) for name in tied} if learned else {}
    system, size, tied = _at_one_size(comparable, tied, choices)
    agreeing = _agreeing_most(run, tied, size) if criterion == "tokens" else tied
    outdone = {*tied} - {*agreeing}
    # Without those that are outdone, another system may tell the size.
    system, size, tied = _at_one_size(comparable, agreeing, choices)
    take = (system, *(name for name in tied if name != system))
    changes = tuple(_changes(comparable, system, group)) if learned else ()
    beside = comparable.all_beside(system, size, group)
    ahead = next((name for at, name in changes if at == size), None)
    fewer = (o.system for o in beside if o.verdict == "undecided" and o.excess < 0)
    ahead = ahead or (next(fewer, None) if learned else None)
    second = choose_size(comparable, ahead) if ahead else None
    rest = tuple(ready) if learned else ()
    measured = {
        name
        for ranking in (main, *elsewhere, *rest)
        for name in (ranking.leader, *ranking.apart, *(o.system for o in ranking.others))
    }
    return Recommendation(
        by="tokens" if criterion == "parity" and not premiums else criterion,
        texts=tuple(corpus.name for corpus in eligible.corpora),
        take=take,
        values=tuple(comparable.value(name, size) for name in take),
        size=size,
        choice=choices.get(system),
        ranking=rank(comparable, [*group, *main.apart], system),
        at_size=tuple(other for other in beside if other.system not in take),
        outdone=tuple(o.system for o in beside if o.verdict == "tie" and o.system in outdone),
        changes=changes,
        second=(ahead, second) if ahead and second else None,
        ready=rest,
        elsewhere=tuple(elsewhere),
        unmeasured=tuple(n for n in order if n in eligible.contexts and n not in measured),
        barred=eligible.barred,
        premium=min(premiums.values(), default=None),
        learned_here=bool(learned),
    )


def _premiums(eligible: Eligible, ranking: Ranking) -> dict[str, float]:
    """Return the parity of the dearest text, of each system with few tokens that has one."""
    few = {o.system: o.size for o in ranking.others if o.excess <= eligible.wish.within}
    few[ranking.leader] = next(iter(few.values()), ranking.size)
    premiums: dict[str, float] = {}
    for row in eligible.run.rows:
        is_own = row.context == ranking.context and few.get(row.system) == row.size
        is_of_all = row.subset == "all" and row.training_share == 1
        if is_own and is_of_all and row.metric.startswith("parity") and row.value is not None:
            premiums[row.system] = max(row.value, premiums.get(row.system, 0))
    return premiums


def _at_one_size(
    comparable: Comparable, tied: Sequence[str], choices: Mapping[str, SizeChoice | None]
) -> tuple[str, str, list[str]]:
    """Return which of systems that tie tells the size, that size, and who ties there too.

    It is the first one that was tried at several sizes.
    """
    system = next((name for name in tied if choices.get(name)), tied[0])
    choice = choices.get(system)
    size = choice.size if choice else comparable.sizes(system)[-1]
    beside = comparable.all_beside(system, size, tied)
    same = {system, *(other.system for other in beside if other.verdict == "tie")}
    return system, size, [name for name in tied if name in same]


def _agreeing_most(run: Run, tied: Sequence[str], size: str) -> Sequence[str]:
    """Leave out who agrees surely less with the first gold file than the best, at one size."""
    gold = Eligible.of(run, BY_GOLD).in_context("isolated")
    if any(size not in gold.sizes(name) for name in tied):
        return tied
    best = max(tied, key=lambda name: gold.value(name, size))
    lower = {other.system for other in gold.all_beside(best, size, tied) if (other.low or 0) > 0}
    return [name for name in tied if name not in lower]


def _changes(
    comparable: Comparable, system: str, names: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the sizes at which another system is ahead, and its name; also where untested."""
    for size in comparable.sizes(system):
        for other in comparable.all_beside(system, size, names):
            if other.excess < 0 and other.verdict in ("ahead", "untested"):
                yield size, other.system
                break
