"""Connect to a Dask cluster, or start one on this machine, and see that it lives."""

import logging
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import Any

from tokbench.api.files import needing
from tokbench.errors import InputError, UsageError

LOCAL = "local"
ANSWER_SECONDS = 5.0
"""How long a scheduler may take to answer when the work begins."""
IDLE_SECONDS = 60.0
"""How long there may be no worker at all, and how long the scheduler may say nothing."""
LOST = "the Dask scheduler was lost"


@contextmanager
def connected(address: str, workers: int | None) -> Iterator[Any]:
    """Connect to a scheduler, or start workers on this machine.

    Raises PluginError where Dask is missing, InputError where no scheduler answers.
    """
    with needing("dask", "--dask"):
        from distributed import Client
    with _quiet():
        if address == LOCAL:
            cluster = _workers_here(workers or os.cpu_count() or 1)
            with cluster, Client(cluster, set_as_default=False) as client:
                yield client
            return
        options: dict[str, Any] = {"timeout": ANSWER_SECONDS, "set_as_default": False}
        with _answering(lambda: Client(address, **options), address) as client:
            yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """Print no log: Dask logs what it loses and tries again, with tracebacks."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _workers_here(many: int) -> Any:
    """Start workers on this machine; Ctrl-C, which each process of a terminal gets, is for us."""
    from distributed import LocalCluster

    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with warnings.catch_warnings():
            # Its scheduler listens for a dashboard too, at another port where one does already.
            warnings.filterwarnings("ignore", r"Port \d+ is already in use")
            # No limit of memory: it would end a worker that adds up what the machine can hold.
            return LocalCluster(
                n_workers=many,
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
    finally:
        signal.signal(signal.SIGINT, handler)


def _answering(connect: Callable[[], Any], address: str) -> Any:
    """Connect in a thread: one that listens, but says nothing, is waited for no longer."""
    clients: list[Any] = []
    errors: list[BaseException] = []

    def attempt() -> None:
        try:
            clients.append(connect())
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(ANSWER_SECONDS)
    if clients:
        return clients[0]
    if errors and isinstance(errors[0], ValueError):
        raise UsageError(f"--dask {address}: {errors[0]}: expected tcp://HOST:PORT or {LOCAL}")
    raise InputError(
        f"--dask {address}: no Dask scheduler answers there within {ANSWER_SECONDS:.0f} s: start "
        f"one (`dask scheduler`), or work on this machine (--dask {LOCAL})"
    )


def wait_for(client: Any, tasks: Sequence[Any], each_second: Callable[[], None]) -> None:
    """Wait until all tasks have ended.

    Raises InputError if the scheduler says nothing, or has had no worker for long.
    """
    from distributed import wait

    last_worker = time.monotonic()
    while True:
        try:
            with client.as_current():
                wait(tasks, timeout=1)
            return
        except TimeoutError:
            each_second()
        try:
            workers = client.sync(client.scheduler.ncores, callback_timeout=IDLE_SECONDS)
        except (TimeoutError, OSError):
            raise InputError(LOST) from None
        if workers:
            last_worker = time.monotonic()
        elif time.monotonic() - last_worker > IDLE_SECONDS:
            raise InputError(f"the Dask scheduler has had no worker for {IDLE_SECONDS:.0f} s")
