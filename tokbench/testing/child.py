"""The program of a fresh process: reads one task as JSON, writes its answer into a file.

It runs by its path, not as a module, so that it loads no more than a task needs.
"""

import importlib
import json
import os
import pkgutil
import runpy
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points, packages_distributions
from itertools import chain
from pathlib import Path
from typing import Any

Job = Mapping[str, Any]


def learn(job: Job) -> str:
    """Learn with a learner and return the vocabulary as JSON."""
    from tokbench import plugins
    from tokbench.api import Learner, Size
    from tokbench.testing.learning import learned

    registry = plugins.load([Path(file) for file in job["files"]], lazy=True, trusted=True)
    offer = next(
        offer
        for offer in registry.offers
        if (offer.kind, offer.name) == ("learner", job["name"])
        and offer.plugin.package == job["package"]
    )
    learner = offer.component.configure(**job["options"])
    assert isinstance(learner, Learner)  # the registry holds only learners of that kind
    return learned(learner, job["words"], Size(**job["size"])).to_json()


def segment(job: Job) -> list[list[Any]]:
    """Read a vocabulary; cut words and lines with the segmenter that it names."""
    from tokbench import plugins
    from tokbench.api import Vocabulary
    from tokbench.testing.lines import cut_all

    registry = plugins.load([Path(file) for file in job["files"]], lazy=True, trusted=True)
    vocabulary = Vocabulary.from_json(job["vocabulary"])
    segmenter = registry.segmenter_of(vocabulary)[1]
    return cut_all(segmenter, vocabulary, job["words"], job["lines"])


def heavy_imports(job: Job) -> list[str]:
    """Return the packages that importing a plugin, and what it names, loads from other packages.

    A plugin may load everything that tokbench.api loads, modules of no installed package (the
    standard library, modules next to a plugin file), and packages with a tokbench plugin.
    """
    for module in ("tokbench.api", "pydantic", "regex"):
        importlib.import_module(module)
    before = _packages()
    entries = entry_points(group="tokbench")
    found: dict[str, Any] = {}
    if job["files"]:
        found = runpy.run_path(job["files"][0], run_name="tokbench_file")
    else:
        for entry in entries:
            if entry.dist and (entry.name, entry.dist.name) == (job["name"], job["package"]):
                found = vars(entry.load())
    hooks = [
        hook for name, hook in found.items() if name.startswith("tokbench_") and callable(hook)
    ]
    for component in chain.from_iterable(hook().values() for hook in hooks):
        if isinstance(component, str):
            pkgutil.resolve_name(component)
    owners = packages_distributions()
    allowed = {"tokbench", *(entry.dist.name for entry in entries if entry.dist)}
    new = sorted(_packages() - before)
    return [package for package in new if package in owners and not allowed & set(owners[package])]


def _packages() -> set[str]:
    """Return the packages that are loaded, of which more modules may be loaded later."""
    return {name.partition(".")[0] for name in sys.modules}


TASKS: Mapping[str, Callable[[Job], Any]] = {
    "learn": learn,
    "segment": segment,
    "heavy imports": heavy_imports,
}

if __name__ == "__main__":
    given = json.load(sys.stdin)
    mine = f"{sys.argv[1]}.{os.getpid()}"  # a plugin may have forked
    Path(mine).write_text(json.dumps(TASKS[given["task"]](given)))
    os.replace(mine, sys.argv[1])
