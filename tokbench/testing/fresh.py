"""Do something in a fresh process with another hash seed, where nothing is left over from here."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tokbench.errors import TokbenchError
from tokbench.runner.children import Child, Here
from tokbench.testing.promise import PromiseError, short

SECONDS, MEGABYTES = 86_400, 1_000_000
"""The limits of such a process, which a promise has none of."""


def in_fresh_process(function: str, files: Iterable[Path], **details: Any) -> Any:
    """Return what `"module:function"` returns for files and details that JSON holds.

    Raises PromiseError if it fails.
    """
    seed = 2 if os.environ.get("PYTHONHASHSEED") == "1" else 1
    child = Child(SECONDS, MEGABYTES, seed)
    job = {"files": [*map(os.path.realpath, files)], **details}
    try:
        return child.call(function, job)
    except TokbenchError as error:
        raise PromiseError(
            f"given a fresh process: it failed there: {short(str(error))}"
        ) from error
    finally:
        child.end()


Job = Mapping[str, Any]

# What follows runs in the fresh process.


def learn(job: Job, here: Here) -> str:
    """Learn with a learner and return the vocabulary as JSON."""
    from tokbench import plugins
    from tokbench.api import Learner, Size
    from tokbench.testing.learning import learned

    registry = plugins.load([Path(file) for file in job["files"]], lazy=True)
    offer = next(
        offer
        for offer in registry.offers
        if (offer.kind, offer.name) == ("learner", job["name"])
        and offer.plugin.package == job["package"]
    )
    learner = offer.component.configure(**job["options"])
    assert isinstance(learner, Learner)  # the registry holds only learners of that kind
    return learned(learner, job["words"], Size(**job["size"])).to_json()


def segment(job: Job, here: Here) -> list[list[Any]]:
    """Read a vocabulary; cut words and lines with the segmenter that it names."""
    from tokbench import plugins
    from tokbench.api import Vocabulary
    from tokbench.testing.lines import cut_all

    registry = plugins.load([Path(file) for file in job["files"]], lazy=True)
    vocabulary = Vocabulary.from_json(job["vocabulary"])
    segmenter = registry.segmenter_of(vocabulary)[1]
    return cut_all(segmenter, vocabulary, job["words"], job["lines"])
