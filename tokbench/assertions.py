"""Assertions about the numbers of a run, for programs that must not pass a worse one on.

    bpe@4000 fertility[held-out/unseen] <= 2.5

An optional system with an optional size, a metric with its corpus and an optional subset in
brackets, a sign and a number. All numbers that match must hold.
"""

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import NamedTuple, NoReturn

from tokbench.api.vocabulary import SystemSize

SIGNS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt, ">": operator.gt}
)
EXAMPLE = "bpe@4000 fertility[held-out/unseen] <= 2.5"
SIGNIFICANTLY = "significantly"
SHOWN = 5
"""Of the numbers that do not hold, so many are shown."""

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_WORD = re.compile(r"[^\s%]+")


class AssertionTextError(ValueError):
    """A text that is no assertion; `column` is the place, from 1."""

    def __init__(self, what: str, column: int) -> None:
        super().__init__(what)
        self.column = column


class AssertedNumber(NamedTuple):
    """A number that an assertion may be about, with its interval where it has one.

    `percent` are the same three in percent of another number, where there is one.
    """

    system: str
    size: str
    corpus: str
    subset: str
    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    percent: tuple[float | None, float | None, float | None] = (None, None, None)

    @property
    def label(self) -> str:
        """The system with its size."""
        return str(SystemSize(self.system, self.size))


@dataclass(frozen=True)
class Assertion:
    """One assertion; without a system it is about all of them, without a size about all sizes."""

    text: str
    system: str
    size: str
    metric: str
    corpus: str
    subset: str
    sign: str
    number: float
    percent: bool
    significantly: bool

    @classmethod
    def parse(cls, text: str, differences: bool = False) -> "Assertion":
        """Read an assertion; only about `differences` it may be in percent.

        Raises AssertionTextError, with the place.
        """
        begin = text.find("[")
        end = text.find("]", begin + 1)
        if begin < 0:
            _refuse(text, len(text.rstrip()), "a metric with its corpus in brackets, as in")
        if end < 0:
            _refuse(text, len(text.rstrip()), "a closing ], as in")
        label, _, metric = text[:begin].strip().rpartition(" ")
        if not metric:
            _refuse(text, begin, "a metric before the [, as in")
        system, size = SystemSize.parse(label)
        corpus, slash, subset = (part.strip() for part in text[begin + 1 : end].partition("/"))
        if not corpus or (slash and not subset):
            _refuse(text, end, "a corpus, and behind a / a subset, as in")
        place = _skip(text, end + 1)
        sign = next((sign for sign in SIGNS if text.startswith(sign, place)), "")
        if not sign:
            raise AssertionTextError(f"expected one of {' '.join(SIGNS)}", place + 1)
        place = _skip(text, place + len(sign))
        number = _NUMBER.match(text, place)
        if number is None or not math.isfinite(float(number[0])):
            raise AssertionTextError("expected a number", place + 1)
        place = _skip(text, number.end())
        percent = text.startswith("%", place)
        if percent and not differences:
            what = "expected no %: only a difference between two runs can be in percent"
            raise AssertionTextError(what, place + 1)
        place = _skip(text, place + percent)
        word = _WORD.match(text, place)
        if text[place:].strip() not in ("", SIGNIFICANTLY):
            raise AssertionTextError(f"expected `{SIGNIFICANTLY}` or nothing more", place + 1)
        return cls(
            text=text.strip(),
            system=system.strip(),
            size=size.strip(),
            metric=metric,
            corpus=corpus,
            subset=subset or "all",
            sign=sign,
            number=float(number[0]),
            percent=percent,
            significantly=word is not None,
        )

    def matches(self, one: AssertedNumber) -> bool:
        """Return whether it is about a number."""
        return (
            self.system in ("", one.system)
            and _bare(self.size) in ("", _bare(one.size))
            and (self.metric, self.corpus, self.subset) == (one.metric, one.corpus, one.subset)
        )

    def failures(self, numbers: Sequence[AssertedNumber]) -> list[str]:
        """Say why it does not hold; nothing where it holds."""
        found = [one for one in numbers if self.matches(one)]
        if not found:
            return [self.unmatched(numbers)]
        wrong = [f"{one.label}: {why}" for one in found if (why := self._wrong(one))]
        more = [f"and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
        return [*wrong[:SHOWN], *more]

    def unmatched(self, numbers: Iterable[AssertedNumber]) -> str:
        """Say which of its names no number has, of those that have the names before it.

        Nothing where it matches one.
        """
        left = [*numbers]
        for kind in ("system", "size", "metric", "corpus", "subset"):
            name = _bare(getattr(self, kind))
            known = [*dict.fromkeys(_bare(getattr(one, kind)) for one in left)]
            if name and name not in known:
                none, hint = f"there is no {kind}", f"no {kind} is called {name!r}; "
                hint += _near(name, known)
                if kind == "size":
                    has = f"{self.system} has no" if self.system else "no system has"
                    none, there = f"{has} sizes", ", ".join(filter(None, known))
                    hint = f"{has} size {name}; there are: {there}"
                return f"it matches no number: {hint if any(known) else none}"
            left = [one for one in left if name in ("", _bare(getattr(one, kind)))]
        return ""

    def _wrong(self, one: AssertedNumber) -> str:
        """Say why it does not hold for a number; nothing where it does."""
        values = (one.value, one.low, one.high)
        unit = ""
        if self.percent:
            values, unit = one.percent, " %"
        value, low, high = values
        holds = SIGNS[self.sign]
        if value is None:
            return "undefined"
        if not holds(value, self.number):
            return f"{value:.6g}{unit}"
        if not self.significantly:
            return ""
        if low is None or high is None:
            return f"{value:.6g}{unit}, without an interval"
        if holds(low, self.number) and holds(high, self.number):
            return ""
        return f"{value:.6g}{unit}, but its interval is {low:.6g} to {high:.6g}"


class AssertionResult(NamedTuple):
    """An assertion, and why it does not hold: nothing where it holds."""

    text: str
    failures: Sequence[str]

    @property
    def verdict(self) -> str:
        """Whether it holds, in words."""
        return "does not hold" if self.failures else "holds"

    @property
    def why(self) -> str:
        """Why it does not hold, in one line."""
        return "; ".join(self.failures)


def results(
    assertions: Iterable[Assertion], numbers: Sequence[AssertedNumber]
) -> list[AssertionResult]:
    """Return what the numbers say of each assertion; an assertion that stands twice counts once."""
    once = {one.text: one for one in assertions}
    return [AssertionResult(text, one.failures(numbers)) for text, one in once.items()]


def _bare(size: str) -> str:
    """Return a size as assertions write it: of `merges:1000` the number."""
    return size.removeprefix("merges:")


def _near(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"


def _skip(text: str, place: int) -> int:
    """Return the place of the next character that is no space."""
    return len(text) - len(text[place:].lstrip()) if text[place:].strip() else len(text)


def _refuse(text: str, place: int, expected: str) -> NoReturn:
    raise AssertionTextError(f"expected {expected} `{EXAMPLE}`", place + 1)
