"""How tokens change when words do: metrics of pairs, an original word and a changed one."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tokbench.api import PairMetric, Ratio
from tokbench.api.arrays import ones

if TYPE_CHECKING:
    from tokbench.api.arrays import Segmentation
    from tokbench_metrics.changes import Changes


class OfChanges(PairMetric, Ratio):
    """The base of the metrics of pairs: sums over pairs, one over the other."""

    evidence = (
        "Chai et al. 2024 find that models answer worse where slips change the tokens of their "
        "input; no study relates these numbers to a model."
    )
    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    range = (0.0, 1.0)

    @abstractmethod
    def columns(self, changes: "Changes") -> Mapping[str, Any]:
        """Count one number a pair."""

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Compare the tokens of each changed word with those of its original."""
        from tokbench_metrics.changes import changes

        return self.columns(segmentation.once(changes))


class TokenEditDistance(OfChanges):
    """How many of its tokens a word loses when it is changed, by edit distance.

    0 where all tokens stay, 1 where none does. Tokens are compared by their text; of what is not
    known it is the text that stands there.
    """

    label = "tokens changed by noise"
    formula = "sum of Lev(t(a), t(b)) / sum of max(|t(a)|, |t(b)|), a the original, b the changed"
    numerator = "distance"
    denominator = "longest"
    source = "Levenshtein 1966, of tokens"

    def columns(self, changes: "Changes") -> Mapping[str, Any]:
        """Count edits, and the tokens of the longer one."""
        return {"distance": changes.distance, "longest": changes.longest}


class BoundaryFlips(OfChanges):
    """How often a gap between characters that the change leaves alone is cut anew, or no more.

    Judged are the gaps inside the part that both words begin with, and inside the part that they
    then end with. Single characters and whole words score 0 without being robust.
    """

    label = "boundaries changed by noise"
    formula = "gaps whose cut changes / gaps inside the common prefix and suffix"
    numerator = "flips"
    denominator = "gaps"
    gated = True

    def columns(self, changes: "Changes") -> Mapping[str, Any]:
        """Count gaps, and those cut in one word only."""
        return {"flips": changes.flips, "gaps": changes.gaps}


class FertilityChange(OfChanges):
    """How many times as many tokens the changed words take as the originals."""

    label = "token growth by noise"
    formula = "tokens of the changed words / tokens of the originals"
    range = (0.0, float("inf"))
    numerator = "changed"
    denominator = "original"
    gated = True

    def columns(self, changes: "Changes") -> Mapping[str, Any]:
        """Count the tokens of both."""
        return {"changed": changes.changed.tokens, "original": changes.original.tokens}


class LostWhole(OfChanges):
    """The share of words that are one token, but are one no more when they are changed."""

    label = "words split by noise"
    formula = "pairs kept whole before the change and not after it / pairs"
    numerator = "lost"
    denominator = "pairs"

    def columns(self, changes: "Changes") -> Mapping[str, Any]:
        """Count words kept whole before, but not after."""
        lost = changes.original.kept_whole & ~changes.changed.kept_whole
        return {"lost": lost.astype("int64"), "pairs": ones(len(lost))}


class NewUnknownCharacters(OfChanges):
    """How much of the changed words becomes unknown; below 0 where a change makes it known."""

    label = "characters lost by noise"
    formula = "(unknown characters of the changed words - of the originals) / characters changed"
    range = (float("-inf"), 1.0)
    numerator = "unknown"
    denominator = "characters"

    def columns(self, changes: "Changes") -> Mapping[str, Any]:
        """Count unknown characters after less before, and the characters after."""
        unknown = changes.changed.unknown_chars - changes.original.unknown_chars
        return {"unknown": unknown, "characters": changes.changed.chars}
