"""Metrics that are one sum over another."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tokbench.api.metric import AdditiveMetric


def quotient(numerator: Any, denominator: Any) -> Any:
    """Divide numbers or arrays, giving NaN wherever the denominator is zero."""
    import numpy as np

    return np.divide(numerator, np.where(np.equal(denominator, 0), np.nan, denominator))


def ones(rows: int) -> Any:
    """Count one a row."""
    import numpy as np

    return np.ones(rows, dtype=np.int64)


class Ratio(AdditiveMetric):
    """The sum of the column `numerator` over the sum of the column `denominator`."""

    numerator: ClassVar[str]
    denominator: ClassVar[str]

    @property
    def events(self) -> tuple[str, ...]:  # type: ignore[override]  # depends on the range
        """Of a share, what it counts."""
        return (self.numerator, self.denominator) if self.range == (0.0, 1.0) else ()

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Divide the two sums; NaN where the denominator is zero."""
        return quotient(sums[self.numerator], sums[self.denominator])
