"""Do something in a fresh process with another hash seed, where nothing is left over from here."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from tokbench.testing.promise import PromiseError, short


def in_fresh_process(task: str, files: Iterable[Path], **details: Any) -> Any:
    """Return what a task of `child.py` returns for JSON details; PromiseError if it fails."""
    path = os.pathsep.join(filter(None, sys.path))
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    # Into files: a process that a plugin leaves behind would keep a pipe open.
    with TemporaryFile("w+", encoding="utf-8") as out, TemporaryFile("w+", encoding="utf-8") as err:
        done = subprocess.run(
            [sys.executable, "-P", Path(__file__).with_name("child.py")],
            input=json.dumps({"task": task, "files": [*map(os.path.realpath, files)], **details}),
            stdout=out,
            stderr=err,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
        )
        for file in (out, err):
            file.seek(0)
        printed, told = (file.read().strip().splitlines() for file in (out, err))
    if done.returncode:
        reason = (told or [f"exit code {done.returncode}"])[-1]
        raise PromiseError(f"given a fresh process: it failed there: {short(reason)}")
    return json.loads(printed[-1])  # the answer comes after all that a plugin prints
