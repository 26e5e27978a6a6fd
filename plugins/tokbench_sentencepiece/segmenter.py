"""The segmenter `sentencepiece`: the library itself, over whole lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokbench.api import Explanation, TextSegmenter, Vocabulary
from tokbench_sentencepiece import NeedsSentencePiece

if TYPE_CHECKING:
    from tokbench.api import LineTokens
    from tokbench_sentencepiece.lines import PreparedModel


class SentencePieceSegmenter(NeedsSentencePiece, TextSegmenter):
    """Cut text as SentencePiece does, each token with the bytes of the text before normalisation.

    The vocabulary contains the model and its settings (normalisation, the space before a line).
    Text that spells a control symbol is ordinary text. U+2581 (▁) in a text counts as a space. A
    lone surrogate is cut as U+FFFD, which has as many bytes.
    """

    def prepare(self, vocabulary: Vocabulary) -> "PreparedModel":
        """Load the model; raises InputError for a vocabulary without one."""
        # The library and NumPy are loaded only when there is work to do.
        from tokbench_sentencepiece.lines import PreparedModel

        return PreparedModel.of(vocabulary)

    def segment_lines(self, lines: Sequence[str], prepared: "PreparedModel") -> "LineTokens":
        """Return the tokens of whole lines."""
        return prepared.encode(lines)

    def explain(self, word: str, prepared: "PreparedModel") -> Explanation:
        """Show the normalised line, and its pieces; of Unigram the next best path too."""
        return prepared.explain(word)
