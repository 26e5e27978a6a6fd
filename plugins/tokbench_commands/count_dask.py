"""Count files on the workers of a Dask cluster, and add them up there.

Dask counts the files of a lost worker again on another, and tries a task that fails so often as
`TRIES` says. A file that ends each worker that counts it is named at the end.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tokbench import __version__
from tokbench.api import InputError
from tokbench.commands import LOST, is_address, wait_for
from tokbench_commands.count import (
    NOTHING,
    CountedFiles,
    FailedFile,
    add_up,
    count_shard,
)
from tokbench_commands.shared import Treatment

TRIES = 3
"""How often a task that fails is tried."""
AT_ONCE = 8
"""The counts that are added up by one task."""

Progress = Callable[[str, float], None]


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
                wait_for(client, [*tasks, root], partial(_show, [*tasks], progress))
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


def _show(tasks: Sequence[Any], progress: Progress) -> None:
    done, of = sum(task.done() for task in tasks), len(tasks)
    progress(f"counted {done:,} of {of:,} files", done / of)


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
