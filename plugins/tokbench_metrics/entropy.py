"""How evenly the tokens are used: entropy as a share of the greatest possible."""

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from tokbench.api import Metric
from tokbench.api.arrays import quotient

if TYPE_CHECKING:
    from tokbench.api.arrays import CountTable, Segmentation


class Efficiency(Metric):
    """The entropy of the tokens' distribution, Shannon's or another, as a share of log2 |V|."""

    evidence = (
        "For: Zouhar et al. 2023 find that it goes with BLEU in translation, less than Rényi "
        "entropy does; against: Cognetta et al. 2024, as for Rényi entropy."
    )
    observed: ClassVar[bool]
    better = "higher"
    range = (0.0, 1.0)
    source = "Zouhar et al. 2023, Tokenization and the Noiseless Channel; tokenization-scorer"
    interval = False
    denominator = "tokens"

    unknown: Literal["pooled", "apart"] = Field(
        "pooled",
        description="tokens that are not known are one type (`pooled`), or each text under one is"
        " a type of its own (`apart`), as tokenization-scorer counts",
    )

    @property
    def order(self) -> float:
        """The order of the entropy; 1 is Shannon's."""
        return 1.0

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count each state's tokens, in all and by type; and |V| as declared once a token.

        So the mean of the last is |V| in every sum.
        """
        tokens, apart = segmentation.tokens, self.unknown == "apart"
        types = by_spelling(segmentation) if apart else segmentation.histogram
        vocabulary = segmentation.vocabulary
        declared = vocabulary.size + vocabulary.can_be_unknown
        return {"tokens": tokens, "by-type": types, "declared": tokens * declared}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Score the distribution over types; NaN without tokens, or where |V| is 1."""
        import numpy as np

        counts = sums["by-type"]
        if self.observed:
            types = np.count_nonzero(counts, axis=-1)
        else:
            types = quotient(sums["declared"], sums["tokens"])
        # Rounding must not lead outside the range; adding zero turns -0.0 into 0.0.
        return np.clip(entropy(counts, self.order) / np.log2(types), *self.range) + 0.0


class Declared(Efficiency):
    """The share of the entropy that |V| as declared allows."""

    observed = False

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]  # it depends on an option
        """At most 1, unless texts are types of their own, which |V| does not count."""
        return 0.0, 1.0 if self.unknown == "pooled" else inf


class RenyiEfficiency(Efficiency):
    """Rényi entropy, whose power sets how much the frequent tokens weigh."""

    evidence = (
        "For: Zouhar et al. 2023 find a correlation of 0.78 with BLEU in translation; against: "
        "Cognetta et al. 2024 raise it while translation gets worse."
    )
    power: float = Field(
        2.5, gt=0, allow_inf_nan=False, description="the order of the entropy; 1 is Shannon's"
    )

    @property
    def order(self) -> float:
        """The power."""
        return self.power


class RenyiEfficiencyDeclared(Declared, RenyiEfficiency):
    """The Rényi entropy of the tokens as a share of the greatest that the whole vocabulary allows.

    |V| has one type more if the vocabulary does not hold all 256 bytes, since a token can then be
    unknown; so it is the same for every text. It can be raised without a better tokenizer
    (Cognetta et al. 2024), and its ranking differs from that of `renyi-efficiency-observed`.
    Entropy estimated from a sample is too low, and lower still in a resample, so it has no
    interval.
    """

    label = "Rényi efficiency"
    evidence = (
        f"{RenyiEfficiency.evidence[:-1]}; ours (docs/explanation/which-metric.md): among 23 "
        "systems on Shakespeare at 4,000 it ordered 0 of 84 separable pairs as the count model did "
        "(38 with Witten-Bell smoothing)."
    )
    formula = (
        "log2(sum of p^power) / (1 - power) / log2(|V| + 1), without + 1 if all bytes are in V"
    )


class RenyiEfficiencyObserved(RenyiEfficiency):
    """The Rényi entropy of the tokens as a share of the greatest that the types seen allow.

    It can be raised without a better tokenizer (Cognetta et al. 2024); the types seen are biased
    under resampling, so it has no interval. tokenization-scorer returns this value if it gets no
    |V|, and with `unknown: apart` also where a token is unknown; its own default power is 3.
    """

    label = "Rényi efficiency of tokens seen"
    observed = True
    formula = "log2(sum of p^power) / (1 - power) / log2 |V|, |V| the types seen"


class ShannonEfficiencyDeclared(Declared):
    """The Shannon entropy of the tokens as a share of the greatest that the vocabulary allows.

    |V| has one type more if the vocabulary does not hold all 256 bytes, since a token can then be
    unknown; so it is the same for every text. Entropy estimated from a sample is too low, and lower
    still in a resample, so it has no interval.
    """

    label = "Shannon efficiency"
    formula = "-(sum of p log2 p) / log2(|V| + 1), without + 1 if all bytes are in V"


class ShannonEfficiencyObserved(Efficiency):
    """The Shannon entropy of the tokens as a share of the greatest that the types seen allow.

    The types seen are biased under resampling, so it has
    no interval.
    """

    label = "Shannon efficiency of tokens seen"
    observed = True
    formula = "-(sum of p log2 p) / log2 |V|, |V| the types seen"


def by_spelling(segmentation: "Segmentation") -> "CountTable":
    """Count each state's tokens by id; of those that are not known, by the text under them.

    The last bins are these texts. In context it is the part of the text that the word holds.
    """
    from dataclasses import replace

    import numpy as np

    words, pooled = segmentation.words, segmentation.histogram
    unknown = np.flatnonzero((~segmentation.known)[segmentation.counted])
    rows = np.flatnonzero(segmentation.counted)[unknown]
    first = words.offset[segmentation.word][segmentation.state_of[rows]]
    starts, ends = first + segmentation.starts[rows], first + segmentation.ends[rows]
    raw, texts = words.utf8.tobytes(), dict[bytes, int]()
    items = pooled.items.copy()
    items[unknown] = [
        texts.setdefault(raw[a:b], pooled.width - 1 + len(texts))
        for a, b in zip(starts, ends, strict=True)
    ]
    return replace(pooled, items=items, width=pooled.width - 1 + max(len(texts), 1))


def entropy(counts: Any, power: float) -> Any:
    """Return the Rényi entropy, in bits, of counts along the last axis.

    The power 1 is its limit, Shannon's entropy.
    """
    import numpy as np

    total = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(total > 0, total, np.nan)
    if power == 1:
        surprise = -np.log2(np.where(shares > 0, shares, 1))
        return (shares * surprise).sum(axis=-1)
    # Relative to the largest share, so that a high power does not underflow.
    largest = shares.max(axis=-1, keepdims=True)
    # Raising zero to a power costs most, and on a short text nearly all counts are zero.
    powers = np.zeros_like(shares)
    np.power(shares / largest, power, out=powers, where=shares > 0)
    return (np.log2(powers.sum(axis=-1)) + power * np.log2(largest[..., 0])) / (1 - power)
