"""The segmenter: from a word and a vocabulary to tokens."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tokbench.api.component import Component
from tokbench.api.explanation import Explanation
from tokbench.api.marks import Marks
from tokbench.api.units import decoded
from tokbench.api.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tokbench.api.lines import LineTokens
    from tokbench.api.segmentation import Timeline

Token = str | tuple[str | int | None, int]
"""A token; or (token or its id, number of the word's UTF-8 bytes that it covers), where None stands
for bytes that the tokenizer drops."""

CutUnit = Literal["word", "text"]

REPLACEMENT = "\ufffd"


class Segmenter(Component):
    """Cuts words into tokens. Subclass it and define `segment`."""

    context: ClassVar[CutUnit] = "word"
    """The unit that it cuts: a `word`, or a whole line of `text` (then subclass TextSegmenter)."""

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

    @property
    def fixed_cuts(self) -> bool:
        """Whether words are cut at the same places at every size of a vocabulary.

        Then `segment` gives the same tokens, all of them texts, with a vocabulary and with every
        cut of it; only what is known differs: a token is, once an item that builds it is learned.
        The core then segments each word once, and needs no `timeline` for all sizes and curves.
        """
        return False

    def timeline(self, words: Sequence[str], prepared: Any, since: int = 0) -> "Timeline | None":
        """Return every state that each word passes through while the vocabulary is learned.

        For every number m of learned items, from `since` to all, the state of a word is what
        `segment` gives with the vocabulary cut to m learned items, ids by position in the whole
        vocabulary's `tokens`; a state that begins before `since` is said to begin there, so
        `since=len(vocabulary.learned)` gives one state a word: the fastest way to cut many words.
        Defined where the tokens of a cut vocabulary are the first tokens of the whole one. None
        (the default) where there is no such short cut: the core then cuts and segments anew.
        """
        return None

    def explain(self, word: str, prepared: Any) -> Explanation | None:
        """Return the decisions that lead to the tokens that `segment` gives for a word.

        None (the default) where the segmenter cannot tell why.
        """
        return None

    def decode(self, ids: Sequence[int], vocabulary: Vocabulary) -> str:
        """Return the text of one word's ids; what is not known (-1 included) becomes U+FFFD."""
        known = (REPLACEMENT if i < 0 or i in vocabulary.unproduced else i for i in ids)
        if vocabulary.units == "characters" and not vocabulary.bytes:
            return "".join(
                i if isinstance(i, str) else Marks.strip(vocabulary.tokens[i]) for i in known
            )
        raw = (i.encode() if isinstance(i, str) else vocabulary.raw(i) for i in known)
        return decoded(b"".join(raw))

    def decode_many(self, rows: Sequence[Sequence[int]], vocabulary: Vocabulary) -> Iterator[str]:
        """Return the text of each row of ids; what overrides this gives the same as the loop."""
        return (self.decode(ids, vocabulary) for ids in rows)


class TextSegmenter(Segmenter):
    """Cuts whole lines, spaces and all. Subclass it and define `segment_lines`.

    The core aligns tokens to words by their offsets; where words are to be cut alone, each is
    given as a line of its own.
    """

    context: ClassVar[CutUnit] = "text"

    @abstractmethod
    def segment_lines(self, lines: Sequence[str], prepared: Any) -> "LineTokens":
        """Cut lines (without line ends) into tokens with their byte offsets.

        Special tokens are never added, and text that spells one is ordinary text.
        """

    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        """Cut one word that stands alone."""
        return next(self.segment_many([word], prepared))

    def segment_many(self, words: Iterable[str], prepared: Any) -> Iterator[Sequence[Token]]:
        """Cut words that each stand alone, all of them at once."""
        listed = list(words)
        return self.segment_lines(listed, prepared).pairs(listed)
