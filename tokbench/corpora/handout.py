"""Pieces of a text handed out to several counters, each to the one that is free first."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from contextvars import copy_context
from threading import Lock, Thread

from tokbench.corpora.counters import WordCounter
from tokbench.corpora.pieces import Piece


def count_together(
    pieces: Iterable[Piece], counters: Sequence[WordCounter], first: int = 0
) -> None:
    """Count each piece with one of the counters, each counter in a thread of its own.

    The pieces are numbered from `first` on.

    Pieces are made one at a time and in order, so that what making them notes or raises does not
    depend on the threads; only counting, which lets go of the interpreter lock, goes on beside it.
    Raises what making or counting the pieces raises.
    """
    handout = _Handout(pieces, first)
    helpers: list[_Helper] = []
    try:
        with suppress(RuntimeError):  # no thread can be started: one counter does it alone
            for counter in counters[1:]:
                helper = _Helper(handout, counter)
                helper.start()
                helpers.append(helper)
        handout.serve(counters[0])
    finally:
        handout.stop()
        for helper in helpers:
            helper.join()
    for helper in helpers:
        if helper.error is not None:
            raise helper.error


class _Handout:
    """Gives each piece to one counter."""

    def __init__(self, pieces: Iterable[Piece], first: int) -> None:
        self._numbered = enumerate(pieces, first)
        self._lock = Lock()
        self._stopped = False

    def serve(self, counter: WordCounter) -> None:
        """Let the counter count pieces until there are none left."""
        while (piece := self._next()) is not None:
            counter.add(piece[1], piece[0])

    def stop(self) -> None:
        """Give out no more pieces."""
        self._stopped = True

    def _next(self) -> tuple[int, Piece] | None:
        with self._lock:
            return None if self._stopped else next(self._numbered, None)


class _Helper(Thread):
    """Serves one counter; `error` is what ended it too early."""

    def __init__(self, handout: _Handout, counter: WordCounter) -> None:
        super().__init__(name="tokbench-counter", daemon=True)
        self._handout = handout
        self._counter = counter
        self._context = copy_context()  # which engine is asked for
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._context.run(self._handout.serve, self._counter)
        except BaseException as error:
            self.error = error
            self._handout.stop()
