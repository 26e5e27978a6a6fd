"""Count files on the workers of a Dask cluster, and add them up there.

Dask counts the files of a lost worker again on another, and tries a task that fails so often as
`TRIES` says. A file that ends each worker that counts it is named at the end.
"""

import logging
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread
from typing import Any

from tokbench import __version__
from tokbench.api import InputError, UsageError
from tokbench.commands import is_address, needing
from tokbench_commands.count import (
    NOTHING,
    CountedFiles,
    FailedFile,
    Treatment,
    add_up,
    count_shard,
)

LOCAL = "local"
ANSWER_SECONDS = 5.0
"""How long a scheduler may take to answer when the work begins."""
IDLE_SECONDS = 60.0
"""How long there may be no worker at all, and how long the scheduler may say nothing."""
TRIES = 3
"""How often a task that fails is tried."""
LOST = "the Dask scheduler was lost: nothing was written"
AT_ONCE = 8
"""The counts that are added up by one task."""

Progress = Callable[[str, float], None]


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
        f"one (`dask scheduler`), or count on this machine (--dask {LOCAL})"
    )


def count_on(
    client: Any,
    shards: Sequence[str],
    treatment: Treatment,
    progress: Progress,
) -> CountedFiles:
    """Count files on the workers of a client, and add them up.

    Errors name the whole path of a file, since a worker may work in another folder. Raises
    InputError where the scheduler or all workers are lost.
    """
    from distributed import CancelledError

    left = [shard if is_address(shard) else os.path.abspath(shard) for shard in shards]
    failed: list[FailedFile] = []
    try:
        with client.as_current():
            while left:
                tasks: dict[Any, str] = {}
                root = _tree(client, left, treatment, tasks)
                _wait(client, [*tasks, root], progress)
                if root.status == "finished":
                    counted: CountedFiles = root.result()
                    return replace(counted, failed=(*failed, *counted.failed))
                # A task that ended its workers has no result, so all others are counted again.
                without = {shard: task for task, shard in tasks.items() if task.status == "error"}
                if root.status != "error" or not without:
                    raise InputError(LOST)
                failed += [_failed(shard, task.exception()) for shard, task in without.items()]
                left = [shard for shard in left if shard not in without]
    except (CancelledError, OSError):
        raise InputError(LOST) from None
    return replace(NOTHING, failed=tuple(failed))


def _failed(shard: str, error: BaseException) -> FailedFile:
    ended = type(error).__name__ == "KilledWorker"
    reason = "it ends each worker that counts it" if ended else f"{error}"
    return FailedFile(f"{shard}: {reason}")


def _tree(client: Any, shards: Sequence[str], treatment: Treatment, tasks: dict[Any, str]) -> Any:
    """Submit what counts files and adds them up, so that few counts wait at any time.

    The tasks that count are noted in `tasks`, with their files.
    """
    if len(shards) == 1:
        arguments = shards[0], treatment, __version__
        task = client.submit(count_there, *arguments, pure=False, retries=TRIES - 1)
        tasks[task] = shards[0]
        return task
    step = AT_ONCE
    while step * AT_ONCE < len(shards):
        step *= AT_ONCE
    step = step if step < len(shards) else 1
    parts = [
        _tree(client, shards[begin : begin + step], treatment, tasks)
        for begin in range(0, len(shards), step)
    ]
    return client.submit(add_up, parts, pure=False, priority=1, retries=TRIES - 1)


def _wait(client: Any, tasks: Sequence[Any], progress: Progress) -> None:
    """Wait until all tasks have ended; raises InputError if nobody works or answers for long."""
    from distributed import wait

    last_worker = time.monotonic()
    while True:
        try:
            wait(tasks, timeout=1)
            return
        except TimeoutError:
            # The last task adds up.
            done, of = sum(task.done() for task in tasks[:-1]), len(tasks) - 1
            progress(f"counted {done:,} of {of:,} files", done / of)
        try:
            workers = client.sync(client.scheduler.ncores, callback_timeout=IDLE_SECONDS)
        except TimeoutError:
            raise InputError(LOST) from None
        if workers:
            last_worker = time.monotonic()
        elif time.monotonic() - last_worker > IDLE_SECONDS:
            reason = f"the Dask scheduler has had no worker for {IDLE_SECONDS:.0f} s"
            raise InputError(f"{reason}: nothing was written")


def count_there(shard: str, treatment: Treatment, version: str) -> CountedFiles:
    """Count a file on the worker that this is called on, which an error names."""
    from distributed import get_worker

    worker = get_worker().address
    if version != __version__:
        reason = f"{worker}: has tokbench {__version__}, expected {version} as here"
        return replace(NOTHING, failed=(FailedFile(reason),))
    counted = count_shard(shard, treatment)
    failed = (
        replace(failure, reason=f"{failure.reason} (on the worker {worker})")
        for failure in counted.failed
    )
    return replace(counted, failed=tuple(failed))
