"""A layer below a program that fails, or kills it, at its n-th step that changes files.

`faults.c` is compiled and loaded before the C library. A process that has imported everything once
forks for each case, so that a case takes as long as its command, not as long as the imports:

    python -m tests.faults

reads cases as lines of JSON, and answers each with a line of JSON.
"""

import contextlib
import ctypes
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).with_suffix(".c")
ROOT = Path(__file__).resolve().parent.parent
KILL = 0


class Done(NamedTuple):
    """How a command ended: its exit code, below 0 a signal; what it said; the step; all steps."""

    code: int
    stderr: str
    hit: bool


def compiled(folder: Path) -> Path:
    """Compile the layer."""
    library = folder / "faults.so"
    command = ["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return library


class Layer:
    """A program that runs commands, each in a fork of its own, under the layer."""

    def __init__(self, folder: Path) -> None:
        library = compiled(folder)
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.faults", str(library)],
            cwd=ROOT,
            env={**os.environ, "LD_PRELOAD": str(library)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, folder: Path, command: Sequence[str], step: int = 0, error: int = KILL) -> Done:
        """Run `tokbench` in a folder; at the given step there an error is given, or it is killed.

        Step 0 is none.
        """
        asked = {"folder": str(folder), "command": [*command], "step": step, "error": error}
        stdin, stdout = self._program.stdin, self._program.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(asked) + "\n")
        stdin.flush()
        return Done(**json.loads(stdout.readline()))

    def end(self) -> None:
        """End the program."""
        self._program.communicate()


@contextlib.contextmanager
def layer(folder: Path) -> Iterator[Layer]:
    """Start a layer, and end it."""
    found = Layer(folder)
    try:
        yield found
    finally:
        found.end()


def can_fail() -> bool:
    """Whether this machine can have the layer."""
    return sys.platform == "linux" and shutil.which("cc") is not None


def main() -> None:
    """Answer cases until there are no more."""
    library = ctypes.CDLL(sys.argv[1])
    library.fault_arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int]
    with contextlib.redirect_stderr(io.StringIO()):
        for command in (["run", "--help"], ["export", "--help"], ["plugins"]):
            tokbench(command)
    for line in sys.stdin:
        asked = json.loads(line)
        told, tell = os.pipe()
        child = os.fork()
        if not child:
            os.close(told)
            os.chdir(asked["folder"])
            said, code = "", 99
            try:
                library.fault_arm(os.fsencode(asked["folder"]), asked["step"], asked["error"])
                code, said = tokbench(asked["command"])
            except BaseException as error:
                said = f"Traceback: {error!r}"
            finally:
                hit = bool(library.fault_hit())
                library.fault_arm(b"", 0, 0)
                os.write(tell, json.dumps({"said": said, "hit": hit}).encode()[:60_000])
                os._exit(code)
        os.close(tell)
        with open(told, "rb") as pipe:
            text = pipe.read()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        given = json.loads(text) if text else {"said": "", "hit": True}
        print(json.dumps({"code": code, "stderr": given["said"], "hit": given["hit"]}), flush=True)


def tokbench(command: Sequence[str]) -> tuple[int, str]:
    """Run the command line here; return its exit code and what it says."""
    from tokbench.cli import run_command

    sys.argv = ["tokbench", *command]
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = run_command()
    return code, said.getvalue()


if __name__ == "__main__":
    main()
