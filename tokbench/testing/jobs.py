"""The functions that child processes of the kit run: each is called by its name."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest import SkipTest

from tokbench import plugins
from tokbench.api import Size, Vocabulary
from tokbench.api.component import Use
from tokbench.runner.children import Here
from tokbench.testing.collect import collected
from tokbench.testing.cutter import cut_samples
from tokbench.testing.offers import learn
from tokbench.testing.promise import Promise, PromiseError

Job = Mapping[str, Any]


@lru_cache(1)
def _promises(source: str) -> Mapping[str, Promise]:
    arguments = json.loads(source)
    files = [*map(Path, arguments["files"])]
    pairs = collected(arguments["package"], files, arguments["variants"])
    return {str(promise): promise for _, promise in pairs}


def check(job: Job, here: Here) -> tuple[str, str]:
    """Check one promise; return "broken" or "skipped" with the reason, or empty texts."""
    promise = _promises(json.dumps(job["source"]))[job["name"]]
    try:
        here.calls.named(job["name"], promise.run)()
    except PromiseError as broken:
        return "broken", str(broken)
    except SkipTest as skipped:
        return "skipped", str(skipped)
    return "", ""


def learn_there(job: Job, here: Here) -> str:
    """Learn with a learner and return the vocabulary as JSON."""
    registry = plugins.load([*map(Path, job["files"])], lazy=True)
    learner: Any = registry.build("learner", Use(**job["learner"]))
    result: Any = learn(learner, Size(**job["size"]))  # no SizeError, since it was learned before
    return str(result.to_json())


def cut_there(job: Job, here: Here) -> dict[str, Any]:
    """Read a vocabulary, and cut the samples with the segmenter that it names."""
    registry = plugins.load([*map(Path, job["files"])], lazy=True)
    vocabulary = Vocabulary.from_json(job["vocabulary"])
    return cut_samples(registry.segmenter_of(vocabulary)[1], vocabulary)
