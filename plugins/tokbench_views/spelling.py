"""Numbers spelled for reading."""


def number(value: float | None) -> str:
    """Spell a number for reading: three decimals below a hundred, none above a thousand.

    Nothing where it is undefined.
    """
    if value is None or value != value:
        return ""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.3f}"


def whole(value: int | None) -> str:
    """Spell a whole number for reading; nothing where it is undefined."""
    return "" if value is None else f"{value:,}"


def short(value: float | None) -> str:
    """Spell a number with four digits; nothing where it is undefined."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def percent(share: float) -> str:
    """Spell a share as a percentage, all its digits kept."""
    return f"{100 * share:.12g} %"
