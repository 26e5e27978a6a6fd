"""Whether decoding gives the text back."""

from typing import TYPE_CHECKING, Any

from tokbench.metrics.ratio import WordShare

if TYPE_CHECKING:
    from tokbench.api import Segmentation


class RoundTrip(WordShare):
    """The share of running words that decoding their token ids gives back unchanged.

    Below 1 text is lost or altered, and every other number describes another text than the one
    shown: a gate, to be read first.
    """

    family = "oov"
    better = "higher"
    formula = "running words with decode(ids) = word / running words"
    source = "known as lossless tokenization (Kudo and Richardson 2018, SentencePiece)"

    def select(self, segmentation: "Segmentation") -> Any:
        """Select the words that decoding restored."""
        return segmentation.restored
