"""The segmenter `byte-bpe`: lines cut into pre-tokens, and these merged."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from tokbench_bpe.merging import Merges
from tokbench_bpe.segmenters import KERNELS, BpeRank

from tokbench.api import Decision, Explanation, TextSegmenter, Token, Vocabulary
from tokbench_bytes.patterns import PieceSplit, pieces_of

if TYPE_CHECKING:
    from tokbench.api.arrays import LineTokens


class ByteBpeSegmenter(TextSegmenter):
    """Cut whole lines into pre-tokens by a pattern, and merge each as `bpe` merges a word.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners, section
    2.2. Spaces belong to tokens: with GPT-2's merges the ids are GPT-2's.
    """

    kernels: ClassVar[str | None] = KERNELS

    split: PieceSplit = Field(
        "gpt2",
        description="the pattern of a pre-token: `gpt2`, `cl100k`, `o200k`, `{regex: ...}`, or "
        "`none`",
    )

    def prepare(self, vocabulary: Vocabulary) -> Merges:
        """Rank the merges."""
        return BpeRank().prepare(vocabulary)

    def segment_lines(self, lines: Sequence[str], prepared: Merges) -> "LineTokens":
        """Cut lines; each distinct pre-token is merged once."""
        # NumPy stays off the start-up path.
        from tokbench_bytes.lines import cut

        return cut(lines, pieces_of(self.split), BpeRank(), prepared)

    def explain(self, word: str, prepared: Merges) -> Explanation:
        """Show the pre-tokens of a line, and the merges of each."""
        bpe = BpeRank()
        pieces = pieces_of(self.split)(word)
        return explain_pieces(pieces, lambda piece: bpe.explain(piece, prepared))


def explain_pieces(pieces: Sequence[str], explained: Callable[[str], Explanation]) -> Explanation:
    """Explain each pre-token of a line; the steps of one of several say which it is."""
    steps = [
        Decision(
            "pre-tokens",
            [{"text": piece} for piece in pieces],
            range(len(pieces)),
            "each is cut into tokens alone",
        )
    ]
    tokens: list[Token] = []
    for piece in pieces:
        explanation = explained(piece)
        of = f"{piece!r}: " if len(pieces) > 1 else ""
        steps += [replace(step, title=f"{of}{step.title}") for step in explanation.decisions]
        tokens += explanation.tokens
    return Explanation(steps, tokens)
