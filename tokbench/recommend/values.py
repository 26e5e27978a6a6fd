"""A recommendation as plain values: who may be taken, who follows, and at which size."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Verdict = Literal["tie", "worse", "undecided", "ahead", "untested"]
Reason = Literal["words", "word-ends", "no-result"]


class Barred(NamedTuple):
    """A system that is not recommended, and why.

    It cannot write a `share` of the `words` of a `corpus` or give them back, the largest share of
    all texts, or it loses `word-ends`; or there is no result, as where it reached no size.
    """

    system: str
    reason: Reason
    share: float | None = None
    corpus: str = ""


class Beside(NamedTuple):
    """Another system beside the leader of a ranking, at a size that both reached.

    `excess` is the share of tokens (or of bits) that it needs more than the leader, or by how much
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
    """Systems that are compared with each other in one context: the leader, and who follows.

    `others` are beside the leader at the largest size that both reached, those with the fewest
    tokens before; `apart` have no size in common with it. `value` is that of the leader at its
    largest `size`, of several texts the geometric mean. `metric` names it; `tokens` are counted per
    word.
    """

    context: str
    metric: str
    leader: str
    size: str
    value: float
    others: tuple[Beside, ...]
    apart: tuple[str, ...]

    def of(self, verdict: Verdict) -> tuple[Beside, ...]:
        """Return the other systems with a verdict."""
        return tuple(other for other in self.others if other.verdict == verdict)

    @property
    def rivals(self) -> frozenset[str]:
        """The leader, and the systems compared with it that are not surely worse."""
        names = (other.system for other in self.others if other.verdict != "worse")
        return frozenset([self.leader, *names])


@dataclass(frozen=True)
class SizeChoice:
    """The size of a system: the smallest one that doubling improves by less than asked for.

    `saving` is the share of tokens that going on from size `since` to `until` saves. If the size
    `is_enough`, that is from itself to its double; else it is the largest one, and that is how it
    was reached: from half of it, or from the size before. `most` is then the largest vocabulary
    that the training text gives, if more was asked for in vain.
    """

    size: str
    is_enough: bool
    saving: float
    since: int
    until: int
    most: int | None = None


@dataclass(frozen=True)
class Recommendation:
    """The systems to `take`, any of which will do, with their `values`; the first is named first.

    `by` is what decided, and `texts` are the names of the corpora that did. `choice` says why this
    size, None where there is one only. `ranking` has the system beside all others of its context,
    at the largest sizes that they share, and `at_size` those that are not taken, at the size that
    was chosen; the `outdone` of them tie, but agree less with gold boundaries. `changes` are the
    sizes at which another system is ahead, with its name, and `second` is the size of the one that
    needs fewer at the chosen size, surely or not. `ready` are the rankings of ready-made
    tokenizers, `elsewhere` those of other contexts. `unmeasured` may be recommended, but have no
    value. `premium` is the parity of the dearest text, where that decides. Not `learned_here`: only
    ready-made ones can be recommended.
    """

    by: str
    texts: tuple[str, ...]
    take: tuple[str, ...]
    values: tuple[float, ...]
    size: str
    choice: SizeChoice | None
    ranking: Ranking
    at_size: tuple[Beside, ...]
    outdone: tuple[str, ...]
    changes: tuple[tuple[str, str], ...]
    second: tuple[str, SizeChoice] | None
    ready: tuple[Ranking, ...]
    elsewhere: tuple[Ranking, ...]
    unmeasured: tuple[str, ...]
    barred: tuple[Barred, ...]
    premium: float | None
    learned_here: bool

    @property
    def system(self) -> str:
        """The system that is named before those that tie with it."""
        return self.take[0]

    @property
    def value(self) -> float:
        """The value of the system."""
        return self.values[0]

    @property
    def following(self) -> Beside | None:
        """The best other system at the chosen size that is worse, tested or not, or None."""
        tested = ("worse", "untested")
        return next((o for o in self.at_size if o.verdict in tested and o.excess > 0), None)
