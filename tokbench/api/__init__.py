"""The public interface: everything that a plugin needs, and all that it may import.

`Segmentation`, `States` and `Words` load NumPy, so they are imported only when asked for.
"""

from typing import TYPE_CHECKING, Any

import pluggy

from tokbench.api.component import Component, Options
from tokbench.api.counted import CountedWords
from tokbench.api.engine import kernels
from tokbench.api.learner import Learner, Step
from tokbench.api.marks import (
    BOW,
    CONTINUATION,
    EOW,
    BeginMark,
    ContinuationMark,
    EndMark,
    Marks,
)
from tokbench.api.metric import AdditiveMetric, Metric, WholeMetric
from tokbench.api.segmenter import Segmenter, Token
from tokbench.api.splitter import Splitter
from tokbench.api.vocabulary import Learned, Size, Vocabulary
from tokbench.errors import InputError, SizeError

if TYPE_CHECKING:
    from tokbench.api.segmentation import Segmentation, States, Words

hookimpl = pluggy.HookimplMarker("tokbench")

__all__ = [
    "BOW",
    "CONTINUATION",
    "EOW",
    "AdditiveMetric",
    "BeginMark",
    "Component",
    "ContinuationMark",
    "CountedWords",
    "EndMark",
    "InputError",
    "Learned",
    "Learner",
    "Marks",
    "Metric",
    "Options",
    "Segmentation",
    "Segmenter",
    "Size",
    "SizeError",
    "Splitter",
    "States",
    "Step",
    "Token",
    "Vocabulary",
    "WholeMetric",
    "Words",
    "hookimpl",
    "kernels",
]


def __getattr__(name: str) -> Any:
    if name in ("Segmentation", "States", "Words"):
        from tokbench.api import segmentation

        return getattr(segmentation, name)
    raise AttributeError(f"module 'tokbench.api' has no attribute {name!r}")
