"""One promise of a component, and how a check says for which inputs it is broken, and why."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from traceback import extract_tb
from unittest import SkipTest

from tokbench.errors import TokbenchError
from tokbench.failures import described
from tokbench.printing import counted

LONGEST = 200
SHOWN_INPUTS = 3
VALUES = re.compile(r"""\[.*\]|"[^"]*"|'[^']*'|\([^(]*\)|\d[\d.]*""")
"""What differs in messages of one cause."""
HINTS = {
    "UnicodeEncodeError": "`encodable` of tokbench.api.text replaces lone surrogates; return "
    "(token, bytes) pairs then, with the bytes of the word",
    "do not cover it": "return tokens for the whole word, also for its unknown parts; a token that "
    "stands for other text is returned as a pair (token, bytes), with the bytes that it covers",
}
"""The mend of some mistakes, by a part of their message."""


@dataclass(frozen=True)
class Failure:
    """An input (`given`) and what is wrong with its result; it is alike for the same `cause`."""

    given: str
    wrong: str
    cause: str = ""

    def __str__(self) -> str:
        return f"given {self.given}: {self.wrong}"


class PromiseError(AssertionError):
    """A promise is broken; the message has for each cause the first input, and what is wrong."""

    def __init__(self, *failures: Failure) -> None:
        self.failures = failures
        super().__init__("\n".join(map(explained, by_cause(failures))))


def by_cause(failures: Sequence[Failure]) -> list[list[Failure]]:
    """Group failures by their cause."""
    groups: dict[str, list[Failure]] = {}
    for failure in failures:
        groups.setdefault(failure.cause or _cause(failure.wrong), []).append(failure)
    return [*groups.values()]


def explained(alike: Sequence[Failure]) -> str:
    """Show the first failure of a cause, what else fails alike, and the mend if it is known."""
    text, others = str(alike[0]), [*dict.fromkeys(failure.given for failure in alike)][1:]
    if others:
        shown = "; ".join(map(short, others[:SHOWN_INPUTS]))
        text += f"\n  {counted(len(others), 'more input')} alike: {shown}"
        text += "; ..." if others[SHOWN_INPUTS:] else ""
    for sign, hint in HINTS.items():
        if sign in alike[0].wrong:
            text += f"\n  hint: {hint}"
    return text


def _cause(wrong: str) -> str:
    return VALUES.sub("…", wrong)


@dataclass(frozen=True)
class _Trial:
    """One run of a check: who is told each input, and what failed until now."""

    tell: Callable[[str], None]
    failures: list[Failure] = field(default_factory=list)


_trial: ContextVar[_Trial | None] = ContextVar("trial", default=None)


@dataclass(frozen=True)
class Promise:
    """One promise of a plugin or component, which its `str` names: `learner bpe: sizes`."""

    subject: str
    name: str
    _check: Callable[[], None] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.subject}: {self.name}"

    def check(self, tell: Callable[[str], None] = lambda what: None) -> None:
        """Raise PromiseError, an AssertionError, unless the promise is kept; `tell` each input.

        Raise unittest.SkipTest, which pytest reports with its reason, if something that the check
        needs is missing.
        """
        trial = _Trial(tell)
        token = _trial.set(trial)
        try:
            with each_input(), checking("the samples of tokbench.testing"):
                self._check()
        finally:
            _trial.reset(token)
        if trial.failures:
            broken = PromiseError(*trial.failures)
            broken.args = (f"{self}: {broken}",)
            raise broken


@contextmanager
def each_input() -> Iterator[None]:
    """Keep the failures of one input for the report, so that a check goes on with the next."""
    try:
        yield
    except PromiseError as broken:
        trial = _trial.get()
        if trial is None:
            raise
        trial.failures.extend(broken.failures)


@contextmanager
def checking(what: str) -> Iterator[None]:
    """Turn any error raised inside, even SystemExit, into a PromiseError that names the input.

    Ctrl-C passes, and so does a test that is skipped.
    """
    if trial := _trial.get():
        trial.tell(what)
    try:
        yield
    except (PromiseError, SkipTest, KeyboardInterrupt):
        raise
    except BaseException as error:
        text, kind = described(error), type(error).__name__
        # The place, if there is one, stands in brackets at the end.
        place = text[text.rfind(" (") :] if text.endswith(")") else ""
        if isinstance(error, TokbenchError):
            kind = str(extract_tb(error.__traceback__, -1))  # the line of ours that refuses
        else:
            text = f"it raised {text}"
        raise PromiseError(Failure(what, text, f"{kind}{place}")) from error


def expect(kept: bool, what: str, got: object, right: str) -> None:
    """Raise PromiseError unless a promise is kept; `right` is the result that would be right."""
    if not kept:
        wrong = f"got {short(got)}, expected {right}"
        raise PromiseError(Failure(what, wrong, f"expected {_cause(right)}"))


def expect_same(what: str, got: object, before: object, why: str = "as before") -> None:
    """Raise PromiseError unless a result is equal to an earlier one."""
    expect(got == before, what, got, f"{short(before)} {why}")


def short(value: object) -> str:
    """Show a value on one line; leave out the middle of a long one."""
    shown = value if isinstance(value, str) else repr(value)
    if len(shown) <= LONGEST:
        return shown
    return f"{shown[: LONGEST // 2]} ... {shown[-LONGEST // 4 :]}"
