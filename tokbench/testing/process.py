"""Checks in processes of their own.

Those of others' plugins, so that a crash or an endless loop is a broken promise; and work in a
fresh process with another hash seed, where nothing is left over from here.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest import SkipTest

from tokbench.errors import CrashError, TokbenchError
from tokbench.runner.children import Child, Here
from tokbench.testing.promise import Promise, PromiseError, short

SECONDS, MEGABYTES = 86_400, 1_000_000
"""The limits of processes that no promise limits."""

Job = Mapping[str, Any]


class ChildChecks:
    """The promises of a package or of files, as `promises` makes them, checked in a child."""

    def __init__(
        self,
        package: str | None,
        files: Sequence[Path],
        variants: Mapping[str, Any],
        seconds: float,
    ) -> None:
        self._child = Child(seconds, MEGABYTES)
        self._source = {"package": package, "files": [*map(str, files)], "variants": variants}

    def collect(self) -> str:
        """Make the promises there; return how that ended the process, nothing if it did not."""
        try:
            self._child.call(f"{__name__}:collect", {"source": self._source})
        except CrashError as crash:
            return str(crash)
        return ""

    def check(self, name: str) -> None:
        """Check one promise; raises PromiseError or SkipTest, as the check does."""
        try:
            job = {"source": self._source, "name": name}
            outcome, message = self._child.call(f"{__name__}:check", job)
        except CrashError as crash:
            raise PromiseError(f"the check {crash.how}") from None
        if outcome:
            raise {"broken": PromiseError, "skipped": SkipTest}[outcome](message)


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


# All below runs in the other process.


@lru_cache(1)
def _promises(source: str) -> Mapping[str, Promise]:
    from tokbench.testing.collect import collected

    arguments = json.loads(source)
    files = [*map(Path, arguments["files"])]
    pairs = collected(arguments["package"], files, arguments["variants"])
    return {str(promise): promise for _, promise in pairs}


def collect(job: Job, here: Here) -> None:
    """Make the promises."""
    here.calls.named("its options", _promises)(json.dumps(job["source"]))


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
    from tokbench import plugins
    from tokbench.api import Learner, Size
    from tokbench.testing.learners import learned

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
