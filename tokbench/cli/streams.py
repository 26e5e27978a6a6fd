"""The standard streams: UTF-8 whatever the locale, and no output is lost without a message."""

import io
import os
import sys
from typing import TextIO

from tokbench.errors import InputError


class ReaderGoneError(Exception):
    """Whoever read our output has closed it."""


class Output(io.TextIOWrapper):
    """A stream that says which one it is where it cannot be written.

    After that it is sent to the null device: Python flushes at exit, where a second failure would
    replace the exit code.
    """

    def __init__(self, stream: TextIO, name: str) -> None:
        # An unbuffered stream of Python's own loses what a short write left over.
        super().__init__(
            io.BufferedWriter(io.FileIO(stream.fileno(), "w", closefd=False)),
            encoding="utf-8",
            errors="backslashreplace",
            line_buffering=bool(stream.line_buffering),
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
    """Prepare the streams of a process; those that were closed lead nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Else the next file that is opened would take its place.
            nowhere = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8"))
    sys.stdout.flush()
    sys.stderr.flush()
    sys.stdout = Output(sys.stdout, "standard output")
    sys.stderr = Output(sys.stderr, "standard error")
