"""What the workers of the tests do."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokbench.workers.loop import answer_calls
from tokbench.workers.server import SEAT


class Work:
    """Answers with what it is given, or does harm."""

    def same(self, value: Any) -> Any:
        return value

    def pid(self) -> int:
        return os.getpid()

    def above(self) -> int:
        return os.getppid()

    def asked(self, function: Callable[..., Any], value: Any) -> Any:
        return function(value)

    def leave_a_child(self) -> int:
        """Start a process in a session of its own, which outlives this one."""
        command = [sys.executable, "-c", "import time; time.sleep(999)"]
        return subprocess.Popen(command, start_new_session=True).pid

    def die_once(self, mark: str) -> str:
        if not Path(mark).exists():
            Path(mark).touch()
            os._exit(3)
        return "alive"

    def send(self, line: str, fifo: bool = False) -> None:
        """Send the parent a line, which may name a FIFO in the folder that both share."""
        if fifo:
            os.mkfifo(Path(os.environ["TMPDIR"], f"{os.getpid()}.fifo"))
        os.write(SEAT, line.replace("PID", str(os.getpid())).encode())
        time.sleep(999)

    def wait(self, mark: str) -> None:
        Path(mark).touch()
        time.sleep(999)


def serve(seat: socket.socket, folder: Path) -> None:
    """Answer calls of the methods of Work."""
    answer_calls(seat, folder, Work())
