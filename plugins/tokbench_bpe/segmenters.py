"""The segmenters of the textbooks: by rank, in learned order, longest match and fewest tokens."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from tokbench.api import Explanation, InputError, Marks, Segmenter, Token, Vocabulary, kernels
from tokbench.api.text import to_bytes_text
from tokbench_bpe.apart import words_apart
from tokbench_bpe.explaining import Explained, explain_matches, explain_merges
from tokbench_bpe.fewest import Ties, explain_fewest, fewest, fewest_all
from tokbench_bpe.matching import Trie, longest_matches, match_all
from tokbench_bpe.merging import Merges, apply, merge_all
from tokbench_bpe.states import in_units

if TYPE_CHECKING:
    from tokbench.api.arrays import Timeline

KERNELS = "tokbench_bpe._segment"


class UnitSegmenter(Segmenter):
    """Cuts a word between characters, or between bytes where those are the vocabulary's units.

    The object that it prepares has the `vocabulary`.
    """

    @abstractmethod
    def cut(self, text: str, prepared: Any) -> list[str]:
        """Cut a text of the vocabulary's units into tokens that join to it without marks."""

    @abstractmethod
    def states(self, texts: Sequence[str], prepared: Any, since: int) -> "Timeline":
        """Return every state of each text of the vocabulary's units, ends in its UTF-8."""

    def proofs(self, ids: Sequence[int], prepared: Any) -> Sequence[str | None] | None:
        """Return words in which the tokens stand apart.

        Merges, matches and the fewest tokens do not depend on what stands beside a token's letters,
        unless it is joined with them.
        """
        return words_apart(prepared.vocabulary, ids)

    @abstractmethod
    def explained(self, text: str, prepared: Any) -> Explained:
        """Cut a text of the vocabulary's units step by step."""

    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        """Cut one word into tokens, with their bytes where bytes are the units."""
        if prepared.vocabulary.units == "characters":
            return self.cut(word, prepared)
        return [(token, len(token)) for token in self.cut(to_bytes_text(word), prepared)]

    def explain(self, word: str, prepared: Any) -> Explanation:
        """Return the steps that lead to the tokens of a word."""
        if prepared.vocabulary.units == "characters":
            return Explanation(*self.explained(word, prepared))
        steps, tokens = self.explained(to_bytes_text(word), prepared)
        return Explanation(steps, [(token, len(token)) for token in tokens])

    def timeline(self, words: Sequence[str], prepared: Any, since: int = 0) -> "Timeline":
        """Return every state of each word."""
        if prepared.vocabulary.units == "characters":
            return self.states(words, prepared, since)
        texts = [to_bytes_text(word) for word in words]
        return in_units(self.states(texts, prepared, since), texts)


class BpeRank(UnitSegmenter):
    """Merge the pair with the lowest rank, everywhere in the word, until no pair has a rank.

    subword-nmt applies merges in this way, and so does GPT-2 inside a pre-token. If a pair occurs
    twice in the table, its lower rank counts. Letters that are in no merge stay as they are;
    learned items that do not join two parts are passed over. A vocabulary that lists longer tokens
    but no merges (a Unigram model, a word list) is refused: its tokens would never be built.
    """

    kernels: ClassVar[str | None] = KERNELS

    def prepare(self, vocabulary: Vocabulary) -> Merges:
        """Rank the merges; raises InputError where there are tokens but no merges that build them.

        `longest-match` and `fewest-tokens` cut with such tokens.
        """
        merges = any(len(item.parts) > 1 for item in vocabulary.learned)
        if not merges and (longer := _longer(vocabulary)) is not None:
            raise InputError(
                "the vocabulary has no merges, so that bpe could not build its token"
                f" {vocabulary.show(longer)!r}: use longest-match or fewest-tokens, which need none"
            )
        return Merges(vocabulary)

    def cut(self, text: str, prepared: Merges) -> list[str]:
        """Cut a text into symbols as far as they are merged."""
        return apply(text, prepared, prepared.lowest)

    def explained(self, text: str, prepared: Merges) -> Explained:
        """Show at each step the neighbours with their ranks, and which are merged."""
        symbols = prepared.vocabulary.marks.spell(text)
        return explain_merges(symbols, prepared.lowest, prepared.count)

    def states(self, texts: Sequence[str], prepared: Merges, since: int) -> "Timeline":
        """Return every state of each text, from one replay of all merges."""
        return merge_all(texts, prepared, since, False, kernels(KERNELS))


def _longer(vocabulary: Vocabulary) -> str | None:
    """Return the first token of several letters that does not belong to the alphabet."""
    left_out = vocabulary.unproduced.union(vocabulary.bytes)
    alphabet = frozenset(vocabulary.alphabet)
    return next(
        (
            token
            for i, token in enumerate(vocabulary.tokens)
            if i not in left_out and token not in alphabet and len(Marks.strip(token)) > 1
        ),
        None,
    )


class BpeLearnedOrder(BpeRank):
    """Apply every merge once, in the order in which it was learned, from left to right.

    Equal to `bpe` for every learned vocabulary. In an imported table a merge may stand before
    those that build its parts: then `bpe` uses it and this does not.
    """

    def cut(self, text: str, prepared: Merges) -> list[str]:
        """Cut a text into symbols as far as they are merged."""
        return apply(text, prepared, prepared.next)

    def explained(self, text: str, prepared: Merges) -> Explained:
        """Show at each step the neighbours with their ranks, and whose turn is over."""
        symbols = prepared.vocabulary.marks.spell(text)
        return explain_merges(symbols, prepared.next, prepared.count, in_order=True)

    def states(self, texts: Sequence[str], prepared: Merges, since: int) -> "Timeline":
        """Return every state of each text, from one replay of all merges."""
        return merge_all(texts, prepared, since, True, kernels(KERNELS))


class LongestMatch(UnitSegmenter):
    """Take the longest token of the vocabulary that the rest of the word begins with; go on.

    Works with any vocabulary, and never takes a fused mark off its letter: where nothing matches,
    one letter with its marks is one unknown token. Special and byte tokens are not looked for.
    """

    kernels: ClassVar[str | None] = KERNELS

    def prepare(self, vocabulary: Vocabulary) -> Trie:
        """Build a trie of the tokens."""
        return Trie(vocabulary)

    def cut(self, text: str, prepared: Trie) -> list[str]:
        """Cut a text, from left to right."""
        return longest_matches(text, prepared)

    def explained(self, text: str, prepared: Trie) -> Explained:
        """Show at each place the pieces that are tried, the longest first."""
        return explain_matches(text, prepared)

    def states(self, texts: Sequence[str], prepared: Trie, since: int) -> "Timeline":
        """Return every state of each text, cutting anew only what a later token changes."""
        return match_all(texts, prepared, since, kernels(KERNELS))


class FewestTokens(UnitSegmenter):
    """Write the word with the fewest tokens of the vocabulary that is possible.

    Source: Schmidt et al. (2024), Tokenization Is More Than Compression, section 3 (PathPiece).
    Works with any vocabulary. Treats marks, special and byte tokens as `longest-match` does. A
    letter stays unknown only if no choice of tokens covers it: the choice with the fewest unknown
    letters wins, then the one with the fewest tokens.
    """

    ties: Ties = Field(
        "longest-last",
        description="of equally few tokens, take the longest last one, then the longest before it"
        " (`longest-last`, as PathPieceL does), or the longest first one, then the longest after"
        " it (`longest-first`)",
    )

    def prepare(self, vocabulary: Vocabulary) -> Trie:
        """Build a trie of the tokens."""
        return Trie(vocabulary)

    def cut(self, text: str, prepared: Trie) -> list[str]:
        """Cut a text where the fewest tokens meet."""
        return fewest(text, prepared, self.ties)

    def explained(self, text: str, prepared: Trie) -> Explained:
        """Show all tokens in the text, and the fewest beside the next best choice."""
        return explain_fewest(text, prepared, self.ties)

    def states(self, texts: Sequence[str], prepared: Trie, since: int) -> "Timeline":
        """Return every state of each text, cutting anew where a token that occurs in it is born."""
        return fewest_all(texts, prepared, since, self.ties)
