"""Checks of others' plugins in a child, so that a crash or an endless loop is a broken promise."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest import SkipTest

from tokbench.errors import CrashError
from tokbench.runner.children import Child, Here
from tokbench.testing.fresh import MEGABYTES
from tokbench.testing.promise import Promise, PromiseError


class ChecksApart:
    """The promises of a package or of files, as `promises` makes them, checked in a child."""

    def __init__(
        self,
        package: str | None,
        files: Sequence[Path],
        variants: Mapping[str, Any],
        seconds: float,
    ) -> None:
        self._child = Child(seconds, MEGABYTES)
        self._of = {"package": package, "files": [*map(str, files)], "variants": variants}

    def collect(self) -> str:
        """Make the promises there; return how that ended the process, nothing if it did not."""
        try:
            self._child.call("tokbench.testing.apart:collect_there", {"of": self._of})
        except CrashError as crash:
            return str(crash)
        return ""

    def check(self, name: str) -> None:
        """Check one promise; raises PromiseError or SkipTest, as the check does."""
        try:
            data = {"of": self._of, "name": name}
            kind, text = self._child.call("tokbench.testing.apart:check_there", data)
        except CrashError as crash:
            raise PromiseError(f"the check {crash.how}") from None
        if kind:
            raise {"broken": PromiseError, "skipped": SkipTest}[kind](text)


# What follows runs in the child.


@lru_cache(1)
def _promises(of: str) -> Mapping[str, Promise]:
    from tokbench.testing.collect import collected

    asked = json.loads(of)
    files = [*map(Path, asked["files"])]
    found = collected(asked["package"], files, asked["variants"])
    return {str(promise): promise for _, promise in found}


def collect_there(data: Mapping[str, Any], here: Here) -> None:
    """Make the promises."""
    here.calls.named("its options", _promises)(json.dumps(data["of"]))


def check_there(data: Mapping[str, Any], here: Here) -> tuple[str, str]:
    """Check one promise, and say what the check raised."""
    promise = _promises(json.dumps(data["of"]))[data["name"]]
    try:
        here.calls.named(data["name"], promise.run)()
    except PromiseError as broken:
        return "broken", str(broken)
    except SkipTest as skipped:
        return "skipped", str(skipped)
    return "", ""
