"""Do something in a fresh process with another hash seed, where nothing is left over from here."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tokbench.testing.promise import PromiseError, short


def in_fresh_process(task: str, files: Iterable[Path], **details: Any) -> Any:
    """Return what a task of `child.py` returns for JSON details; PromiseError if it fails."""
    job = json.dumps({"task": task, "files": [*map(os.path.realpath, files)], **details}).encode()
    path = os.pathsep.join(filter(None, sys.path))
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        answer, printed = Path(folder, "answer"), Path(folder, "printed")
        # No pipes: a process that a plugin leaves behind would keep them open.
        with printed.open("ab") as out:
            done = subprocess.run(
                [sys.executable, "-u", "-P", Path(__file__).with_name("child.py"), answer],
                input=job,
                stdout=out,
                stderr=out,
                env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
            )
        if not done.returncode and answer.exists():
            return json.loads(answer.read_bytes())
        told = [f"exit code {done.returncode}", *printed.read_text("utf-8", "replace").splitlines()]
    raise PromiseError(f"given a fresh process: it failed there: {short(told[-1])}")
