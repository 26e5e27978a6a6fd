"""When a difference is called significant, and how many resamples that takes."""

ALPHA = 0.05


def resamples_needed(tests: int) -> int:
    """Give the fewest resamples with which one of so many tests can be significant.

    The smallest p-value of B resamples is 2 / (B + 1), which Holm multiplies by the number of
    tests: 2 * tests / (B + 1) must be below 5 %.
    """
    return 40 * tests
