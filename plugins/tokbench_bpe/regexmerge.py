"""Merging by a regular expression on space-joined symbols, as the BPE paper of 2016 prints it.

Two things differ from the paper: the look-arounds ask for the space that joins the symbols, not
for any white space, and the product is put in by a function, since a replacement string would
read its backslashes. Without these, symbols that hold NBSP or a backslash are merged wrongly.
"""

import re

from tokbench.api import Marks
from tokbench_bpe.corpus import Pair
from tokbench_bpe.spaced import SpacedTexts


class RegexTexts(SpacedTexts):
    """The words as spaced texts, merged where a pair stands between spaces or ends of the word."""

    def merge(self, pair: Pair) -> None:
        """Merge one pair in all words."""
        product, spaced = Marks.join(pair), self.space.join(pair)
        space = re.escape(self.space)
        pattern = re.compile(f"(?<![^{space}]){re.escape(spaced)}(?![^{space}])")
        self.texts = [
            pattern.sub(lambda _: product, text) if spaced in text else text for text in self.texts
        ]
