"""Merging by plain string replacement, as some tutorials do it: wrong across symbol borders.

The pair `a b` is also found in `aa b`, where the left symbol only ends with `a`: there the symbols
`aa` and `b` become `aab`, which no merge lists. It is kept so that its results can be compared.
"""

from collections.abc import Callable

from tokbench.api import Marks
from tokbench_bpe.corpus import Pair
from tokbench_bpe.spaced import SpacedTexts


class ReplacedTexts(SpacedTexts):
    """The words as spaced texts, merged wherever the text of a pair stands."""

    def merger(self, pair: Pair) -> Callable[[str], str]:
        """Give a function that merges one pair in a word."""
        spaced, product = self.space.join(pair), Marks.join(pair)
        return lambda word: word.replace(spaced, product)
