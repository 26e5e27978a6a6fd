"""Errors on one line, the cause first, then the line of the plugin."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from contextvars import ContextVar
from pathlib import PurePath
from types import CodeType, TracebackType
from typing import Any

from tokbench.errors import TokbenchError

_NO_PLUGIN = sys.stdlib_module_names | {
    *("tokbench", "tokbench_commands", "click", "numpy", "pandas", "pluggy", "pydantic"),
    *("pydantic_core", "regex", "rich", "scipy", "yaml"),
}
"""Packages of a traceback that are no plugin: ours, and the libraries that we build on."""

_shown: ContextVar[set[str] | None] = ContextVar("shown", default=None)
"""The tracebacks that were printed, None where none is asked for."""


def described(error: BaseException) -> str:
    """Describe anything raised: `ValueError: no idea (my_plugin.py:12)`.

    The place is the last line of a plugin's own on the way to the error; an error of ours says in
    its own words where it is. Messages of several lines are joined to one.
    """
    if isinstance(error, TokbenchError):
        return _message(error)
    place = _syntax(error) or _own_line(error.__traceback__)
    message = error.msg if isinstance(error, SyntaxError) and place else _message(error)
    what = " ".join(f"{type(error).__name__}: {message}".split()).removesuffix(":")
    return f"{what} ({place})" if place else what


def _message(error: BaseException) -> str:
    """Return the message of an error, whose own code may fail."""
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as another:
        return f"(its message cannot be shown: {type(another).__name__})"


def _syntax(error: BaseException) -> str:
    """Return the file and line that are no Python; an empty text for another error."""
    if not isinstance(error, SyntaxError) or not error.filename or error.filename[0] == "<":
        return ""
    return f"{PurePath(error.filename).name}:{error.lineno}"


def _own_line(trace: TracebackType | None) -> str:
    """Return the last line of the first package that is neither ours nor one that we build on."""
    home, place = None, ""
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        package = module.partition(".")[0]
        if home is None and package and package not in _NO_PLUGIN:
            home = package
        if home is not None and package == home:
            place = f"{short_path(trace.tb_frame.f_code.co_filename, module)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def place_of(function: object) -> str:
    """Return the file and line of a function, and an empty text for anything else.

    >>> place_of(place_of).split(":")[0], place_of(len)
    ('tokbench/failures.py', '')
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return ""
    return f"{short_path(code.co_filename, str(function.__module__))}:{code.co_firstlineno}"


def short_path(path: str, module: str) -> str:
    """Return a module's file from its package on, which is the same on every machine.

    >>> short_path("/home/me/env/tokbench_word/timeline.py", "tokbench_word.timeline")
    'tokbench_word/timeline.py'
    """
    parts = PurePath(path).parts
    depth = 1 + module.count(".") + (parts[-1] == "__init__.py")
    return "/".join(parts[-depth:])


@contextmanager
def tracebacks() -> Iterator[None]:
    """Print the traceback of each error that is caught inside, or that `reported` is given."""
    token = _shown.set(set())
    try:
        yield
    finally:
        _shown.reset(token)


def tracebacks_are_shown() -> bool:
    """Return whether a traceback is asked for, by `tracebacks`."""
    return _shown.get() is not None


def reported(error: BaseException) -> str:
    """Describe an error that is reported and goes no further; show its traceback where asked."""
    show_traceback(error)
    return described(error)


def show_traceback(error: BaseException) -> None:
    """Print the whole traceback of an error, once, inside `tracebacks`; elsewhere do nothing."""
    shown = _shown.get()
    if shown is not None:
        # Only who asks for a traceback waits for this import.
        import traceback

        text = "".join(traceback.format_exception(error)).rstrip()
        if text not in shown:
            print(text, file=sys.stderr)
        shown.add(text)


class _Stderr:
    """Stderr, which says that it is a terminal if stdout is one: views ask it for their width."""

    def __init__(self) -> None:
        self.isatty = sys.stdout.isatty

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)


def stdout_to_stderr() -> AbstractContextManager[object]:
    """Send what code of plugins prints to stderr, since stdout is for data."""
    stderr: Any = _Stderr()
    return redirect_stdout(stderr)


@contextmanager
def run_plugin_code(where: str) -> Iterator[None]:
    """Turn anything that a plugin's code raises, even SystemExit, into a TokbenchError of `where`.

    Errors of ours, Ctrl-C and a lack of memory pass. Everything the code prints goes to stderr.
    """
    try:
        with stdout_to_stderr():
            yield
    except (KeyboardInterrupt, MemoryError, TokbenchError):
        raise
    except BaseException as error:
        raise TokbenchError(f"{where}: {described(error)}") from error
