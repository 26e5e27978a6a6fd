"""Run the installed command as users do: a real process, its output and its exit code."""

import os
import subprocess
import sys
from pathlib import Path

TOKBENCH = [sys.executable, "-c", "from tokbench.cli import main; main()"]


def tokbench(
    *arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `tokbench` with these arguments; its output is decoded as UTF-8."""
    done = subprocess.run(
        [*TOKBENCH, *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )
    out, err = (stream.decode("utf-8") for stream in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)
