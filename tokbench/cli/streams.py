"""The standard streams: UTF-8 whatever the locale, and no output is lost without a message."""

import io
import os
import sys
from typing import TextIO

from tokbench.errors import InputError

NAMES = {"stdout": "standard output", "stderr": "standard error"}


class ReaderGoneError(Exception):
    """Whoever read our output has closed it."""


class Output(io.TextIOWrapper):
    """A stream that says which one it is where it cannot be written.

    After that it is sent to the null device: Python flushes at exit, where a second failure would
    replace the exit code.
    """

    def __init__(self, number: int, name: str, at_once: bool) -> None:
        # An unbuffered stream of Python's own loses what a short write left over.
        super().__init__(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)),
            encoding="utf-8",
            errors="backslashreplace",
            newline="\n",
            line_buffering=at_once,
            write_through=at_once,
        )
        self._name = name

    def write(self, text: str) -> int:
        """Write a text; raises ReaderGoneError or InputError."""
        try:
            return super().write(text)
        except OSError as error:
            raise self._lost(error) from None

    def flush(self) -> None:
        """Write what is in the buffers; raises ReaderGoneError or InputError."""
        try:
            super().flush()
        except OSError as error:
            raise self._lost(error) from None

    def _lost(self, error: OSError) -> Exception:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        if isinstance(error, BrokenPipeError):
            return ReaderGoneError()
        return InputError(f"{self._name} was cut short: {error.strerror or error}")


def open_streams() -> None:
    """Prepare the streams of a process. Of those that were closed, stdout cannot be written."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None and name == "stdout":
            sys.stdout = Output(os.open(os.devnull, os.O_RDONLY), NAMES[name], False)
        elif stream is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nothing, mode, encoding="utf-8"))
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            setattr(sys, name, _complete(stream, NAMES[name]))


def _complete(stream: io.TextIOWrapper, name: str) -> TextIO:
    stream.flush()
    if not isinstance(getattr(stream.buffer, "raw", stream.buffer), io.FileIO):
        # A console of Windows, which is written by other means.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        return stream
    return Output(stream.fileno(), name, stream.line_buffering or stream.write_through)
