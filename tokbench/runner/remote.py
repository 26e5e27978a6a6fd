"""Systems on the workers of a Dask cluster: each is run there in a child process, as it is here.

A worker gets plain data: the config, and the digests of all files. It reads the texts by the same
paths, and gives back the answer of its child and the file that this left. Dask runs a system whose
worker is lost on another one.
"""

import platform
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

from tokbench import __version__
from tokbench.cluster import LOST, wait_for
from tokbench.errors import CrashError, InputError, PluginError, TokbenchError
from tokbench.runner.assemble import version_of
from tokbench.runner.children import Child, Jobs, Say

MOST_SYSTEMS = 512
"""So many systems wait at a time; each is waited for by a thread."""
ANSWER_SECONDS = 30.0
"""How long workers may take to answer at the beginning and at the end."""
SILENT = f"no answer of a Dask worker, or of the scheduler, within {ANSWER_SECONDS:g} seconds"
KILLED = "its process ended each worker that ran it"


Versions = dict[str, str]
ChildLimits = tuple[float, int]
"""The seconds that each call of a component may take, and the memory of a child in MB."""


class RemoteChild(Child):
    """A child process on whichever worker of a cluster has time; each call may be on another.

    `versions` are those of the packages that workers must have, `run` names what workers hold for
    this run.
    """

    def __init__(self, client: Any, run: str, versions: Versions, limits: ChildLimits) -> None:
        super().__init__(*limits)
        self._client, self._for_worker = client, (versions, run, limits)
        self._task: Any = None

    def call(
        self, function: str, data: Any, say: Say = lambda text, share: None, name: str = ""
    ) -> Any:
        """Call a function on a worker as `Child.call` does, and leave its result here.

        Raises InputError where the cluster is lost.
        """
        from distributed import CancelledError, KilledWorker

        steps = token_hex(8)
        arguments = *self._for_worker, function, data, name, steps
        try:
            self._refuse_if_closed()
            self._client.subscribe_topic(steps, lambda event: say(*event[1]))
            self._task = self._client.submit(call_there, *arguments, pure=False)
            wait_for(self._client, [self._task], self._refuse_if_closed)
            answer, result = self._task.result()
        except KilledWorker:
            raise TokbenchError(KILLED) from None  # which is not tried again
        except (CancelledError, OSError):
            raise InputError(LOST) from None
        finally:
            self._task = None
            with suppress(Exception):  # the scheduler may be lost
                self._client.unsubscribe_topic(steps)
        Path(data["result"]).write_bytes(result)
        return answer

    def end(self) -> None:
        """Give up the call, if there is one; what runs on workers ends with the run."""
        if (task := self._task) is not None:
            with suppress(Exception):  # the scheduler may be lost
                self._client.cancel([task])


@contextmanager
def on_cluster(
    client: Any, versions: Versions, systems: int, limits: ChildLimits
) -> Iterator[Jobs]:
    """Open jobs that workers do; on leaving, all that runs for them on workers is ended.

    Raises PluginError if a worker has other versions.
    """
    run = token_hex(8)
    for worker, why in _on_workers(client, refusal, versions).items():
        if why and not isinstance(why, OSError):  # a worker that was just lost
            raise PluginError(f"{worker}: {why}")
    make = partial(RemoteChild, client, run, versions, limits)
    try:
        with Jobs(min(systems, MOST_SYSTEMS), make) as jobs:
            yield jobs
    finally:
        with suppress(Exception):  # those that do not answer are not waited for
            _on_workers(client, end_children, run)


def _on_workers(client: Any, function: Callable[[Any], Any], argument: Any) -> dict[str, Any]:
    """Return what a function gives on each worker, or raises there, by the worker's address."""
    try:
        answers: dict[str, Any] = client.sync(
            client._run, function, argument, on_error="return", callback_timeout=ANSWER_SECONDS
        )
    except TimeoutError:
        raise InputError(SILENT) from None
    except OSError:
        raise InputError(LOST) from None
    return answers


# What follows runs on a worker.


@cache
def _children() -> dict[int, tuple[str, Child]]:
    """Return the children of this worker by their threads, each with its run.

    A thread has one child at most, so that runs whose program was killed leave no more.
    """
    return {}


def end_children(run: str) -> None:
    """End the children of a run."""
    for of_run, child in [*_children().values()]:
        if of_run == run:
            child.close()


def _child(run: str, limits: ChildLimits) -> Child:
    """Return the child of this thread, which serves one system of a run after another."""
    thread = threading.get_ident()
    of_run, child = _children().get(thread, ("", None))
    if child is None or of_run != run:
        if child is not None:
            child.end()
        child = Child(*limits)
        _children()[thread] = run, child
    return child


def call_there(
    versions: Versions,
    run: str,
    limits: ChildLimits,
    function: str,
    data: Mapping[str, Any],
    name: str,
    steps: str,
) -> tuple[Any, bytes]:
    """Call a function in a child of this worker; return its answer, and what it left in the file.

    What it says are events of the topic `steps`.
    """
    from distributed import get_worker

    worker = get_worker()
    if why := refusal(versions):  # it may have come since the run began
        raise PluginError(f"{worker.address}: {why}")
    try:
        child = _child(run, limits)
        with TemporaryDirectory(prefix="tokbench-", ignore_cleanup_errors=True) as folder:
            result = Path(folder, "result")
            answer = child.call(
                function,
                {**data, "result": str(result)},
                lambda text, share: worker.log_event(steps, [text, share]),
                name,
            )
            return answer, result.read_bytes()
    except CrashError:
        raise
    except TokbenchError as error:
        kind = PluginError if isinstance(error, PluginError) else InputError
        raise kind(f"{error} (on the worker {worker.address})") from None


def versions_of(packages: Mapping[str, str]) -> Versions:
    """Return the versions that a worker must have: of tokbench, Python and some packages."""
    return {**packages, "python": platform.python_version(), "tokbench": __version__}


def refusal(expected: Versions) -> str:
    """Say which version of this worker is another than expected; empty if none is."""
    for package, own in versions_of({name: version_of(name) for name in expected}).items():
        if own != expected[package]:
            return f"has {package} {own or '(none)'}, expected {expected[package]} as here"
    return ""
