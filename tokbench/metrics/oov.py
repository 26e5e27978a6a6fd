"""Out of vocabulary: unseen words, oov words, unknown tokens and characters, words kept whole."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from tokbench.metrics.ratio import Ratio

if TYPE_CHECKING:
    from tokbench.api import Segmentation


class WordShare(Ratio):
    """The share of words of one kind; subclasses tell which words are of that kind."""

    range = (0.0, 1.0)
    numerator = "of-the-kind"
    denominator = "words"

    def select(self, segmentation: "Segmentation") -> Any:
        """Tell for each state whether its word is of the kind."""
        raise NotImplementedError

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count one word a state, and whether it is of the kind."""
        selected = self.select(segmentation).astype(int)
        return {"of-the-kind": selected, "words": selected * 0 + 1}
