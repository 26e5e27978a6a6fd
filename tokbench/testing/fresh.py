"""Do something in a fresh process with another hash seed, where nothing is left over from here."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tokbench.testing.promise import PromiseError, short

_CHILD = Path(__file__).with_name("child.py")


def in_fresh_process(task: str, files: Iterable[Path], **details: Any) -> Any:
    """Return what a task of `child.py` returns for JSON details; PromiseError if it fails."""
    job = {"task": task, "files": [str(path.resolve()) for path in files], **details}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    done = subprocess.run(
        [sys.executable, "-P", str(_CHILD)],
        input=json.dumps(job),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise PromiseError(f"given a fresh process: it failed there: {short(reason)}")
    # The answer comes after all that a plugin prints.
    return json.loads(done.stdout.splitlines()[-1])
