"""The segmenter `wordpiece`: longest match, as BERT does it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import Field
from tokbench_bpe.apart import is_inside, text_of
from tokbench_bpe.matching import Trie
from tokbench_bpe.segmenters import LongestMatch

from tokbench.api import Decision, Explanation, Marks, Token, Vocabulary
from tokbench.api.text import CONTINUATION, EOW, byte_length

if TYPE_CHECKING:
    from tokbench.api.arrays import Timeline


@dataclass(frozen=True)
class Sought(Trie):
    """The tokens that are looked for, and how a word is written that they do not make up."""

    @cached_property
    def texts(self) -> frozenset[str]:
        """The tokens that are looked for."""
        return frozenset(token for _, token in self.tokens)

    @cached_property
    def opening(self) -> str:
        """The shortest token, without marks, that only begins words and no longer token.

        Empty where there is none.
        """
        marks = self.vocabulary.marks
        longer = {
            token[:stop] for token in self.texts for stop in range(1, len(token.removesuffix(EOW)))
        }
        first = (
            Marks.strip(token)
            for token in self.texts - longer
            if not is_inside(token, marks)[0] and not token.endswith(EOW)
        )
        return min(filter(None, first), key=lambda text: (len(text), text), default="")

    def names(self, tokens: Sequence[Token]) -> Sequence[str]:
        """Return the texts of tokens, which have their bytes where bytes are the units."""
        return [token if isinstance(token, str) else str(token[0]) for token in tokens]

    def unknown(self, word: str) -> Token:
        """Return a whole word as one token that is not known."""
        vocabulary = self.vocabulary
        # No token ends with a continuation mark.
        named = vocabulary.tokens[vocabulary.unknown] if vocabulary.unknown is not None else ""
        return named or word + CONTINUATION, byte_length(word)


class WordPieceMatch(LongestMatch):
    """Take the longest token that the rest of the word begins with; give up where none does.

    As in BERT, if any part of a word matches no token, the whole word is one unknown token. Works
    with any vocabulary; special and byte tokens are not looked for. Source: the program of Devlin
    and others (2019), BERT.
    """

    whole_word_unknown: bool = Field(
        True,
        description="where nothing matches, the whole word is one unknown token; else one letter"
        " is, and the rest goes on, as `longest-match` does it",
    )
    max_characters: int | None = Field(
        100, ge=1, description="longer words are one unknown token; `null` for no limit"
    )

    def prepare(self, vocabulary: Vocabulary) -> Sought:
        """Build a trie of the tokens."""
        return Sought(vocabulary)

    def segment(self, word: str, prepared: Sought) -> Sequence[Token]:
        """Cut one word, from left to right."""
        if self._cropped(word) != word:
            return [prepared.unknown(word)]
        tokens = super().segment(word, prepared)
        if self.whole_word_unknown and not prepared.texts.issuperset(prepared.names(tokens)):
            return [prepared.unknown(word)]
        return tokens

    def explain(self, word: str, prepared: Sought) -> Explanation:
        """Show at each place the pieces that are tried, and whether the word is given up."""
        if self._cropped(word) != word:
            reason = f"more than {self.max_characters} characters: one unknown token"
            return Explanation([Decision("the word", [], (), reason)], [prepared.unknown(word)])
        explained = super().explain(word, prepared)
        names = prepared.names(explained.tokens)
        if self.whole_word_unknown and not prepared.texts.issuperset(names):
            why = "a letter is unknown: so is the whole word"
            last = Decision("the word", [], (), why, tuple(names))
            return Explanation([*explained.decisions, last], [prepared.unknown(word)])
        return explained

    def proofs(self, ids: Sequence[int], prepared: Sought) -> Sequence[str | None] | None:
        """Return words in which the tokens stand apart, and are known from end to end.

        A token that does not begin a word stands behind one that begins no longer token: the
        longest match ends before it. Nothing is said of tokens that a known letter must follow.
        """
        words = super().proofs(ids, prepared) or ()
        if self.whole_word_unknown:
            words = [_known_word(i, prepared) for i in ids]
        return [
            word if word is None or self._settles(word, i, prepared.vocabulary) else None
            for i, word in zip(ids, words, strict=True)
        ]

    def _settles(self, word: str, i: int, vocabulary: Vocabulary) -> bool:
        """Return whether a word is short enough, or no shorter one could hold the token."""
        text = text_of(vocabulary, i) or ""
        return self._cropped(word) == word or self._cropped(text) != text

    def timeline(self, words: Sequence[str], prepared: Sought, since: int = 0) -> "Timeline":
        """Return every state of each word, cutting anew only what a later token changes."""
        # NumPy stays off the start-up path.
        from tokbench_wordpiece.giveup import given_up

        cropped = list(map(self._cropped, words))
        long = [len(some) < len(word) for some, word in zip(cropped, words, strict=True)]
        timeline = super().timeline(cropped, prepared, since)
        return given_up(timeline, words, long, self.whole_word_unknown, prepared.vocabulary)

    def _cropped(self, word: str) -> str:
        return word[: self.max_characters]


def _known_word(i: int, prepared: Sought) -> str | None:
    """Return a word of known tokens with a token at its end; None where that settles nothing."""
    vocabulary = prepared.vocabulary
    text = text_of(vocabulary, i)
    before, behind = is_inside(vocabulary.tokens[i], vocabulary.marks)
    marked = vocabulary.marks.bow.kind in ("separate", "fenced") or vocabulary.units == "bytes"
    if not text or behind or (before and (marked or not prepared.opening)):
        return None
    return prepared.opening * before + text
