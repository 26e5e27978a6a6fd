"""Metrics that are a quotient of two summed counts."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tokbench.api import AdditiveMetric


def quotient(numerator: Any, denominator: Any) -> Any:
    """Divide numbers or arrays, giving NaN wherever the denominator is zero."""
    import numpy as np

    return np.divide(numerator, np.where(np.equal(denominator, 0), np.nan, denominator))


class Ratio(AdditiveMetric):
    """One summed column over another; subclasses name both and count them."""

    numerator: ClassVar[str]
    denominator: ClassVar[str]

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Divide the sum of `numerator` by that of `denominator`; NaN where that is zero."""
        return quotient(sums[self.numerator], sums[self.denominator])
