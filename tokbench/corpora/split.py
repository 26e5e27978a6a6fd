"""Test splits: which lines of the training text become test text, drawn from the seed."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokbench.corpora.files import combined_digest
from tokbench.corpora.source import Split
from tokbench.errors import UsageError

STAYS = -1
"""The split of a line that stays in the training text."""


def draw(documents: NDArray[np.int32], splits: Mapping[str, Split], seed: int) -> NDArray[np.int16]:
    """Draw for each line the number of the split that takes it out, or STAYS.

    `documents` holds the document of each line. A split takes its exact share (rounded) of all
    lines or documents, from what the splits before it have left. Raises UsageError where a split
    would take nothing, or leave nothing.
    """
    drawn = np.full(len(documents), STAYS, dtype=np.int16)
    random = np.random.default_rng(seed)
    for number, (name, split) in enumerate(splits.items()):
        units = documents if split.by == "document" else np.arange(len(documents))
        free = _distinct(units[drawn == STAYS])
        share = round(split.split * len(_distinct(units)))
        if not 0 < share < len(free):
            raise UsageError(
                f"{name}: a share of {split.split:g} would take {share} of the {len(free)} "
                f"{split.by}s of the training text that are left; at least one must be taken, "
                "and one must stay"
            )
        taken = np.zeros(len(units), dtype=np.bool_)
        taken[random.permutation(free)[:share]] = True
        drawn[taken[units] & (drawn == STAYS)] = number
    return drawn


def _distinct(units: NDArray[Any]) -> NDArray[Any]:
    """Return each of the numbers, which rise from 0 or more, once."""
    fresh: NDArray[np.bool_] = np.diff(units, prepend=-1) != 0
    return units[fresh]


def split_digest(digest: str, splits: Mapping[str, Split], seed: int, part: int) -> str:
    """Compute the digest of one part of a split text: that of the whole, and how it was split."""
    how = [split.model_dump(mode="json") for split in splits.values()]
    return combined_digest([digest, json.dumps({"splits": how, "seed": seed, "part": part})])
