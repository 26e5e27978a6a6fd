"""Metrics of whole lines: tokens of several words, tokens of none, and translations."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from tokbench.api import Ratio
from tokbench_metrics.length import TokensOfReference

if TYPE_CHECKING:
    from tokbench.api.arrays import Segmentation


class SharedTokens(Ratio):
    """The share of the tokens of words that cover more than one word.

    Such a token is counted in the first of its words and keeps none of them whole; the more there
    are, the less a number a word says of the tokenizer. Words cut alone have none.
    """

    label = "tokens across words"
    evidence = (
        "For: Liu et al. 2025 (SuperBPE) train better models with tokens across words; no study "
        "relates the share itself to quality."
    )
    range = (0.0, 1.0)
    formula = "tokens that cover several words / tokens that cover any word"
    source = "tokens across word boundaries, as in Schmidt et al. 2025, Boundless BPE"
    needs = frozenset({"context"})
    texts_only = True
    numerator = "shared"
    denominator = "tokens"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the tokens of each state, and those that go on into the next word."""
        shared = segmentation.sum_tokens(segmentation.shared & segmentation.counted)
        return {"shared": shared, "tokens": segmentation.tokens}


class OutsideTokens(Ratio):
    """The share of all tokens that cover no word, such as the spaces between words.

    A tokenizer that writes the space before a word as a part of its token has few. Words cut alone
    have none.
    """

    label = "tokens outside words"
    evidence = "No study relates it to the quality of a model."
    per = "line"
    better = "lower"
    range = (0.0, 1.0)
    formula = "tokens that cover no word / tokens"
    source = "whitespace tokens, which counts by word leave out"
    needs = frozenset({"context"})
    numerator = "outside"
    denominator = "tokens"

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count the tokens of each line, in all and outside words."""
        return {"outside": segmentation.outside, "tokens": segmentation.line_tokens}


class Parity(TokensOfReference):
    """How many times the tokens of a reference text its translation takes.

    Above 1 the same content costs more in this language. Only texts whose lines say the same can
    be compared: FLORES and the like, not two books.
    """

    label = "tokens per reference token"
    evidence = (
        "For: Petrov et al. 2023 show that it decides price, speed and usable context of a "
        "language; it was not shown to predict how well a model knows the language."
    )
    formula = "tokens / tokens of the reference text, on parallel lines"
    source = "Petrov et al. 2023, Language Model Tokenizers Introduce Unfairness (as premium)"
    needs = frozenset({"lines"})

    reference: str = Field(
        min_length=1, description="the test text whose lines the others translate"
    )
    texts: tuple[str, ...] | None = Field(
        None, description="the test texts that translate it; by default all others"
    )
