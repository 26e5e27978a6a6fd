"""The library's own segmentation: of whole lines, and of words alone."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from tokbench.api import Explanation, InputError, Segmenter, TextSegmenter, Token, Vocabulary
from tokbench_hf import NeedsTokenizers

if TYPE_CHECKING:
    from tokbench.api.arrays import LineTokens
    from tokbench_hf.engine import Engine


class HfSegmenter(NeedsTokenizers, Segmenter):
    """The common part: the tokenizer in a vocabulary does the work."""

    alone: ClassVar[bool]
    """Whether words come alone, so that no line is cut into words first."""

    def prepare(self, vocabulary: Vocabulary) -> "Engine":
        """Have the library read the tokenizer.json; raises InputError where there is none."""
        # The library and NumPy stay off the start-up path.
        from tokbench_hf.engine import Engine
        from tokbench_hf.mapping import EXTRA

        if EXTRA not in vocabulary.extra:
            raise InputError(
                "the vocabulary holds no tokenizer.json: the segmenters hf and hf-words need one of"
                " the learners hf, hf-bpe, hf-byte-bpe, hf-unigram or hf-wordpiece"
            )
        return Engine.of(vocabulary, self.alone)

    def explain(self, word: str, prepared: "Engine") -> Explanation:
        """Show the text as the library normalises it, its pre-tokens, and its tokens."""
        return prepared.explain(word)


class HfLines(HfSegmenter, TextSegmenter):
    """Cut whole lines as a tokenizer.json says: normalizer, pre-tokenizer and model.

    Text that spells a special token is ordinary text, and no special token is added. If the model
    itself writes a special piece, that piece is unknown. Truncation, padding and dropout of the
    file are left out. Lone surrogates, which the library refuses, are read as U+FFFD.
    """

    alone: ClassVar[bool] = False

    def segment_lines(self, lines: Sequence[str], prepared: "Engine") -> "LineTokens":
        """Cut lines in one call of the library, on all processors."""
        return prepared.cut(lines)


class HfWords(HfSegmenter):
    """Cut each word alone, as the library's trainers saw it: no line is cut into words first."""

    alone: ClassVar[bool] = True

    def segment(self, word: str, prepared: "Engine") -> Sequence[Token]:
        """Cut one word."""
        return next(self.segment_many([word], prepared))

    def segment_many(self, words: Iterable[str], prepared: "Engine") -> Iterator[Sequence[Token]]:
        """Cut words in one call of the library."""
        listed = list(words)
        return prepared.cut(listed).pairs(listed)
