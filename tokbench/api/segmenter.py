"""The segmenter: from a word and a vocabulary to tokens."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tokbench.api.component import Component
from tokbench.api.marks import Marks
from tokbench.api.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tokbench.api.segmentation import States

Token = str | tuple[str | None, int]
"""A token; or (token, number of the word's UTF-8 bytes that it covers), where the token is None
for bytes that the tokenizer drops."""

REPLACEMENT = "\ufffd"


class Segmenter(Component):
    """Cuts words into tokens. Subclass it and define `segment`."""

    def prepare(self, vocabulary: Vocabulary) -> Any:
        """Build once, for one vocabulary, whatever `segment` needs (a trie, a rank table)."""
        return vocabulary

    @abstractmethod
    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        """Cut one word (never empty, without marks) into tokens.

        Either the tokens, with the marks that the vocabulary's `marks` ask for, join to the
        word once marks are removed; or they are (token, bytes) pairs whose byte lengths sum to
        the word's. A token that the vocabulary does not hold is an unknown token.
        """

    def segment_many(self, words: Iterable[str], prepared: Any) -> Iterator[Sequence[Token]]:
        """Cut many words; a batch engine overrides this and gives the same as the loop."""
        return (self.segment(word, prepared) for word in words)

    def timeline(self, words: Sequence[str], prepared: Any, since: int = 0) -> "States | None":
        """Give every state that each word passes through while the vocabulary is learned.

        For every number m of learned items, from `since` to all, the state of a word is what
        `segment` gives with the vocabulary cut to m learned items, ids by position in the whole
        vocabulary's `tokens`; a state that begins before `since` is said to begin there, so
        `since=len(vocabulary.learned)` gives one state a word: the fastest way to cut many words.
        Defined where the tokens of a cut vocabulary are the first tokens of the whole one. None
        (the default) where there is no such short cut: the core then cuts and segments anew.
        """
        return None

    def decode(self, ids: Sequence[int], vocabulary: Vocabulary) -> str:
        """Give the text of one word's ids; what is not known (-1 included) becomes U+FFFD."""
        return "".join(
            REPLACEMENT
            if i < 0 or i in vocabulary.unproduced
            else Marks.strip(vocabulary.tokens[i])
            for i in ids
        )
