"""The functions that child processes of the kit run: each is called by its name."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest import SkipTest

from tokbench import plugins
from tokbench.api import Size, Vocabulary
from tokbench.runner.children import Here
from tokbench.testing.collect import collected
from tokbench.testing.cutter import cut_all
from tokbench.testing.offers import learned
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


def learn(job: Job, here: Here) -> str:
    """Learn with a learner and return the vocabulary as JSON."""
    registry = plugins.load([*map(Path, job["files"])], lazy=True)
    (offer,) = (
        offer
        for offer in registry.offers
        if (offer.kind, offer.name) == ("learner", job["name"])
        and offer.plugin.package == job["package"]
    )
    learner: Any = offer.component.configure(**job["options"])
    return learned(learner, job["words"], Size(**job["size"])).to_json()


def segment(job: Job, here: Here) -> list[Any]:
    """Read a vocabulary; cut words and lines with the segmenter that it names."""
    registry = plugins.load([*map(Path, job["files"])], lazy=True)
    vocabulary = Vocabulary.from_json(job["vocabulary"])
    segmenter = registry.segmenter_of(vocabulary)[1]
    return cut_all(segmenter, vocabulary, job["words"], job["lines"])
