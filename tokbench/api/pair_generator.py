"""Pair generators: words changed as noise would change them, to see how their tokens change."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from random import Random

from tokbench.api.component import Component


class PairGenerator(Component):
    """Changes words. Subclass it and define `change`."""

    @abstractmethod
    def change(self, word: str, random: Random) -> str | None:
        """Return a changed word, None for a word that cannot be changed, whatever is drawn.

        It is another word, not empty, without white space and mark characters. All choices are
        drawn from `random`, so that the same seed gives the same word.
        """

    def change_many(
        self, words: Sequence[str], seeds: Sequence[bytes], draws: int
    ) -> Iterator[list[str | None]]:
        """Change each word so many times with the draws of its seed; None ends them."""
        for word, seed in zip(words, seeds, strict=True):
            random, found = Random(seed), list[str | None]()
            while len(found) < draws and None not in found:
                found.append(self.change(word, random))
            yield found
