"""Call a function in a process of its own: for libraries that exit, crash, print or hang."""

import json
import os
import selectors
import signal
import site
import sys
import tempfile
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from time import monotonic
from typing import IO, Any

from tokbench import errors
from tokbench.errors import ChildError, SizeError, TokbenchError

_PROGRAM = Path(__file__).with_name("childmain.py")
_KEPT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_TAIL = 4096
_CHUNK = 1 << 16
_TICK = 0.05


def in_child(function: str, payload: Any, *, seconds: float) -> Any:
    """Call `"package.module:function"` with JSON data in a fresh process; give its JSON answer.

    Nothing of this process is there but what it can import: the module is imported anew (without
    the packages around it, unless it imports them), the environment is clean, stdin is empty, the
    current and home folder is an empty one that is removed afterwards, and what is printed is
    kept out of the way. Texts may hold lone surrogates; tuples arrive as lists, and keys as text.

    Raises the function's own error if it is one of tokbench's, such as InputError or SizeError.
    Everything else is one ChildError: any other exception, `sys.exit`, a crash, an answer that is
    no JSON, or more than `seconds` seconds. The process never outlives the call, nor do those that
    it started, unless they left its session.
    """
    with tempfile.TemporaryDirectory(prefix="tokbench-", ignore_cleanup_errors=True) as folder:
        home = Path(folder, "home")
        home.mkdir()
        call, outcome = Path(folder, "call.json"), Path(folder, "outcome.json")
        path = [os.path.abspath(entry) for entry in sys.path]
        asked = {"function": function, "path": path, "payload": payload}
        call.write_bytes(json.dumps(asked, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        trouble = _run([str(call), str(outcome)], home, seconds)
        if not trouble.startswith("took") and outcome.exists():
            found = json.loads(outcome.read_bytes().decode("utf-8", "surrogatepass"))
        return None
