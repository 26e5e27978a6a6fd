r"""Plain (unquoted) YAML values, read only where every YAML reader agrees on them.

YAML 1.1 reads `no` as false, `12:30` as 750 and `010` as 8, YAML 1.2 reads them as text or as 10,
and `1e-3` is a number in one and text in the other. Whatever readers disagree about is refused,
with a hint what to write.
"""

import re
from collections.abc import Callable
from decimal import Decimal

Scalar = str | int | float | bool | None

_CONSTANTS: dict[str, bool | None] = {
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_BOOLEANS = {"yes": "true", "on": "true", "no": "false", "off": "false"}

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+][0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_MAX_DIGITS = 18
_MAX_ZEROS = 15
_LONGEST = 40


class AmbiguousError(ValueError):
    """A value that YAML readers read in different ways, or that is no finite number."""


def read_plain(text: str) -> Scalar:
    """Read an unquoted value; raises AmbiguousError, with a hint, where readers disagree."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        if len(text) > _MAX_DIGITS:
            raise AmbiguousError(f"found a number of {len(text)} digits, expected a smaller one")
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise AmbiguousError(f"found {text[:_LONGEST]}, expected a smaller number")
        return number
    if (hint := _trap(text)) is not None:
        raise AmbiguousError(hint)
    return text


def _trap(text: str) -> str | None:
    """Describe the trap in a value that YAML readers read differently; None if all read text."""
    if len(text) > _LONGEST:
        return None
    lower = text.lower()
    if lower in _BOOLEANS and text in (lower, lower.title(), lower.upper()):
        return _hint(text, f"as {_BOOLEANS[lower]}", _BOOLEANS[lower])
    if _NOT_FINITE.fullmatch(text):
        return f"found {text}, expected a finite number"
    for pattern, reading, better in _TRAPS:
        if re.fullmatch(pattern, text):
            return _hint(text, reading, better(text))
    return None


def _hint(text: str, reading: str, better: str | None) -> str:
    quoted = f"'{text}' in quotes"
    meant = f"write {better}, or {quoted} for text" if better else f"write {quoted}"
    return f"some YAML readers read {text} {reading}, others don't: {meant}"


def _without_exponent(text: str) -> str | None:
    """Write `1e-3` as 0.001 and `1e3` as 1000, unless that is too long to be read."""
    number = Decimal(text)
    if not number or abs(number.adjusted()) > _MAX_ZEROS:
        return None
    plain = f"{number:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


# Values that readers disagree about: how some of them read these, and what to write instead.
_TRAPS: tuple[tuple[str, str, Callable[[str], str | None]], ...] = (
    (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt\s].*)?", "as a date", lambda text: None),
    (r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?", "in base 60", lambda text: None),
    (
        r"[-+]?0(x[0-9a-fA-F][0-9a-fA-F_]*|o[0-7][0-7_]*|b[01][01_]*)",
        "as a number",
        lambda text: str(int(text.replace("_", ""), 0)),
    ),
    (r"[-+]?0[0-9]+", "as an octal number", lambda text: str(int(text))),
    (r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+", "as a number", _without_exponent),
    (r"[-+]?[0-9][0-9_]*(\.[0-9_]*)?", "as a number", lambda text: text.replace("_", "")),
)
