"""Learners and segmenters: from words to a vocabulary, and from text to tokens."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tokbench.api.component import Component
from tokbench.api.vocabulary import Marks, Size, Vocabulary, decoded

if TYPE_CHECKING:
    from tokbench.api.segmentation import LineTokens, Timeline

Reads = Literal["words", "lines", "nothing"]


@dataclass(frozen=True)
class Step:
    """One iteration of learning, for people.

    `candidates` are the counts of all candidates before the choice, in the order in which they
    were met; `chosen` is the winner; `words` is the state after it, each word as its symbols.
    Number 0 is the state before the first choice: it has neither candidates nor a winner.
    """

    number: int
    candidates: Mapping[tuple[str, ...], float]
    chosen: tuple[str, ...]
    words: Mapping[tuple[str, ...], int] = field(default_factory=dict)


class Learner(Component):
    """Makes a vocabulary. Subclass it and define `learn`, or what else `reads` asks for."""

    @property
    def reads(self) -> Reads:
        """The input that it learns from, and so the method that is called.

        `words`: `learn`; `lines`: `learn_lines`; `nothing`: `load`, for a ready-made tokenizer.
        """
        return "words"

    @property
    def sized(self) -> bool:
        """Whether the size asked for has any effect; if not, one vocabulary is learned."""
        return self.reads != "nothing"

    @property
    def prefix_closed(self) -> bool:
        """Promise: learning a size equals learning a larger one and cutting it."""
        return False

    @property
    def order_free(self) -> bool:
        """Promise: the order of the words has no effect."""
        return False

    @property
    def deterministic(self) -> bool:
        """Promise: the same words and options give the same vocabulary, in any process."""
        return True

    def check_size(self, words: Mapping[str, int], size: Size) -> None:
        """Raise SizeError where `learn` would, with the reason and what helps, if that is quick.

        `tokbench check` asks before anything is learned.
        """

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn from `words` (word to count, in the order in which words first occur).

        Return a smaller vocabulary where the words allow no more. Raise SizeError where `size` is
        below the smallest vocabulary that exists.
        """
        raise NotImplementedError(f"{type(self).__name__} does not learn from words")

    def learn_lines(self, lines: Iterable[str], size: Size) -> Vocabulary:
        """Learn from lines of text, as `normalise` leaves them, without line ends.

        They may be gone through several times. As for `learn` otherwise.
        """
        raise NotImplementedError(f"{type(self).__name__} does not learn from lines")

    def load(self) -> Vocabulary:
        """Return a vocabulary that was learned elsewhere; its one size is its own.

        Raise InputError where its file cannot be read or understood.
        """
        raise NotImplementedError(f"{type(self).__name__} loads no ready-made vocabulary")

    def trace(self, words: Mapping[str, int], size: Size) -> Iterator[Step]:
        """Replay the iterations of learning for people, the state before them first, as number 0.

        A learner without a trace yields none.
        """
        return iter(())


@dataclass(frozen=True)
class Decision:
    """One step: what there was to choose from, what was chosen, and why.

    `state` holds the tokens before it, where there are any. Each of the `candidates` has values
    under the same names: a text, a number, True or False, a tuple of tokens as the vocabulary
    writes them, or None where there is nothing. `chosen` are the positions of those that were
    taken.
    """

    title: str
    candidates: Sequence[Mapping[str, object]]
    chosen: Sequence[int] = ()
    reason: str = ""
    state: Sequence[str] = ()


@dataclass(frozen=True)
class Explanation:
    """The decisions of a segmenter about one word, in order, and the tokens that they end in."""

    decisions: Sequence[Decision]
    tokens: "Sequence[Token]"


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
