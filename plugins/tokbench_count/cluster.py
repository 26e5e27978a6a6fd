"""Count shards on the workers of a Dask cluster, and add them up there.

Few shards are under way at any time. Where a worker is lost, Dask counts its shards again on
another. A shard that fails on one worker is tried on others, and then named; one that ends workers
is tried once more when all others are done, so that it alone is to blame.
"""

import logging
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Any

from tokbench import __version__
from tokbench.api import InputError, UsageError
from tokbench_count.counting import CountedShards, FailedShard, Treatment, add_up, count_shard
from tokbench_count.needs import needing
from tokbench_count.shards import Shard

LOCAL = "local"
ANSWER_SECONDS = 8.0
"""How long a scheduler may take to answer."""
IDLE_SECONDS = 60.0
"""How long there may be no worker at all."""
TRIES = 3
"""The workers on which a shard is tried."""
AT_ONCE = 8
"""The counts that are added up by one task."""

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Task:
    """What a future of Dask computes: a shard, where it failed before; None adds up."""

    shard: Shard | None
    failed_on: tuple[str, ...] = ()
    ended_workers: bool = False


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
    found: list[Any] = []
    wrong: list[BaseException] = []

    def attempt() -> None:
        try:
            found.append(connect())
        except BaseException as error:
            wrong.append(error)

    thread = Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(ANSWER_SECONDS)
    if found:
        return found[0]
    if wrong and isinstance(wrong[0], ValueError):
        raise UsageError(f"--dask {address}: {wrong[0]}: expected tcp://HOST:PORT or {LOCAL}")
    raise InputError(
        f"--dask {address}: no Dask scheduler answers there within {ANSWER_SECONDS:.0f} s: start "
        f"one (`dask scheduler`), or count on this machine (--dask {LOCAL})"
    )


def count_on(
    client: Any,
    shards: Sequence[Shard],
    treatment: Treatment,
    progress: Progress,
    fail: Callable[[FailedShard], None],
) -> CountedShards | None:
    """Count shards on the workers of a client; None if there is nothing to add up.

    `fail` is told of each shard that could not be counted. Raises InputError where the scheduler
    or all workers are lost.
    """
    from distributed import CancelledError

    try:
        with client.as_current():
            return _Work(client, treatment, progress, fail).done(shards)
    except (CancelledError, OSError):
        raise InputError("the Dask scheduler was lost: nothing was written") from None


class _Work:
    """The tasks under way, and the counts that are to be added up."""

    def __init__(
        self,
        client: Any,
        treatment: Treatment,
        progress: Progress,
        fail: Callable[[FailedShard], None],
    ) -> None:
        self._client = client
        self._treatment = treatment
        self._progress = progress
        self._fail = fail
        self._running: dict[Any, Task] = {}
        self._counted: list[Any] = []

    def done(self, shards: Sequence[Shard]) -> CountedShards | None:
        """Count all shards and return the sum."""
        waiting = deque(Task(shard) for shard in shards)
        suspects: deque[Task] = deque()
        ended = 0
        while waiting or suspects or self._running:
            for _ in range(self._room()):
                if waiting:
                    self._start(waiting.popleft())
            if suspects and not waiting and not self._running:
                self._start(suspects.popleft())
            for future in self._some_finished():
                task = self._running.pop(future)
                again = self._finish(future, task)
                if again is None:
                    ended += task.shard is not None
                    self._progress(
                        f"counted {ended:,} of {len(shards):,} files", ended / len(shards)
                    )
                elif again.ended_workers:
                    suspects.append(again)
                else:
                    waiting.appendleft(again)
            while len(self._counted) >= AT_ONCE:
                self._add_up(AT_ONCE)
            if not (waiting or suspects or self._running) and len(self._counted) > 1:
                self._add_up(len(self._counted))
        return self._counted[0].result() if self._counted else None

    def _room(self) -> int:
        """Return how many more shards may be under way: two for each thread of the workers."""
        threads: int = sum(self._client.nthreads().values())
        return max(0, max(2, 2 * threads) - len(self._running))

    def _start(self, task: Task) -> None:
        workers = [one for one in self._client.nthreads() if one not in task.failed_on]
        chosen: dict[str, Any] = {}
        if task.failed_on:
            chosen = {"workers": workers, "allow_other_workers": True}
        given = (task.shard, self._treatment, __version__)
        self._running[self._client.submit(count_there, *given, pure=False, **chosen)] = task

    def _add_up(self, many: int) -> None:
        parts, self._counted = self._counted[:many], self._counted[many:]
        future = self._client.submit(add_up, parts, pure=False, priority=1)
        self._running[future] = Task(None)

    def _some_finished(self) -> list[Any]:
        """Wait until something is finished; raises InputError if there are no workers for long."""
        from distributed import wait

        seen = time.monotonic()
        while True:
            try:
                done = wait([*self._running], timeout=1, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                if self._client.nthreads():
                    seen = time.monotonic()
                elif time.monotonic() - seen > IDLE_SECONDS:
                    reason = f"the Dask scheduler has had no worker for {IDLE_SECONDS:.0f} s"
                    raise InputError(f"{reason}: nothing was written") from None
                continue
            return [*done]

    def _finish(self, future: Any, task: Task) -> Task | None:
        """Take what a task gave; return what is to be done instead where it failed."""
        error = future.exception() if future.status == "error" else None
        if error is None and future.status != "finished":
            raise InputError("the Dask scheduler was lost: nothing was written")
        if error is None:
            self._counted.append(future)
            return None
        if task.shard is None:
            raise InputError(f"adding up on Dask failed: {error}: nothing was written")
        ended = type(error).__name__ == "KilledWorker"
        if ended and not task.ended_workers:
            return Task(task.shard, task.failed_on, ended_workers=True)
        if isinstance(error, ShardError):
            failed_on = (*task.failed_on, error.worker)
            left = self._client.nthreads().keys() - {*failed_on}
            if left and len(failed_on) < TRIES:
                return Task(task.shard, failed_on)
            self._fail(error.failed)
        else:
            reason = "it ends each worker that counts it" if ended else f"{error}"
            self._fail(FailedShard(task.shard, f"{task.shard.name}: {reason}"))
        return None


class ShardError(Exception):
    """A shard could not be counted on one worker."""

    def __init__(self, failed: FailedShard, worker: str) -> None:
        super().__init__(failed, worker)
        self.failed = failed
        self.worker = worker

    def __str__(self) -> str:
        return self.failed.reason


def count_there(shard: Shard, treatment: Treatment, version: str) -> CountedShards:
    """Count a shard on the worker that this is called on; raises ShardError where it fails."""
    from distributed import get_worker

    worker = get_worker().address
    if version != __version__:
        reason = f"{worker}: has tokbench {__version__}, expected {version} as here"
        raise ShardError(FailedShard(shard, reason), worker)
    found = count_shard(shard, treatment)
    if isinstance(found, FailedShard):
        raise ShardError(found, worker)
    return found
