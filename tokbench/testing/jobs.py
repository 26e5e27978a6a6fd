"""The functions that child processes of the kit run: each is called by its name."""

import faulthandler
import json
from collections.abc import Mapping
from dataclasses import asdict
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


def check(job: Job, here: Here) -> dict[str, Any]:
    """Check one promise; return its failures, or the reason why it was skipped.

    After too many seconds the process writes where it is, and ends.
    """
    promise = _promises(json.dumps(job["source"]))[job["name"]]
    run = here.calls.named(job["name"], promise.run)
    faulthandler.dump_traceback_later(job["seconds"], exit=True)
    try:
        run(lambda what: here.say(what, 0))
    except PromiseError as broken:
        return {"failures": [asdict(failure) for failure in broken.failures]}
    except SkipTest as skipped:
        return {"skipped": str(skipped)}
    finally:
        faulthandler.cancel_dump_traceback_later()
    return {"failures": []}


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
