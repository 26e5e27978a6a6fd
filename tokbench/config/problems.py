"""Problems of a config: each with its place, the first of them shown at once."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokbench.errors import InputError, PluginError, TokbenchError, UsageError

Where = tuple[str | int, ...]
"""The keys and list positions that lead to a part of a config."""

SHOWN = 20
"""Problems that are printed; there may be thousands of one kind."""
_WIDTH = 100
_BEFORE = 60
_HIDDEN = {"Cc", "Cs", "Zl", "Zp"}
_BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, order=True)
class TextPlace:
    """A place in a text: line and column in characters, both from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Problem:
    """One thing to mend, and the class of error (so the exit code) that it alone would be."""

    place: TextPlace
    where: Where
    what: str
    error: type[TokbenchError] = UsageError
    causes: tuple[str, ...] = ()
    """Why it may be so; printed once, before all problems."""

    def show(self, path: Path, lines: Sequence[str]) -> str:
        """Write `file:line:column: where: what`, the source line, and a caret below the place."""
        line, column = self.place.line, self.place.column
        where = f"{spell(self.where)}: " if self.where else ""
        source = lines[line - 1] if line <= len(lines) else ""
        return visible(f"{path}:{line}:{column}: {where}{self.what}") + pointed(source, column)


class ConfigError(UsageError):
    """A config with `problems`, in the order of the file; the message holds the first 20."""

    def __init__(self, message: str, problems: Sequence[Problem]) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


def as_error(path: Path, lines: Sequence[str], problems: Iterable[Problem]) -> TokbenchError:
    """Make one error of all problems, in the order of the file, after what caused them.

    It is a ConfigError, unless all that is wrong lies outside the config: then a PluginError or,
    if only files are missing, an InputError.
    """
    found = sorted(dict.fromkeys(problems), key=lambda problem: problem.place)
    causes = dict.fromkeys(visible(cause) for problem in found for cause in problem.causes)
    shown = [problem.show(path, lines) for problem in found[:SHOWN]]
    if more := len(found) - len(shown):
        shown.append(f"{path}: and {more:,} more problems, {len(found):,} in all")
    message = "\n".join([*causes, *shown])
    codes = {problem.error.exit_code for problem in found}
    if UsageError.exit_code in codes:
        return ConfigError(message, found)
    return (PluginError if PluginError.exit_code in codes else InputError)(message)


def spell(where: Where) -> str:
    """Spell where a part stands: `systems[1].learner.merge`, list positions from 0."""
    spelled = ""
    for part in where:
        spelled += f"[{part}]" if isinstance(part, int) else f".{part}" if spelled else part
    return spelled


def visible(text: str) -> str:
    """Escape control and bidirectional characters, so that a message can't be disguised."""
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if char in _BIDI or unicodedata.category(char) in _HIDDEN
        else char
        for char in text
    )


def pointed(source: str, column: int) -> str:
    """Return a source line, cropped if it is long, and a caret below its column (from 1).

    There is nothing to point at in an empty line.
    """
    if not source.strip():
        return ""
    start = max(0, column - _BEFORE) if len(source) > _WIDTH else 0
    before, rest = source[start : column - 1], source[column - 1 : start + _WIDTH]
    left, right = "…" if start else "", "…" if start + _WIDTH < len(source) else ""
    indent = " " * _columns(left + visible(before))
    return f"\n    {left}{visible(before)}{visible(rest)}{right}\n    {indent}^"


def _columns(text: str) -> int:
    """Count the columns that a text takes on a terminal: wide letters two, combining marks none."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in ("Mn", "Me") for char in text)
