"""What a worker does: answers the calls of its parent, one after another."""

import os
import signal
import socket
import sys
import traceback
from contextlib import suppress
from json import dumps, loads
from pathlib import Path
from typing import Any

from tokbench.errors import TokbenchError
from tokbench.failures import described
from tokbench.workers.parcel import take, write

_LONGEST = 100_000


class Connection:
    """Lines of JSON to and from the parent."""

    def __init__(self, seat: socket.socket) -> None:
        self._seat = seat
        self._held = b""

    def say(self, **what: Any) -> None:
        """Send a line."""
        self._seat.sendall(dumps(what).encode("utf-8", "surrogatepass") + b"\n")

    def hear(self) -> dict[str, Any] | None:
        """Wait for a line; None where the parent has gone."""
        while b"\n" not in self._held:
            more = self._seat.recv(1 << 16)
            if not more:
                return None
            self._held += more
        line, _, self._held = self._held.partition(b"\n")
        heard: dict[str, Any] = loads(line)
        return heard


def answer_calls(seat: socket.socket, folder: Path, served: Any) -> None:
    """Make calls of the methods of `served` until the parent has gone."""
    # A plugin's handler, or a signal that it sends itself, must not outlive the call.
    connection, me, number = Connection(seat), os.getpid(), 0

    def ask(function: int, *given: Any) -> Any:
        nonlocal number
        if os.getpid() != me:
            os._exit(1)  # a copy, whose question the parent would take for the worker's
        number += 1
        name = f"{me}-{number}.question"
        write(folder / name, [function, given])
        connection.say(ask=name)
        heard = connection.hear()
        if heard is None:
            os._exit(1)
        if "error" in heard:
            raise TokbenchError(heard["error"])
        return take(folder, heard["answer"])

    while (asked := connection.hear()) is not None:
        try:
            method, given, named = take(folder, asked["call"], ask)
            answer = getattr(served, method)(*given, **named)
            number += 1
            name = f"{me}-{number}.answer"
            write(folder / name, answer)
            said: dict[str, Any] = {"answer": name}
        except BaseException as error:
            said = _raised(error)
        if os.getpid() != me:
            os._exit(1)  # a copy, which the plugin made and did not end
        signal.setitimer(signal.ITIMER_REAL, 0)
        for stream in (sys.stdout, sys.stderr):
            with suppress(BaseException):  # closed, or replaced
                stream.flush()
        connection.say(**said)


def _raised(error: BaseException) -> dict[str, Any]:
    """Describe an error; one of ours by its class, so that the parent raises it."""
    ours = (kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "tokbench.errors")
    what, text = type(error).__name__, ""
    with suppress(BaseException):  # whatever its own code does
        what = described(error)
        text = "".join(traceback.format_exception(error))[-_LONGEST:]
    limit = " (`limits`: memory)" if isinstance(error, MemoryError) else ""
    return {
        "error": f"{what}{limit}",
        "kind": next(ours, ""),
        "minimum": getattr(error, "minimum", None) if isinstance(error, TokbenchError) else None,
        "traceback": text,
    }
