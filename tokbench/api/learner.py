"""The learner: from the words of a corpus to a vocabulary."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tokbench.api.component import Component
from tokbench.api.vocabulary import Size, Vocabulary

Reads = Literal["words", "lines", "nothing"]


@dataclass(frozen=True)
class Step:
    """One iteration of learning, for people.

    `candidates` are the counts of all candidates before the choice, in the order in which they
    were met; `chosen` is the winner; `words` is the state after it, each word as its symbols.
    Number 0 is the state before the first choice: it has neither candidates nor a winner.
    """

    number: int
    candidates: Mapping[tuple[str, ...], float]
    chosen: tuple[str, ...]
    words: Mapping[tuple[str, ...], int] = field(default_factory=dict)


class Learner(Component):
    """Makes a vocabulary. Subclass it and define `learn`, or what else `reads` asks for."""

    @property
    def reads(self) -> Reads:
        """The input that it learns from, and so the method that is called.

        `words`: `learn`; `lines`: `learn_lines`; `nothing`: `load`, for a ready-made tokenizer.
        """
        return "words"

    @property
    def sized(self) -> bool:
        """Whether the size asked for has any effect; if not, one vocabulary is learned."""
        return self.reads != "nothing"

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

    def check_size(self, words: Mapping[str, int], size: Size) -> None:
        """Raise SizeError where `learn` would, with the reason and what helps, if that is quick.

        `tokbench check` asks before anything is learned.
        """

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn from `words` (word to count, in the order in which words first occur).

        Return a smaller vocabulary where the words allow no more. Raise SizeError where `size` is
        below the smallest vocabulary that exists.
        """
        raise NotImplementedError(f"{type(self).__name__} does not learn from words")

    def learn_lines(self, lines: Iterable[str], size: Size) -> Vocabulary:
        """Learn from lines of text, as `normalise` leaves them, without line ends.

        They may be gone through several times. As for `learn` otherwise.
        """
        raise NotImplementedError(f"{type(self).__name__} does not learn from lines")

    def load(self) -> Vocabulary:
        """Return a vocabulary that was learned elsewhere; its one size is its own.

        Raise InputError where its file cannot be read or understood.
        """
        raise NotImplementedError(f"{type(self).__name__} loads no ready-made vocabulary")

    def trace(self, words: Mapping[str, int], size: Size) -> Iterator[Step]:
        """Replay the iterations of learning for people, the state before them first, as number 0.

        A learner without a trace yields none.
        """
        return iter(())
