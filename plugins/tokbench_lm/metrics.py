"""The metrics of a small count model over the tokens of each system."""

from collections.abc import Iterator, Mapping
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from tokbench.api import Cell, Column, TrainingMetric
from tokbench.api.arrays import TrainingLines, quotient

if TYPE_CHECKING:
    from tokbench.api.arrays import Segmentation
    from tokbench_lm.price import Prices, Pricing


class OfModel(TrainingMetric):
    """The options that the metrics of the model share, and bytes as their denominator."""

    range = (0.0, inf)
    denominator = "bytes"

    order: int | None = Field(
        None, ge=1, le=16, description="the order of the model; by default the best on a tenth of "
        "the training text that is held back"
    )  # fmt: skip
    memory: int = Field(1_000, ge=1, description="the MB that fitting the model may take, about")
    seed: int = Field(0, description="the seed that draws the tenth")

    def prices(self, segmentation: "Segmentation", training: TrainingLines | None) -> "Prices":
        """Return what the running words cost; metrics with the same options share it."""
        assert training is not None  # the core gives it
        return segmentation.once(self.pricing(training))

    def pricing(self, training: TrainingLines) -> "Pricing":
        """Return what prices a text with the options."""
        from tokbench_lm.price import Pricing

        return Pricing(training, self.order, self.memory, self.seed)


class BitsPerByte(OfModel):
    """The bits that a small count model needs for each byte of the text.

    For each system an n-gram model (interpolated modified Kneser-Ney) is fitted on the training
    text, cut as the system cuts, and prices the test text: the scoring words of each line joined by
    single spaces, with a newline at its end. All systems pay for the same bytes: by tokens, by
    boundaries between words where no mark tells them, by newlines, and by unknown text that is
    spelled byte by byte. Below the unigrams all possible events are alike; where training shows no
    unknown text, that has a half. A system that loses text in another way has no value, such as
    BERT's tokenizer in context, which loses spaces. Where more bytes are spelled (`escaped-bytes`)
    than the config's `gate`, nothing is compared.

    Compare within one size and one training text only: a larger vocabulary needs more text. Parts
    of the text compare only between marks of one kind: `▁` pays for the end of a word in the next
    word, `</w>` in its own.
    """

    label = "bits per byte"
    gated = True
    gated_by = "escaped-bytes"
    beside: ClassVar[tuple[str, ...]] = ("escaped-bytes", "bits-per-byte-witten-bell")
    better = "lower"
    formula = "- sum of log2 p(event) / UTF-8 bytes of words, spaces and newlines"
    source = (
        "Chen and Goodman 1998; Heafield et al. 2013, Scalable Modified Kneser-Ney Language Model "
        "Estimation"
    )
    evidence = (
        "For: it is the loss of a real model on the text; against: the model is small and counts, "
        "so what it finds need not hold for large networks, and one cut of a text gives only an "
        "upper bound (Cao and Rimell 2021); ours (docs/explanation/which-metric.md): among 23 "
        "systems on Shakespeare at 4,000 its order one ordered 48 of 84 separable pairs as its "
        "best order did (80 with Witten-Bell smoothing)."
    )
    columns: ClassVar[Mapping[str, Column]] = {
        "order": "number",
        "held-back-bits-per-byte": "number",
        "training-bytes": "number",
    }

    def count(
        self, segmentation: "Segmentation", training: TrainingLines | None = None
    ) -> Mapping[str, Any]:
        """Count the bits and bytes of each running word, and the bytes that are lost."""
        prices = self.prices(segmentation, training)
        return {"bits": prices.bits, "bytes": prices.size, "lost": prices.lost}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Divide bits by bytes; NaN where text is lost."""
        import numpy as np

        return np.where(np.equal(sums["lost"], 0), quotient(sums["bits"], sums["bytes"]), np.nan)

    def rows(self, training: TrainingLines) -> Iterator[Mapping[str, Cell]]:
        """Return the bits of the lines held back at each order that was tried, or the one order."""
        words = training.words
        size = int((words.bytes[words.order] + 1).sum())
        chosen = self.pricing(training).chosen()
        tried = enumerate(chosen.held_back, start=1) if chosen.held_back else [(chosen.order, None)]
        for order, bits in tried:
            cells = {"order": order, "held-back-bits-per-byte": bits, "training-bytes": size}
            yield cells


class BitsPerByteWittenBell(BitsPerByte):
    """The bits for each byte as in `bits-per-byte`, from the same counts smoothed otherwise.

    The smoothing is that of Witten and Bell (1991), method C. It is a second opinion: where both
    order two systems otherwise, the difference between them is one of the smoothing.
    """

    label = "bits per byte (Witten-Bell)"
    beside: ClassVar[tuple[str, ...]] = ("escaped-bytes", "bits-per-byte")
    evidence = (
        "As of `bits-per-byte`; ours (docs/explanation/which-metric.md): among 23 systems on "
        "Shakespeare at 4,000 it ordered 46 of 84 separable pairs as `bits-per-byte` did."
    )
    source = "Witten and Bell 1991, The zero-frequency problem (method C)"
    columns: ClassVar[Mapping[str, Column]] = {}

    def count(
        self, segmentation: "Segmentation", training: TrainingLines | None = None
    ) -> Mapping[str, Any]:
        """Count the bits and bytes of each running word, and the bytes that are lost."""
        prices = self.prices(segmentation, training)
        return {"bits": prices.witten_bell, "bytes": prices.size, "lost": prices.lost}


class EscapedBytes(OfModel):
    """The share of the bytes that the model pays for as spelled, unknown text.

    Above the config's `gate` the bits for each byte are not compared: they say more about the
    spelling, which is the same for all systems, than about the tokens.
    """

    label = "bytes spelled out"
    better = "lower"
    range = (0.0, 1.0)
    formula = "bytes of unknown text / UTF-8 bytes of words, spaces and newlines"
    events = ("escaped", "bytes")

    def count(
        self, segmentation: "Segmentation", training: TrainingLines | None = None
    ) -> Mapping[str, Any]:
        """Count the spelled bytes of each running word, and all."""
        prices = self.prices(segmentation, training)
        return {"escaped": prices.escaped, "bytes": prices.size}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Divide the two sums."""
        return quotient(sums["escaped"], sums["bytes"])
