"""The program of a child process: makes one call that a file describes, writes what came of it.

It runs by its path and loads no more than the call needs. Its arguments are the file of the call,
the file for the outcome, and a descriptor that ends when the parent does.
"""

import importlib.util
import json
import os
import shutil
import signal
import sys
import threading
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

LONGEST_MESSAGE = 2_000


def main(call: Path, outcome: Path, lifeline: int) -> None:
    """Make the call and write its outcome; the file appears whole or not at all."""
    os.set_inheritable(lifeline, False)
    ending = threading.Thread(target=end_with_parent, args=(lifeline, call.parent), daemon=True)
    ending.start()
    written = attempt(call).encode("utf-8", "surrogatepass")
    draft = outcome.with_suffix(".draft")
    draft.write_bytes(written)
    draft.replace(outcome)
    # A library that fails while it is torn down can no longer harm the answer.
    os._exit(0)


def end_with_parent(lifeline: int, folder: Path) -> None:
    """Wait until the parent is gone, then remove the call's folder and kill the whole group."""
    os.read(lifeline, 1)
    # The parent would have removed it; the training text stands in it.
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def attempt(call: Path) -> str:
    """Return the answer as JSON, or what was raised instead, SystemExit and panics included."""
    try:
        asked = json.loads(call.read_bytes().decode("utf-8", "surrogatepass"))
        sys.path[:] = asked["path"]
        module, _, name = asked["function"].partition(":")
        answer = getattr(load(module), name)(asked["payload"])
    except BaseException as error:
        return json.dumps(raised(error), ensure_ascii=False)
    try:
        return json.dumps({"answer": answer}, ensure_ascii=False)
    except Exception as error:
        return json.dumps({"trouble": f"its answer is no JSON: {shortened(error)}"})


def load(name: str) -> ModuleType:
    """Import a module, passing over the packages that it stands in unless it imports them.

    A plugin's package imports the whole interface, which takes longer than many a call.
    """
    top, *inner = name.split(".")
    spec, found = importlib.util.find_spec(top), top
    for part in inner:
        if spec is None or spec.submodule_search_locations is None:
            break
        found = f"{found}.{part}"
        spec = PathFinder.find_spec(found, spec.submodule_search_locations)
    if spec is None or spec.loader is None or found != name:
        raise ModuleNotFoundError(f"No module named {name!r}")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def raised(error: BaseException) -> dict[str, Any]:
    """Describe an exception; one of tokbench's own by its class, so that the parent raises it."""
    # Where the module was not imported, none of its errors can have been raised.
    ours = sys.modules.get("tokbench.errors")
    if ours is not None and isinstance(error, ours.TokbenchError):
        kind = next(kind for kind in type(error).__mro__ if kind.__module__ == ours.__name__)
        minimum = getattr(error, "minimum", None)
        return {"error": kind.__name__, "message": str(error), "minimum": minimum}
    if isinstance(error, SystemExit):
        return {"trouble": f"called sys.exit({error.code!r:.{LONGEST_MESSAGE}})"}
    text = shortened(error)
    return {"trouble": f"raised {type(error).__name__}" + (f": {text}" if text else "")}


def shortened(error: BaseException) -> str:
    """Return the message of an exception, which may be long, or fail itself."""
    try:
        return str(error)[:LONGEST_MESSAGE]
    except Exception:
        return "a message that cannot be read"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
