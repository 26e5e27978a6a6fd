"""The processes that work in a folder (Linux): which there are, and whether all have ended."""

import os
import time
from contextlib import suppress
from pathlib import Path


def processes_in(folder: Path) -> list[int]:
    """Return the processes whose current folder this is."""
    ids = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if Path(os.readlink(process / "cwd")) == folder:
                ids.append(int(process.name))
    return ids


def wait_until_none_is_in(folder: Path) -> None:
    """Wait until all processes whose current folder this is have ended."""
    deadline = time.monotonic() + 120
    while left := processes_in(folder):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
