"""What a whole text takes, and whether it comes back: lines or documents, spaces included."""

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any

from pydantic import Field

from tokbench.api import Ratio
from tokbench.api.arrays import ones
from tokbench_metrics.length import COMPRESSION, TokensOfReference, TokenTotal

if TYPE_CHECKING:
    from tokbench.api.arrays import Segmentation


class TextTokens(TokenTotal):
    """The tokens of the whole text, spaces included, of a tokenizer that cuts it in context.

    With `lines: joined` line ends are included too, and the number is what the tokenizer's own
    library counts for a file. With lines apart no line end is cut. Lines without words, and
    documents without words, are left out.
    """

    label = "tokens of whole lines"
    formula = "sum of tokens over lines, cut in context"
    needs = frozenset({"context"})
    texts_only = True

    def count_states(self, segmentation: "Segmentation") -> Mapping[str, Any] | None:
        """Return None: words alone do not make the text."""
        return None


class TextBytesPerToken(Ratio):
    """The mean number of UTF-8 bytes of the whole text to a token, spaces included.

    Unlike `bytes-per-token` it counts the bytes between words, which tokens write too. With
    `lines: joined` line ends are included; with lines apart they are neither bytes nor tokens. It
    turns a loss per token into a loss per byte, if tokens write every byte: see `tokbench bytes`.
    """

    label = "bytes per token of whole lines"
    evidence = (
        f"{COMPRESSION[:-1]}; ours (docs/explanation/which-metric.md): among 23 systems on "
        "Shakespeare at 4,000 it (bytes with one space a word) ordered 31 of 84 separable pairs as "
        "the count model did (49 with Witten-Bell smoothing)."
    )
    per = "line"
    better = "higher"
    gated = True
    texts_only = True
    range = (0.0, inf)
    formula = "UTF-8 bytes of the text / tokens of the text"
    source = "Gao et al. 2020, The Pile (its inverse turns losses into bits per byte)"
    needs = frozenset({"context"})
    numerator = "bytes"
    denominator = "tokens"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the bytes and the tokens of each line; of words cut alone, those of the words."""
        words, context = segmentation.words, segmentation.context
        size = words.sum_lines(words.bytes) if context is None else context.bytes
        return {"bytes": size, "tokens": segmentation.line_tokens}


class RoundTripText(Ratio):
    """The share of lines that their token ids give back exactly, spaces and case included.

    `round-trip` looks at words alone, so it is 1 where two spaces become one. A mark of a word's
    edge writes one space, and so does each token that continues no word, where continuations are
    marked. The space that a tokenizer adds to every line is left out.
    """

    label = "lines written exactly"
    evidence = (
        "No study relates it to the quality of a model, but text that is lost cannot be modelled."
    )
    family = "oov"
    per = "line"
    better = "higher"
    texts_only = True
    range = (0.0, 1.0)
    formula = "lines with text of ids = line / lines, cut in context"
    source = "known as lossless tokenization (Kudo and Richardson 2018, SentencePiece)"
    needs = frozenset({"context"})
    numerator = "returned"
    denominator = "lines"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the lines, and those given back; none where this is not known."""
        lines = len(segmentation.line_tokens)
        context = segmentation.context
        if context is None or len(context.returned) != lines:
            return {"returned": 0 * ones(lines), "lines": 0 * ones(lines)}
        return {"returned": context.returned, "lines": ones(lines)}


class NormalisedSequenceLength(TokensOfReference):
    """The tokens of a text, divided by those of a named system.

    Below 1 the text takes fewer tokens than by that system. It is 1 for the named system itself.
    Where that one has no result, or much of the text is unknown to it, it is undefined. It is not
    scored on training samples.
    """

    label = "tokens per token of another system"
    evidence = COMPRESSION
    better = "lower"
    formula = "tokens of the text / tokens of the text by the named system"
    source = "Dagan et al. 2024, Getting the most out of your tokenizer (NSL)"
    needs = frozenset({"context", "system"})

    of: str = Field(
        min_length=1, description="the system to compare with; `name@size` if it has sizes"
    )
