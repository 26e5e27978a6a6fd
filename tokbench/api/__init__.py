"""The public interface: everything that a plugin needs, and all that it may import.

The names in `_WITH_NUMPY` are imported on first use, since NumPy takes long to load.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pluggy

from tokbench.api.component import Component, Options, kernels
from tokbench.api.files import MODELS_VARIABLE, InputFile, models_folders
from tokbench.api.metric import (
    AdditiveMetric,
    Analysis,
    Cell,
    Column,
    Metric,
    PairMetric,
    Ratio,
    TrainingLines,
    TrainingMetric,
    UsedVocabulary,
    WholeMetric,
    ones,
    quotient,
)
from tokbench.api.output import (
    Exported,
    ExportInput,
    Imported,
    Recognised,
    SourceFile,
    View,
    VocabularyFormat,
)
from tokbench.api.texts import CountedWords, GoldEntry, GoldReader, PairGenerator, Splitter
from tokbench.api.tokenizer import (
    Decision,
    Explanation,
    Learner,
    Reads,
    Segmenter,
    Step,
    TextSegmenter,
    Token,
)
from tokbench.api.vocabulary import (
    BOW,
    BYTE_LETTERS,
    CONTINUATION,
    EOW,
    BeginMark,
    ContinuationMark,
    EndMark,
    Learned,
    Marks,
    Size,
    ToldEdge,
    Vocabulary,
    byte_length,
    encodable,
    from_bytes_text,
    to_bytes_text,
)
from tokbench.errors import InputError, SizeError, UsageError

if TYPE_CHECKING:
    from tokbench.api.segmentation import LineTokens, Segmentation, Timeline, token_lengths
    from tokbench.api.words import CountTable, Words, begins_character, spans

hookimpl = pluggy.HookimplMarker("tokbench")

__all__ = [
    "BOW",
    "BYTE_LETTERS",
    "CONTINUATION",
    "EOW",
    "MODELS_VARIABLE",
    "AdditiveMetric",
    "Analysis",
    "BeginMark",
    "Cell",
    "Column",
    "Component",
    "ContinuationMark",
    "CountTable",
    "CountedWords",
    "Decision",
    "EndMark",
    "Explanation",
    "ExportInput",
    "Exported",
    "GoldEntry",
    "GoldReader",
    "Imported",
    "InputError",
    "InputFile",
    "Learned",
    "Learner",
    "LineTokens",
    "Marks",
    "Metric",
    "Options",
    "PairGenerator",
    "PairMetric",
    "Ratio",
    "Reads",
    "Recognised",
    "Segmentation",
    "Segmenter",
    "Size",
    "SizeError",
    "SourceFile",
    "Splitter",
    "Step",
    "TextSegmenter",
    "Timeline",
    "Token",
    "ToldEdge",
    "TrainingLines",
    "TrainingMetric",
    "UsageError",
    "UsedVocabulary",
    "View",
    "Vocabulary",
    "VocabularyFormat",
    "WholeMetric",
    "Words",
    "begins_character",
    "byte_length",
    "encodable",
    "from_bytes_text",
    "hookimpl",
    "kernels",
    "models_folders",
    "ones",
    "quotient",
    "spans",
    "to_bytes_text",
    "token_lengths",
]


_WITH_NUMPY = {
    **dict.fromkeys(("CountTable", "Words", "begins_character", "spans"), "words"),
    **dict.fromkeys(("LineTokens", "Segmentation", "Timeline", "token_lengths"), "segmentation"),
}


def __getattr__(name: str) -> Any:
    if name not in _WITH_NUMPY:
        raise AttributeError(f"module 'tokbench.api' has no attribute {name!r}")
    return getattr(import_module(f"tokbench.api.{_WITH_NUMPY[name]}"), name)
