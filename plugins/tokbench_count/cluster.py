"""Count shards on the workers of a Dask cluster, and add them up there.

Few shards are under way at any time. Where a worker is lost, Dask counts its shards again on
another. A shard that fails on one worker is tried on others, and then named; one that ends workers
is tried once more when all others are done, so that it alone is to blame.
"""

import logging
import os
import signal
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from threading import Thread
from typing import Any

from tokbench import __version__
from tokbench.api import InputError, UsageError
from tokbench_count.counting import CountedShards, FailedShard, Treatment, add_up, count_shard
from tokbench_count.needs import needing
from tokbench_count.shards import Shard

LOCAL = "local"
ANSWER_SECONDS = 5.0
"""How long a scheduler may take to answer."""
IDLE_SECONDS = 60.0
"""How long there may be no worker at all."""
TRIES = 3
"""The workers on which a shard is tried."""
LOST = "the Dask scheduler was lost: nothing was written"
AT_ONCE = 8
"""The counts that are added up by one task."""

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Task:
    """What a future computes: the counts of a shard, or of all shards of `parts`, added up.

    `failed_on` are the workers on which a shard failed; `is_suspect` if it may have ended some.
    """

    shards: tuple[Shard, ...]
    parts: "Mapping[Any, Task]" = field(default_factory=dict)
    failed_on: tuple[str, ...] = ()
    is_suspect: bool = False


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
        raise InputError(LOST) from None


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
        self._waiting: deque[Task] = deque()
        self._suspects: deque[Task] = deque()
        self._running: dict[Any, Task] = {}
        self._counted: dict[Any, Task] = {}
        self._here: list[CountedShards] = []

    def done(self, shards: Sequence[Shard]) -> CountedShards | None:
        """Count all shards and return the sum."""
        self._waiting.extend(Task((shard,)) for shard in shards)
        failed = 0
        while self._begun():
            for future in self._some_finished():
                failed += self._finish(future, self._running.pop(future))
            adding_up = (task for task in self._running.values() if task.parts)
            counted = (len(task.shards) for task in chain(self._counted.values(), adding_up))
            ended = failed + sum(counted)
            self._progress(f"counted {ended:,} of {len(shards):,} files", ended / len(shards))
        return add_up(self._here) if self._here else None

    def _begun(self) -> bool:
        """Begin what can be done now; return whether anything is under way."""
        for _ in range(min(self._room(), len(self._waiting))):
            self._count(self._waiting.popleft())
        while len(self._counted) >= AT_ONCE:
            self._add_up(AT_ONCE)
        if not self._running and len(self._counted) > 1:
            self._add_up(len(self._counted))
        if not self._running:
            # All but the suspects are done, and no worker that is lost can cost what stands here.
            self._take()
            if self._suspects and not self._running:
                self._count(self._suspects.popleft())
        return bool(self._running)

    def _take(self) -> None:
        """Take the counts here; those that were lost meanwhile are waited for again."""
        for future, task in self._counted.items():
            try:
                found = future.result() if future.status == "finished" else None
            except Exception:
                if future.status != "error":
                    raise
                found = None
            if found is None:
                self._running[future] = task
            else:
                self._here.append(found)
        self._counted = {}

    def _room(self) -> int:
        """Return how many more shards may be under way: two for each thread of the workers."""
        threads: int = sum(self._client.nthreads().values())
        return max(0, max(2, 2 * threads) - len(self._running))

    def _count(self, task: Task) -> None:
        chosen: dict[str, Any] = {}
        if task.failed_on:
            others = [one for one in self._client.nthreads() if one not in task.failed_on]
            chosen = {"workers": others, "allow_other_workers": True}
        given = (task.shards[0], self._treatment, __version__)
        self._running[self._client.submit(count_there, *given, pure=False, **chosen)] = task

    def _add_up(self, many: int) -> None:
        parts = dict(islice(self._counted.items(), many))
        self._counted = dict(islice(self._counted.items(), many, None))
        future = self._client.submit(add_up, [*parts], pure=False, priority=1)
        shards = tuple(shard for task in parts.values() for shard in task.shards)
        self._running[future] = Task(shards, parts)

    def _some_finished(self) -> list[Any]:
        """Wait until something is finished; raises InputError if there are no workers for long."""
        from distributed import wait

        seen = time.monotonic()
        while True:
            try:
                return [*wait([*self._running], timeout=1, return_when="FIRST_COMPLETED").done]
            except TimeoutError:
                if self._client.nthreads():
                    seen = time.monotonic()
                elif time.monotonic() - seen > IDLE_SECONDS:
                    reason = f"the Dask scheduler has had no worker for {IDLE_SECONDS:.0f} s"
                    raise InputError(f"{reason}: nothing was written") from None

    def _finish(self, future: Any, task: Task) -> int:
        """Take what a task gave, or do it again; return how many shards failed for good."""
        status = future.status
        if status == "finished":
            self._counted[future] = task
            return 0
        if status in ("lost", "pending"):
            # Its worker has gone since it was finished, and Dask begins it again.
            self._running[future] = task
            return 0
        if status != "error":
            raise InputError(LOST)
        error = future.exception()
        if task.parts:
            self._add_up_again(task, error)
            return 0
        shard, ended = task.shards[0], type(error).__name__ == "KilledWorker"
        if ended and not task.is_suspect:
            self._suspects.append(replace(task, is_suspect=True))
            return 0
        if isinstance(error, ShardError):
            failed_on = (*task.failed_on, error.worker)
            if self._client.nthreads().keys() - {*failed_on} and len(failed_on) < TRIES:
                again = self._suspects if task.is_suspect else self._waiting
                again.append(replace(task, failed_on=failed_on))
                return 0
            self._fail(error.failed)
        else:
            reason = "it ends each worker that counts it" if ended else f"{error}"
            self._fail(FailedShard(shard, f"{shard.name}: {reason}"))
        return 1

    def _add_up_again(self, task: Task, error: BaseException) -> None:
        """Count shards again whose counts were lost with their workers.

        Dask does so by itself, unless many workers are lost one after the other.
        """
        lost = {future for future in task.parts if future.status != "finished"}
        if not lost:
            raise InputError(f"adding up on Dask failed: {error}: nothing was written")
        for future, part in task.parts.items():
            if future in lost:
                self._waiting.extend(Task((shard,)) for shard in part.shards)
            else:
                self._counted[future] = part


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
