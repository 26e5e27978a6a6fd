"""Numbers spelled for reading."""


def rounded(value: float, decimals: int) -> str:
    """Spell a number with so many decimals; where these would all be zeros, with two digits.

    >>> rounded(6.25, 1), rounded(0.0129, 1), rounded(0, 1)
    ('6.2', '0.013', '0.0')
    """
    text = f"{value:.{decimals}f}"
    return text if float(text) or not value else f"{value:.2g}"


def number(value: float | None) -> str:
    """Spell a number for reading: three decimals below a hundred, none above a thousand.

    Nothing where it is undefined.
    """
    if value is None or value != value:
        return ""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return rounded(value, 1 if abs(value) >= 100 else 3)


def whole(value: int | None) -> str:
    """Spell a whole number for reading; nothing where it is undefined."""
    return "" if value is None else f"{value:,}"


def short(value: float | None) -> str:
    """Spell a number with four digits; nothing where it is undefined."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def percent(share: float, decimals: int | None = None) -> str:
    """Spell a share as a percentage, rounded to so many decimals or with all its digits."""
    value = 100 * share
    return f"{value:.12g} %" if decimals is None else f"{rounded(value, decimals)} %"
