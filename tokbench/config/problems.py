"""Problems of a config, and the one error that shows them with their places in the file."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tokbench.errors import InputError, PluginError, TokbenchError, UsageError
from tokbench.printing import one_line

Where = tuple[str | int, ...]
"""The keys and list positions that lead to a part of a config."""

SHOWN = 20
"""Problems that are printed; there may be thousands of one kind."""
_WIDTH = 100
_BEFORE = 60


@dataclass(frozen=True)
class Problem:
    """One thing to mend: the part of the config that is wrong, and what is wrong with it.

    `error` is the class of error (so the exit code) that it alone would be. `causes` tell why it
    may be so; they are printed once, before all problems. `index` is its character in the text,
    where that is known; `at_key` asks for the place of the part's key, not of its value, and
    `column` for a character of the value, from 1.
    """

    where: Where
    what: str
    at_key: bool = False
    error: type[TokbenchError] = UsageError
    causes: tuple[str, ...] = ()
    index: int | None = None
    column: int | None = None

    def inside(self, *where: str | int) -> "Problem":
        """Return the same problem of a part that stands inside another."""
        return replace(self, where=(*where, *self.where))

    def __str__(self) -> str:
        """Write `where: what`, for example `systems[1].learner.merge: found ...`."""
        return f"{spell(self.where)}: {self.what}" if self.where else self.what


class WrongValueError(ValueError):
    """A value with `problems`, whose places are relative to it; validators may raise it."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


def refuse(problems: Iterable[Problem]) -> None:
    """Raise WrongValueError if there are problems."""
    if found := [*problems]:
        raise WrongValueError(*found)


class ConfigError(UsageError):
    """A config with `problems`, in the order of the file; the message holds the first 20."""

    def __init__(self, message: str, problems: Sequence[Problem]) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


def as_error(path: Path, text: str, problems: Iterable[Problem]) -> TokbenchError:
    """Make one error of all problems, in the order of the file, after what caused them.

    It is a ConfigError, unless all that is wrong lies outside the config: then a PluginError or,
    if only files are missing, an InputError.
    """
    ordered = sorted(dict.fromkeys(problems), key=lambda problem: problem.index or 0)
    causes = dict.fromkeys(one_line(cause) for problem in ordered for cause in problem.causes)
    shown = [_shown(path, text, problem) for problem in ordered[:SHOWN]]
    if more := len(ordered) - len(shown):
        shown.append(f"{path}: and {more:,} more problems, {len(ordered):,} in all")
    message = "\n".join([*causes, *shown])
    error = worst(ordered)
    return ConfigError(message, ordered) if error is UsageError else error(message)


def worst(problems: Sequence[Problem]) -> type[TokbenchError]:
    """Return the class of error that problems are together: the first that anyone can mend."""
    codes = {problem.error.exit_code for problem in problems}
    kinds = (UsageError, PluginError)
    return next((kind for kind in kinds if kind.exit_code in codes), InputError)


def line_and_column(text: str, index: int) -> tuple[int, int]:
    r"""Return the line and the column of a character, from 1; lines end at `\n` only."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _shown(path: Path, text: str, problem: Problem) -> str:
    """Write `file:line:column: where: what`, the source line, and a caret below the place."""
    line, column = line_and_column(text, problem.index or 0)
    source = text.split("\n")[line - 1].removesuffix("\r")
    return one_line(f"{path}:{line}:{column}: {problem}") + pointed(source, column)


def spell(where: Where) -> str:
    """Spell where a part stands: `systems[1].learner.merge`, list positions from 0."""
    spelled = ""
    for part in where:
        spelled += f"[{part}]" if isinstance(part, int) else f".{part}" if spelled else part
    return spelled


def pointed(source: str, column: int) -> str:
    """Return a source line, cropped if it is long, and a caret below its column (from 1).

    There is nothing to point at in an empty line.
    """
    if not source.strip():
        return ""
    start = max(0, column - _BEFORE) if len(source) > _WIDTH else 0
    before, rest = source[start : column - 1], source[column - 1 : start + _WIDTH]
    left, right = "…" if start else "", "…" if start + _WIDTH < len(source) else ""
    indent = " " * _columns(left + one_line(before))
    return f"\n    {left}{one_line(before)}{one_line(rest)}{right}\n    {indent}^"


def _columns(text: str) -> int:
    """Count the columns that a text takes on a terminal: wide letters two, combining marks none."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in ("Mn", "Me") for char in text)
