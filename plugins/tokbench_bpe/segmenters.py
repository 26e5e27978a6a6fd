"""The segmenters of the textbooks: by rank, in learned order, and by longest match."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from tokbench.api import Segmenter, Vocabulary, kernels
from tokbench_bpe.apply import Merges, apply
from tokbench_bpe.timeline import matching_timeline, merging_timeline
from tokbench_bpe.trie import Trie, longest_matches

if TYPE_CHECKING:
    from tokbench.api import States

KERNELS = "tokbench_bpe._segment"


class BpeRank(Segmenter):
    """Merge the pair with the lowest rank, everywhere in the word, until no pair has a rank.

    This is how subword-nmt applies merges. A pair that stands twice in the table has its lower
    rank. Letters that are in no merge stay as they are; learned items that do not join two parts
    are passed over.
    """

    kernels: ClassVar[str | None] = KERNELS

    def prepare(self, vocabulary: Vocabulary) -> Merges:
        """Rank the merges."""
        return Merges(vocabulary)

    def segment(self, word: str, prepared: Merges) -> Sequence[str]:
        """Cut one word into symbols as far as they are merged."""
        return apply(word, prepared, prepared.lowest)

    def timeline(self, words: Sequence[str], prepared: Merges, since: int = 0) -> "States":
        """Give every state of each word, from one replay of all merges."""
        return merging_timeline(words, prepared, since, False, kernels(KERNELS))


class BpeLearnedOrder(BpeRank):
    """Apply every merge once, in the order in which it was learned, from left to right.

    Equal to `bpe` for every learned vocabulary. In an imported table a merge may stand before
    those that build its parts: then `bpe` uses it and this does not.
    """

    def segment(self, word: str, prepared: Merges) -> Sequence[str]:
        """Cut one word into symbols as far as they are merged."""
        return apply(word, prepared, prepared.next)

    def timeline(self, words: Sequence[str], prepared: Merges, since: int = 0) -> "States":
        """Give every state of each word, from one replay of all merges."""
        return merging_timeline(words, prepared, since, True, kernels(KERNELS))


class LongestMatch(Segmenter):
    """Take the longest token of the vocabulary that the rest of the word begins with; go on.

    Works with any vocabulary, and never takes a fused mark off its letter: where nothing matches,
    one letter with its marks is one unknown token. Special and byte tokens are not looked for.
    """

    kernels: ClassVar[str | None] = KERNELS

    def prepare(self, vocabulary: Vocabulary) -> Trie:
        """Build a trie of the tokens."""
        return Trie(vocabulary)

    def segment(self, word: str, prepared: Trie) -> Sequence[str]:
        """Cut one word, from left to right."""
        return longest_matches(word, prepared)

    def timeline(self, words: Sequence[str], prepared: Trie, since: int = 0) -> "States":
        """Give every state of each word, cutting anew only what a later token changes."""
        return matching_timeline(words, prepared, since, kernels(KERNELS))
