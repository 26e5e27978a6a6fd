"""The segmenters of the textbooks: by rank, in learned order, and by longest match."""

from collections.abc import Sequence

from tokbench.api import Segmenter, Vocabulary
from tokbench_bpe.apply import Merges, apply
from tokbench_bpe.trie import Trie, longest_matches


class BpeRank(Segmenter):
    """Merge the pair with the lowest rank, everywhere in the word, until no pair has a rank.

    This is how subword-nmt applies merges. A pair that stands twice in the table has its lower
    rank. Letters that are in no merge stay as they are; learned items that do not join two parts
    are passed over.
    """

    def prepare(self, vocabulary: Vocabulary) -> Merges:
        """Rank the merges."""
        return Merges.of(vocabulary)

    def segment(self, word: str, prepared: Merges) -> Sequence[str]:
        """Cut one word into symbols as far as they are merged."""
        return apply(word, prepared, prepared.lowest)


class BpeLearnedOrder(BpeRank):
    """Apply every merge once, in the order in which it was learned, from left to right.

    Equal to `bpe` for every learned vocabulary. In an imported table a merge may stand before
    those that build its parts: then `bpe` uses it and this does not.
    """

    def segment(self, word: str, prepared: Merges) -> Sequence[str]:
        """Cut one word into symbols as far as they are merged."""
        return apply(word, prepared, prepared.next)


class LongestMatch(Segmenter):
    """Take the longest token of the vocabulary that the rest of the word begins with; go on.

    Works with any vocabulary, and never takes a fused mark off its letter: where nothing matches,
    one letter with its marks is one unknown token. Special and byte tokens are not looked for.
    """

    def prepare(self, vocabulary: Vocabulary) -> Trie:
        """Build a trie of the tokens."""
        return Trie.of(vocabulary)

    def segment(self, word: str, prepared: Trie) -> Sequence[str]:
        """Cut one word, from left to right."""
        return longest_matches(word, prepared)
