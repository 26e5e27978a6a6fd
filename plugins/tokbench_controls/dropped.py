"""The control `dropped`: byte pair encoding without some of its merges."""

import math
from collections.abc import Iterator, Mapping

from pydantic import Field
from tokbench_bpe.learner import Bpe

from tokbench.api import Learned, Marks, Size, Vocabulary
from tokbench_controls.drawing import drawn


class Dropped(Bpe):
    """Byte pair encoding of which merges are left out at random; later ones fill the vocabulary.

    A merge whose parts were left out is left out too. The vocabulary has the size asked for, but
    less of what is frequent: a metric that still prefers it measures something else than the choice
    of merges.
    """

    rate: float = Field(0.2, ge=0, lt=1, description="the share of merges that are left out")
    seed: int = Field(0, description="the seed that draws them")

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn more merges than asked for, until enough are left.

        Raises SizeError where a total size is below the alphabet.
        """
        many = 1 / (1 - self.rate)
        while True:
            asked = math.ceil(size.number * many) + 1
            more = Size(total=asked) if size.learned is None else Size(learned=asked)
            whole = super().learn(words, more if self.rate else size)
            found = Vocabulary.build(
                whole.alphabet, self._kept(whole), marks=whole.marks, segmenter=whole.segmenter
            )
            reached = size.reached(found.size, len(found.learned))
            if reached or not more.reached(whole.size, len(whole.learned)):
                return found.cut(size)
            many *= 2

    def _kept(self, whole: Vocabulary) -> Iterator[Learned]:
        """Yield the merges that are not drawn, and whose parts are there."""
        there = {*whole.alphabet}
        for item in whole.learned:
            left_out = drawn(self.seed, *item.parts) < self.rate * 2**64
            if not left_out and there.issuperset(item.parts):
                there.add(Marks.join(item.parts))
                yield item
