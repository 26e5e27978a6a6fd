"""How evenly the tokens are used: entropy as a share of the greatest possible."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from tokbench.api import AdditiveMetric

if TYPE_CHECKING:
    from tokbench.api import Segmentation


class Efficiency(AdditiveMetric):
    """The entropy of the tokens' distribution, Shannon's or another, as a share of log2 |V|."""

    observed: ClassVar[bool]
    better = "higher"
    range = (0.0, 1.0)
    source = "Zouhar et al. 2023, Tokenization and the Noiseless Channel; tokenization-scorer"
    interval = False
    denominator = "tokens"

    @property
    def order(self) -> float:
        """The order of the entropy; 1 is Shannon's."""
        return 1.0

    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Count each state's tokens, in all and by id."""
        return {"tokens": segmentation.tokens, "by-id": segmentation.histogram}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Score the distribution over ids; NaN without tokens, or where |V| is 1."""
        import numpy as np

        counts = sums["by-id"]
        if self.observed:
            types = np.count_nonzero(counts, axis=-1)
        else:
            # All that is not known, the last bin, is one type more.
            types = vocabulary_size + (counts[..., -1] > 0)
        # Rounding must not lead outside the range; adding zero turns -0.0 into 0.0.
        return np.clip(entropy(counts, self.order) / np.log2(types), 0, 1) + 0.0


class RenyiEfficiency(Efficiency):
    """Rényi entropy, whose power sets how much the frequent tokens weigh."""

    power: float = Field(
        2.5, gt=0, allow_inf_nan=False, description="the order of the entropy; 1 is Shannon's"
    )

    @property
    def order(self) -> float:
        """The power."""
        return self.power


class RenyiEfficiencyDeclared(RenyiEfficiency):
    """The Rényi entropy of the tokens as a share of the greatest that the whole vocabulary allows.

    All that is not known is one type more. It can be raised without a better tokenizer (Cognetta
    et al. 2024), and its ranking differs from that of `renyi-efficiency-observed`. Entropy
    estimated from a sample is too low, and lower still in a resample, so it has no interval.
    """

    observed = False
    formula = "log2(sum of p^power) / (1 - power) / log2 |V|, |V| as declared"


class RenyiEfficiencyObserved(RenyiEfficiency):
    """The Rényi entropy of the tokens as a share of the greatest that the types seen allow.

    All that is not known is one type more. It can be raised without a better tokenizer (Cognetta
    et al. 2024); the types seen are biased under resampling, so it has no interval.
    tokenization-scorer returns this value if it gets no |V|; its own default power is 3.
    """

    observed = True
    formula = "log2(sum of p^power) / (1 - power) / log2 |V|, |V| the types seen"


class ShannonEfficiencyDeclared(Efficiency):
    """The Shannon entropy of the tokens as a share of the greatest that the vocabulary allows.

    All that is not known is one type more. Entropy estimated from a sample is too low, and lower
    still in a resample, so it has no interval.
    """

    observed = False
    formula = "-(sum of p log2 p) / log2 |V|, |V| as declared"


class ShannonEfficiencyObserved(Efficiency):
    """The Shannon entropy of the tokens as a share of the greatest that the types seen allow.

    All that is not known is one type more. The types seen are biased under resampling, so it has
    no interval.
    """

    observed = True
    formula = "-(sum of p log2 p) / log2 |V|, |V| the types seen"


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
