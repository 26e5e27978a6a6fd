"""Failures and notes of a run, and jobs that may fail.

Each step returns them as values beside its result; text is made of them at the end.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, Literal, NamedTuple, TypeVar

from tokbench.api.vocabulary import Size
from tokbench.errors import LEFT_OUT, SizeError
from tokbench.failures import described, reported, stdout_to_stderr

T = TypeVar("T")

IssueKind = Literal["failed", "left out", "refused", "not reached", "note"]
"""`left out` is a size that does not exist. `refused` says why, once for all sizes, in the words of
`check_size`. `not reached` is a size whose vocabulary came out smaller."""


@dataclass(frozen=True)
class Location:
    """Where something happened: in a system at some sizes, in a part of it, or in a part alone.

    `part` is a metric, an analysis or a step. `run` is the learning run, unless it is the first
    from the whole training text, or `curve`.
    """

    system: str = ""
    sizes: tuple[Size, ...] = ()
    run: str = ""
    part: str = ""

    @classmethod
    def of(cls, system: str, size: Size | None = None, part: str = "") -> "Location":
        """Name a system, and its size if it has one."""
        return cls(system, () if size is None else (size,), part=part)

    def __str__(self) -> str:
        """Spell it as messages begin: `system bpe at size 1000: metric fertility`."""
        place = f"system {self.system}" if self.system else self.part
        if len(self.sizes) == 1:
            place += f" at size {self.sizes[0]}"
        place += f", {self.run}" if self.run else ""
        if len(self.sizes) > 1:
            place += f": sizes {', '.join(map(str, self.sizes))}"
        return f"{place}: {self.part}" if self.system and self.part else place


@dataclass(frozen=True)
class Issue:
    """A failure, or something that the report notes: where it happened, and its cause.

    A failure of a metric has the `corpus` on which it failed; it is reported once for all corpora.
    """

    kind: IssueKind
    cause: str
    where: Location = Location()
    corpus: str = ""

    @property
    def failed(self) -> bool:
        """Whether something is wrong, so that the command ends with exit code 1."""
        return self.kind == "failed"

    @property
    def what(self) -> str:
        """The cause, as a row of the results gives it."""
        return f"{LEFT_OUT}{self.cause}" if self.kind in ("left out", "refused") else self.cause

    @property
    def text(self) -> str:
        """The whole message; `failures_of` adds system, size and corpus where there is a corpus."""
        where = Location(part=self.where.part) if self.corpus else self.where
        return f"{where}: {self.what}"

    @classmethod
    def of(cls, error: BaseException, where: Location, corpus: str = "") -> "Issue":
        """Describe an error: that a system has no such size is no failure, but `left out`."""
        if isinstance(error, SizeError) and not where.part:
            return cls("left out", described(error), where)
        return cls("failed", reported(error), where, corpus)


class Attempt(NamedTuple, Generic[T]):
    """A job that was run: its value, or the error that it raised, also as an issue."""

    value: T | None
    error: BaseException | None = None
    issues: tuple[Issue, ...] = ()


def attempt(where: Location, job: Callable[[], T]) -> Attempt[T]:
    """Run a job; whatever it raises, even SystemExit, is returned. Ctrl-C passes.

    Everything it prints goes to stderr, since stdout is for data.
    """
    try:
        with stdout_to_stderr():
            return Attempt(job())
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Attempt(None, error, (Issue.of(error, where),))


Reasons = Mapping[tuple[str, Size | None], str]
"""Why results are missing, by system and size."""


def notes_of(issues: Iterable[Issue]) -> list[Issue]:
    """Return each note once: one for all sizes of a system that have the same cause.

    If a size is left out for two reasons, the note gives the one of `check_size`.
    """
    notes = [issue for issue in issues if not issue.failed]
    refused = {
        (issue.where.system, size)
        for issue in notes
        if issue.kind == "refused"
        for size in issue.where.sizes
    }
    joined: dict[Issue, dict[Size, None]] = {}
    for issue in notes:
        where = issue.where
        sizes = [*where.sizes]
        if issue.kind == "left out" and not where.run:
            sizes = [size for size in sizes if (where.system, size) not in refused]
        if sizes or not where.sizes:
            of_all_sizes = replace(issue, where=replace(where, sizes=()))
            joined.setdefault(of_all_sizes, {}).update(dict.fromkeys(sizes))
    return [
        replace(issue, where=replace(issue.where, sizes=(*sizes,)))
        for issue, sizes in joined.items()
    ]


def failures_of(issues: Iterable[Issue]) -> list[str]:
    """Return each failure with its first place, and how many more there were.

    The failure of a metric comes up again with every system.
    """
    places: dict[str, list[str]] = {}
    for issue in issues:
        if issue.failed:
            at = replace(issue.where, part="")
            place = f"{at}, corpus {issue.corpus}" if issue.corpus else ""
            places.setdefault(issue.text, []).append(place)
    texts = []
    for failure, (place, *others) in places.items():
        more = f", and {len(others)} more times" if others else ""
        texts.append(f"{failure} ({place}{more})" if place else failure)
    return texts


def reasons_of(issues: Iterable[Issue]) -> Reasons:
    """Return why results are missing: the first failure, else why the size was left out."""
    explaining = [issue for issue in issues if issue.kind in ("failed", "left out")]
    reasons: dict[tuple[str, Size | None], str] = {}
    for issue in sorted(explaining, key=lambda issue: not issue.failed):
        where = issue.where
        if where.system and not (where.part or where.run):
            for size in where.sizes or (None,):
                reasons.setdefault((where.system, size), issue.what)
    return reasons


def is_unreached(issue: Issue) -> bool:
    """Return whether an issue says only that the whole training text gave no such size."""
    return issue.kind == "not reached" and not issue.where.run
