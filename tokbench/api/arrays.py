"""The public classes and functions that hold or take arrays.

The names in `_WITH_NUMPY` are imported on first use, since NumPy takes long to load.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tokbench.api.corpora import CountedWords
from tokbench.api.metric import TrainingLines, UsedVocabulary, ones, quotient

if TYPE_CHECKING:
    from tokbench.api.segmentation import LineTokens, Segmentation, Timeline, token_lengths
    from tokbench.api.words import CountTable, Words, begins_character, spans

__all__ = [
    "CountTable",
    "CountedWords",
    "LineTokens",
    "Segmentation",
    "Timeline",
    "TrainingLines",
    "UsedVocabulary",
    "Words",
    "begins_character",
    "ones",
    "quotient",
    "spans",
    "token_lengths",
]

_WITH_NUMPY = {
    **dict.fromkeys(("CountTable", "Words", "begins_character", "spans"), "words"),
    **dict.fromkeys(("LineTokens", "Segmentation", "Timeline", "token_lengths"), "segmentation"),
}


def __getattr__(name: str) -> Any:
    if name not in _WITH_NUMPY:
        raise AttributeError(f"module 'tokbench.api.arrays' has no attribute {name!r}")
    return getattr(import_module(f"tokbench.api.{_WITH_NUMPY[name]}"), name)
