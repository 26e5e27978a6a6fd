"""Run the command line: in a process of its own as users do, or in this one, which is faster.

A process of its own is for tests whose subject it is: streams, signals, memory, imports.
"""

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TextIO
from unittest.mock import patch

from tokbench.cli import run_command
from tokbench.plugins import Registry
from tokbench.runner.children import ImportTrial

PROGRESS = re.compile(r"^\S+: \d+\.\d s\n", re.MULTILINE)
"""The line of a system that has ended, whose seconds differ from run to run."""

TOKBENCH = [sys.executable, "-c", "from tokbench.cli import main\nmain()"]
Done = subprocess.CompletedProcess[str]


def tokbench(
    *arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", **environment: str
) -> Done:
    """Run `tokbench` in a process of its own; return its output as text, without progress."""
    done = subprocess.run(
        [*TOKBENCH, *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )
    out, err = (stream.decode("utf-8") for stream in (done.stdout, done.stderr))
    return Done(done.args, done.returncode, out, PROGRESS.sub("", err))


def names_in(folder: Path) -> set[str]:
    """Return the names in a folder, but for the byte code that Python writes beside plugins."""
    return {path.name for path in folder.iterdir()} - {"__pycache__"}


def contents(run: Path) -> dict[str, bytes]:
    """Return the files of a run folder by name, without those that hold times."""
    timed = {"cost.md", "report.html", "run.json"}
    files = (path for path in run.rglob("*") if path.is_file() and path.name not in timed)
    return {str(path.relative_to(run)): path.read_bytes() for path in files}


def fresh(program: str, *arguments: str | Path, cwd: Path | None = None, **environment: str) -> str:
    """Run a Python program, which must succeed, in a process of its own; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        env={**os.environ, **environment},
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def small_files(size: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes, as on a full disk."""
    import resource  # not on Windows

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def tokbench_here(
    *arguments: str | Path,
    cwd: Path | None = None,
    stdin: bytes = b"",
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
    in_children: bool = False,
    **environment: str,
) -> Done:
    """Run `tokbench` in this process, with streams as a process of its own would have.

    The work of plugins is done here too, since a child takes half a second to start, unless it is
    to be done `in_children`. Output that is sent to a given stream is not returned, and neither is
    progress.
    """
    argv = ["tokbench", *map(str, arguments)]
    input_stream, out, err = (
        io.TextIOWrapper(io.BytesIO(start), encoding="utf-8", newline="")
        for start in (stdin, b"", b"")
    )
    with (
        patch.dict(os.environ, environment),
        patch.object(sys, "argv", argv),
        patch.object(sys.modules["__main__"], "__package__", None),  # Click shows it in usages
        patch.object(sys, "stdin", input_stream),
        redirect_stdout(stdout or out),
        redirect_stderr(stderr or err),
        chdir(cwd or Path.cwd()),
        nullcontext()
        if in_children
        else patch.object(Registry, "foreign", return_value=frozenset()),
        nullcontext() if in_children else patch.object(ImportTrial, "__call__", return_value=""),
    ):
        code = run_command()
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))
    return Done(argv, code, texts[0], PROGRESS.sub("", texts[1]))
