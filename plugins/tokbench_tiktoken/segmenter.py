"""The segmenter `tiktoken`: the library itself, over whole lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokbench.api import Explanation, TextSegmenter, Vocabulary
from tokbench_tiktoken import NeedsTiktoken

if TYPE_CHECKING:
    from tokbench.api import LineTokens
    from tokbench_tiktoken.encoding import Prepared


class TiktokenSegmenter(NeedsTiktoken, TextSegmenter):
    """Cut text as tiktoken's `encode_ordinary` does, spans by the bytes of the tokens.

    Text that spells a special token is ordinary text. A lone surrogate is cut as U+FFFD, which
    has as many bytes. A line that the split pattern does not match from end to end is refused,
    since tiktoken would leave the rest out without saying where.
    """

    def prepare(self, vocabulary: Vocabulary) -> "Prepared":
        """Build tiktoken's encoding; raises InputError for a vocabulary of another kind."""
        # The library and NumPy are loaded only when there is work to do.
        from tokbench_tiktoken.encoding import Prepared

        return Prepared.of(vocabulary)

    def segment_lines(self, lines: Sequence[str], prepared: "Prepared") -> "LineTokens":
        """Return the tokens of whole lines."""
        return prepared.encode(lines)

    def explain(self, word: str, prepared: "Prepared") -> Explanation:
        """Show the pre-tokens of a line, and the merges of each."""
        return prepared.explain(word)
