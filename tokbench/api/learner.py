"""The learner: from the words of a corpus to a vocabulary."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tokbench.api.component import Component
from tokbench.api.vocabulary import Size, Vocabulary


@dataclass(frozen=True)
class Step:
    """One iteration of learning, for people.

    `candidates` are the counts of all candidates before the choice, in the order in which they
    were met; `chosen` is the winner; `words` is the state after it, each word as its symbols.
    """

    number: int
    candidates: Mapping[tuple[str, ...], float]
    chosen: tuple[str, ...]
    words: Mapping[tuple[str, ...], int] = field(default_factory=dict)


class Learner(Component):
    """Learns a vocabulary from counted words. Subclass it and define `learn`."""

    @property
    def sized(self) -> bool:
        """Whether the size asked for has any effect; if not, one vocabulary is learned."""
        return True

    @property
    def prefix_closed(self) -> bool:
        """Promise: learning a size equals learning a larger one and cutting it."""
        return False

    @property
    def order_free(self) -> bool:
        """Promise: the order of the words has no effect."""
        return False

    @property
    def deterministic(self) -> bool:
        """Promise: the same words and options give the same vocabulary, in any process."""
        return True

    @abstractmethod
    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn from `words` (word to count, in the order in which words first occur).

        Give a smaller vocabulary where the words allow no more. Raise SizeError where `size` is
        below the smallest vocabulary that exists.
        """

    def trace(self, words: Mapping[str, int], size: Size) -> Iterator[Step]:
        """Replay the iterations of learning for people; a learner without a trace yields none."""
        return iter(())
