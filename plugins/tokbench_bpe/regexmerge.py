"""Merging by a regular expression on space-joined symbols, as the BPE paper of 2016 prints it.

Two things differ from the paper: the look-arounds ask for the space that joins the symbols, not
for any white space, and the product is put in by a function, since a replacement string would
read its backslashes. Without these, symbols that hold NBSP or a backslash are merged wrongly.
"""

import re
from collections.abc import Callable

from tokbench.api import Marks
from tokbench_bpe.corpus import Pair
from tokbench_bpe.spaced import SpacedTexts


class RegexTexts(SpacedTexts):
    """The words as spaced texts, merged where a pair stands between spaces or ends of the word."""

    def merger(self, pair: Pair) -> Callable[[str], str]:
        """Give a function that merges one pair in a word."""
        product, spaced = Marks.join(pair), self.space.join(pair)
        space = re.escape(self.space)
        pattern = re.compile(f"(?<![^{space}]){re.escape(spaced)}(?![^{space}])")
        return lambda word: pattern.sub(lambda _: product, word) if spaced in word else word
