"""Assertions about the numbers of a run, for programs that must not pass a worse one on.

    bpe@4000 fertility[held-out/unseen] <= 2.5

An optional system with an optional size, a metric, in brackets an optional corpus and subset, a
sign and a number. All numbers that match must hold.
"""

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from tokbench.api.vocabulary import SystemSize
from tokbench.errors import cropped
from tokbench.printing import called, closest

SIGNS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt, ">": operator.gt}
)
EXAMPLE = "bpe@4000 fertility[held-out/unseen] <= 2.5"
SIGNIFICANTLY = "significantly"
SHOWN = 5
"""Of the numbers that do not hold, so many are shown."""

KINDS = ("system", "size", "metric", "corpus", "subset")
"""The names that say which numbers an assertion is about."""

# Metrics with options may hold signs and brackets: `parity(reference=en,texts=[de])`.
_ASSERTION = re.compile(
    r"(?P<about>(?:[^\[<>=(]|\([^)]*\)|\()+)"
    r"(?:\[(?P<corpus>[^\]/]+)(?:/(?P<subset>[^\]]+))?\])?"
    rf"\s*(?P<sign>{'|'.join(SIGNS)})"
    r"\s*(?P<number>[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)"
    rf"\s*(?P<percent>%?)\s*(?P<significantly>(?:{SIGNIFICANTLY})?)\s*"
)


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

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the order of `KINDS`; the size is a number alone, as assertions write it."""
        return self.system, _bare(self.size), self.metric, self.corpus, self.subset


@dataclass(frozen=True)
class Assertion:
    """One assertion; without a system, size or corpus it is about all of them.

    The metric may lack its options where no other in the run has its name.
    """

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

        Raises ValueError for a text that is not an assertion.
        """
        parts = _ASSERTION.fullmatch(text)
        # A corpus or metric may have matched with spaces alone.
        names = [parts[name] or "" for name in ("about", "corpus", "subset")] if parts else []
        if (
            parts is None
            or not math.isfinite(float(parts["number"]))
            or any(map(str.isspace, names))
        ):
            what = f"expected a metric, one of {' '.join(SIGNS)} and a number, as in `{EXAMPLE}`"
            raise ValueError(f"found {cropped(text)}, {what}")
        if parts["percent"] and not differences:
            raise ValueError("expected no %: only a difference between two runs can be in percent")
        about, corpus, subset = map(str.strip, names)
        label, _, metric = about.rpartition(" ")
        system, size = SystemSize.parse(label)
        return cls(
            text=text.strip(),
            system=system.strip(),
            size=size.strip(),
            metric=metric,
            corpus=corpus,
            subset=subset or "all",
            sign=parts["sign"],
            number=float(parts["number"]),
            percent=bool(parts["percent"]),
            significantly=bool(parts["significantly"]),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the order of `KINDS`; an empty one stands for all."""
        return self.system, _bare(self.size), self.metric, self.corpus, self.subset

    def failures(self, numbers: Sequence[AssertedNumber]) -> list[str]:
        """Return why it does not hold, number by number; nothing if it holds."""
        if why := self.unmatched(numbers):
            return [why]
        names = self._full_names(numbers)
        matching = [
            number
            for number in numbers
            if all(name in ("", own) for name, own in zip(names, number.names, strict=True))
        ]
        wrong = [
            f"{number.label}{'' if self.corpus else f' on {number.corpus}'}: {why}"
            for number in matching
            if (why := self._wrong(number))
        ]
        more = [f"and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
        return [*wrong[:SHOWN], *more]

    def _full_names(self, numbers: Iterable[AssertedNumber]) -> tuple[str, ...]:
        """Return its names, that of the metric with its options where they say which one it is."""
        meant = called(self.metric, dict.fromkeys(number.metric for number in numbers))
        return replace(self, metric=meant[0]).names if len(meant) == 1 else self.names

    def unmatched(self, numbers: Iterable[AssertedNumber]) -> str:
        """Return which of its names no number has, among those that have the names before it.

        Return an empty text if a number matches.
        """
        numbers = [*numbers]
        left = [number.names for number in numbers]
        for i, (kind, name) in enumerate(zip(KINDS, self._full_names(numbers), strict=True)):
            existing = [*dict.fromkeys(names[i] for names in left)]
            if name and name not in existing:
                return f"it matches no number: {self._missing(kind, name, existing)}"
            left = [names for names in left if name in ("", names[i])]
        return ""

    def _missing(self, kind: str, name: str, existing: Sequence[str]) -> str:
        if kind == "size":
            has = f"{self.system} has no" if self.system else "no system has"
            sizes = ", ".join(filter(None, existing))
            return f"{has} size {name}; there are: {sizes}" if sizes else f"{has} sizes"
        if not any(existing):
            return f"there is no {kind}"
        if kind == "metric" and (meant := called(name, existing)):
            return f"{name!r} is several metrics here, name one: {', '.join(meant)}"
        close = closest(name, existing)
        hint = f"did you mean {close!r}?" if close else f"there are: {', '.join(existing)}"
        return f"no {kind} is called {name!r}; {hint}"

    def _wrong(self, number: AssertedNumber) -> str:
        """Return why it does not hold for a number, or an empty text if it does."""
        plain = (number.value, number.low, number.high)
        value, low, high = number.percent if self.percent else plain
        unit = " %" if self.percent else ""
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
    """An assertion, and why it does not hold; no failures if it holds."""

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
    """Check each assertion against the numbers; one that is given twice counts once."""
    by_text = {assertion.text: assertion for assertion in assertions}
    return [AssertionResult(text, each.failures(numbers)) for text, each in by_text.items()]


def _bare(size: str) -> str:
    """Return a size as assertions write it: of `merges:1000` the number."""
    return size.removeprefix("merges:")
