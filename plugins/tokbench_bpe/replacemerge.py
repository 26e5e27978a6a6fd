"""Merging by plain string replacement, as some tutorials do it: wrong across symbol borders.

The pair `a b` is also found in `aa b`, where the left symbol only ends with `a`: there the symbols
`aa` and `b` become `aab`, which no merge lists. It is kept so that its results can be compared.
"""

from tokbench.api import Marks
from tokbench_bpe.corpus import Pair
from tokbench_bpe.spaced import SpacedTexts


class ReplacedTexts(SpacedTexts):
    """The words as spaced texts, merged wherever the text of a pair stands."""

    def merge(self, pair: Pair) -> None:
        """Merge one pair in all words."""
        spaced, product = self.space.join(pair), Marks.join(pair)
        self.texts = [text.replace(spaced, product) for text in self.texts]
