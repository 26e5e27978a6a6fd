"""A Dask scheduler and workers, each a process of its own, so that some can be killed."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any


class Cluster:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen[bytes]] = []
        self.port = free_port()
        listening = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        self.scheduler = self.start("dask_scheduler", folder, *listening)

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start(self, module: str, folder: Path, *options: str) -> "subprocess.Popen[bytes]":
        program = f"from distributed.cli.{module} import main; main()"
        with (self.folder / "dask.log").open("ab") as log:
            command = [sys.executable, "-c", program, *options]
            started = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        self.started.append(started)
        return started

    def worker(self, folder: Path, *options: str) -> "subprocess.Popen[bytes]":
        single = ("--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--no-nanny")
        scratch = ("--local-directory", str(self.folder / "scratch"))
        return self.start("dask_worker", folder, self.address, *single, *scratch, *options)

    @contextmanager
    def watched(self, workers: int) -> Iterator[Any]:
        """Connect a client of the test, when so many workers are there."""
        from distributed import Client

        with Client(self.address, timeout=120, set_as_default=False) as client:
            if workers:
                client.wait_for_workers(workers, timeout=120)
            yield client

    def end(self) -> None:
        for process in self.started:
            process.kill()
            process.wait()


def free_port() -> int:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
