"""How much of the vocabulary a text uses, and how long the used tokens are."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from tokbench.api import Metric
from tokbench.api.arrays import quotient

if TYPE_CHECKING:
    from tokbench.api.arrays import Segmentation


class VocabularyUse(Metric):
    """The share of the vocabulary that occurs in the text at all.

    It rises with the length of the text and falls with |V|: compare on one text at one size. The
    number of types seen is biased under resampling, so it has no interval.
    """

    label = "share of the vocabulary used"
    evidence = (
        "For: Land and Bartolo 2024 find that tokens which training hardly meets make models "
        "fail; no study relates the share to quality."
    )
    better = "higher"
    range = (0.0, 1.0)
    formula = "distinct known tokens seen / |V|"
    source = "known as vocabulary utilization (tokenizer-analysis-suite)"
    interval = False
    denominator = "tokens"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count each state's tokens, in all and by id."""
        return {"tokens": segmentation.tokens, "by-id": segmentation.histogram}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Divide the ids that occur by |V|; NaN where there is no token at all.

        The last bin holds what is not known.
        """
        seen = (sums["by-id"][..., :-1] > 0).sum(axis=-1)
        return quotient(seen, vocabulary_size * (sums["tokens"] > 0))


class TokenLength(Metric):
    """The mean length in characters of the distinct known tokens seen, marks removed.

    The space that begins a token of bytes is such a mark. Each token counts once however frequent
    it is, a bare mark as 0 and a byte token as 1. Long
    tokens are a property, not a merit. The types seen are biased under resampling, so it has no
    interval.
    """

    label = "characters per distinct token"
    evidence = (
        "For: Bostrom and Durrett 2020 find longer tokens in the vocabularies of their better "
        "models; length alone was not tested."
    )
    range = (0.0, inf)
    formula = "sum of characters of the distinct known tokens seen / distinct known tokens seen"
    source = "token length profiles as in Bostrom and Durrett 2020"
    interval = False
    denominator = "tokens"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count each state's tokens, in all and by id, and the characters of each id."""
        import numpy as np

        from tokbench.api.arrays import token_lengths

        counts = segmentation.histogram
        lengths = np.append(token_lengths(segmentation.vocabulary), 0)
        characters = replace(counts, weights=lengths[counts.items])
        return {"tokens": segmentation.tokens, "by-id": counts, "characters": characters}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Take each id that occurs once, whatever its count; NaN where none does."""
        counts = sums["by-id"][..., :-1]
        seen = counts > 0
        lengths = sums["characters"][..., :-1] / (counts + ~seen)
        return quotient(lengths.sum(axis=-1), seen.sum(axis=-1))
