"""Learners and segmenters: from words to a vocabulary, and from text to tokens."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from tokbench.api.component import Component
from tokbench.api.text import decoded
from tokbench.api.vocabulary import Size, Vocabulary

if TYPE_CHECKING:
    from tokbench.api.segmentation import LineTokens, Timeline

Reads = Literal["words", "lines", "nothing"]


@dataclass(frozen=True)
class Step:
    """One iteration of learning, as `tokbench trace` shows it.

    `candidates` holds the counts of all candidates before the choice, in the order in which they
    were met; `chosen` is the winner; `words` holds the words after the step, each as its symbols,
    with their counts. Number 0 is the state before the first choice, without candidates or winner.
    """

    number: int
    candidates: Mapping[tuple[str, ...], float]
    chosen: tuple[str, ...]
    words: Mapping[tuple[str, ...], int] = field(default_factory=dict)


class Learner(Component):
    """Makes a vocabulary. Define `learn`, or `learn_lines` or `load` together with `reads`."""

    @property
    def reads(self) -> Reads:
        """The input that it learns from, which decides about the method that is called.

        `words`: `learn`; `lines`: `learn_lines`; `nothing`: `load`, for a ready-made tokenizer.
        """
        return "words"

    @property
    def sized(self) -> bool:
        """Whether the requested size has any effect; if not, one vocabulary is learned."""
        return self.reads != "nothing"

    @property
    def prefix_closed(self) -> bool:
        """Promise: learning a size equals learning a larger size and cutting the vocabulary."""
        return False

    @property
    def order_free(self) -> bool:
        """Promise: the order of the words has no effect."""
        return False

    @property
    def deterministic(self) -> bool:
        """Promise: the same words and options lead to the same vocabulary, in any process."""
        return True

    def check_size(self, words: Mapping[str, int], size: Size) -> None:
        """Raise SizeError if `learn` would, if this is quick to find out; say why and what helps.

        `tokbench check` calls it before anything is learned.
        """

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn from `words`: their counts, in the order in which words first occur.

        Return a smaller vocabulary if the words allow no more. Raise SizeError if `size` is below
        the smallest possible vocabulary.
        """
        raise NotImplementedError(f"{type(self).__name__} does not learn from words")

    def learn_lines(self, lines: Iterable[str], size: Size) -> Vocabulary:
        """Learn from normalised lines of text, without line ends; otherwise as `learn`.

        The lines can be iterated over several times.
        """
        raise NotImplementedError(f"{type(self).__name__} does not learn from lines")

    def load(self) -> Vocabulary:
        """Return a vocabulary that was learned elsewhere, in its only size.

        Raise InputError if its file cannot be read or understood.
        """
        raise NotImplementedError(f"{type(self).__name__} loads no ready-made vocabulary")

    def trace(self, words: Mapping[str, int], size: Size) -> Iterator[Step]:
        """Yield the iterations of learning, after the state before them as number 0.

        A learner that cannot be traced yields nothing.
        """
        return iter(())


@dataclass(frozen=True)
class Decision:
    """One step of a segmenter: the candidates, which of them were chosen, and the reason.

    All `candidates` have the same names with values: a text, a number, True or False, a tuple of
    tokens as the vocabulary spells them, or None. `chosen` holds the positions of those that were
    chosen. `state` holds the tokens before the step, if there are any.
    """

    title: str
    candidates: Sequence[Mapping[str, object]]
    chosen: Sequence[int] = ()
    reason: str = ""
    state: Sequence[str] = ()


@dataclass(frozen=True)
class Explanation:
    """The decisions of a segmenter about one word, in order, and the resulting tokens."""

    decisions: Sequence[Decision]
    tokens: "Sequence[Token]"


Token = str | tuple[str | int | None, int]
"""A token; or a pair of a token (or its id) and the number of bytes of the word that it covers.
None in place of a token stands for bytes that the tokenizer drops."""

REPLACEMENT = "\ufffd"


class Segmenter(Component):
    """Cuts words into tokens. Define `segment`; to cut whole lines, subclass TextSegmenter."""

    def prepare(self, vocabulary: Vocabulary) -> Any:
        """Return what `segment` needs for a vocabulary, such as a trie; called once for each."""
        return vocabulary

    @abstractmethod
    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        """Cut one word (never empty, without marks) into tokens.

        The tokens carry the marks that the vocabulary's `marks` ask for; without marks they join to
        the word. Or they are (token, bytes) pairs, whose numbers of bytes add up to those of the
        word. A token that is not in the vocabulary is an unknown token.
        """

    def segment_many(self, words: Iterable[str], prepared: Any) -> Iterator[Sequence[Token]]:
        """Cut many words; an override returns the same as a loop over `segment`."""
        return (self.segment(word, prepared) for word in words)

    @property
    def fixed_cuts(self) -> bool:
        """Promise: words are cut at the same places at every size of a vocabulary.

        `segment` then returns the same tokens, all of them texts, with a vocabulary and with every
        cut of it; only whether a token is known differs. The core segments each word once for all
        sizes and curves, without a `timeline`.
        """
        return False

    @property
    def whole_words(self) -> bool:
        """Promise: each word is one token, known or not, so that tokens tell where words end."""
        return False

    def timeline(self, words: Sequence[str], prepared: Any, since: int = 0) -> "Timeline | None":
        """Return all states of each word from `since` learned items on, or None (the default).

        At every number m of learned items, from `since` to all, the state of a word has the tokens
        that `segment` returns with the vocabulary cut to m items; ids are those of the whole
        vocabulary. The first state of a word begins at `since`. So each word has one state with
        `since=len(vocabulary.learned)`, which is the fastest way to cut many words.

        It is called only if the tokens of each cut vocabulary are the first tokens of the whole
        one. Return None if there is no quick way: the core then segments at each size.
        """
        return None

    def explain(self, word: str, prepared: Any) -> Explanation | None:
        """Return the decisions behind the tokens that `segment` returns for a word.

        None (the default) means that the segmenter explains nothing.
        """
        return None

    def proofs(self, ids: Sequence[int], prepared: Any) -> Sequence[str | None] | None:
        """Return for each token a word that settles whether the token is reachable.

        Promise: a token that its word does not yield comes in no word. None in place of a word
        says nothing of a token, and None in place of all (the default) nothing of any.
        """
        return None

    def decode(self, ids: Sequence[int], vocabulary: Vocabulary) -> str:
        """Return the text of one word's ids; an unknown token (such as -1) becomes U+FFFD."""
        unknown = REPLACEMENT.encode()
        return decoded(
            b"".join(
                unknown if i < 0 or i in vocabulary.unproduced else vocabulary.raw(i) for i in ids
            )
        )


class TextSegmenter(Segmenter):
    """Cuts whole lines, including spaces. Define `segment_lines`.

    The core aligns tokens to words by their offsets. To cut words alone, it passes each word as a
    line.
    """

    @abstractmethod
    def segment_lines(self, lines: Sequence[str], prepared: Any) -> "LineTokens":
        """Cut lines (without line ends) into tokens with their byte offsets.

        Add no special tokens, and treat text that spells one as ordinary text.
        """

    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        """Cut one word that stands alone."""
        return next(self.segment_many([word], prepared))

    def segment_many(self, words: Iterable[str], prepared: Any) -> Iterator[Sequence[Token]]:
        """Cut words that each stand alone."""
        listed = list(words)
        return self.segment_lines(listed, prepared).pairs(listed)
