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
from tokbench.api import Vocabulary
from tokbench.api.component import Use
from tokbench.failures import described
from tokbench.runner.children import Here
from tokbench.testing.collect import collected
from tokbench.testing.cutter import cut_samples
from tokbench.testing.offers import learn_some
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
    check_named = here.calls.named(job["name"], promise.check)
    faulthandler.dump_traceback_later(job["seconds"], exit=True)
    try:
        check_named(lambda what: here.say(what, 0))
    except PromiseError as broken:
        return {"failures": [asdict(failure) for failure in broken.failures]}
    except SkipTest as skipped:
        return {"skipped": str(skipped)}
    finally:
        faulthandler.cancel_dump_traceback_later()
    return {"failures": []}


def cut_and_learn(job: Job, here: Here) -> dict[str, Any]:
    """Cut the samples with a vocabulary, and learn it again; return what both gave as JSON.

    It is cut first, so that nothing is there that the learner leaves in its modules.
    """
    registry = plugins.load([*map(Path, job["files"])], lazy=True)
    answer: dict[str, Any] = {"failed": ""}
    try:
        vocabulary = Vocabulary.from_json(job["vocabulary"])
        answer["cut"] = cut_samples(registry.segmenter_of(vocabulary)[1], vocabulary)
    except Exception as error:  # of the segmenter, for which the learner is not to blame
        answer["failed"] = described(error)
    learner: Any = registry.build("learner", Use(**job["learner"]))
    return answer | {"learned": learn_some(learner).to_json()}
