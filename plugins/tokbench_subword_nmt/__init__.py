"""subword-nmt: byte pair encoding learned and applied by the program of its authors."""

from collections.abc import Mapping
from typing import ClassVar

from tokbench.api import Component, hookimpl


class NeedsSubwordNmt(Component):
    """A component that needs the program: both of this package do."""

    requires: ClassVar[str | None] = "tokbench[subword-nmt]"
    requires_version: ClassVar[Mapping[str, str]] = {"subword-nmt": "0.3.8"}


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learner `subword-nmt`."""
    return {"subword-nmt": "tokbench_subword_nmt.learner:SubwordNmt"}


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `subword-nmt`."""
    return {"subword-nmt": "tokbench_subword_nmt.segmenter:SubwordNmtSegmenter"}
