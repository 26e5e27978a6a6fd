"""The public interface: everything that a plugin needs, and all that it may import.

`CountTable`, `LineTokens`, `Segmentation`, `Timeline`, `Words`, `begins_character`, `spans` and
`token_lengths` load NumPy: they are imported when asked for.
"""

from typing import TYPE_CHECKING, Any

import pluggy

from tokbench.api.analysis import Analysis, Cell, Column, TrainingLines, UsedVocabulary
from tokbench.api.component import Component, Options
from tokbench.api.counted import CountedWords
from tokbench.api.engine import kernels
from tokbench.api.explanation import Decision, Explanation
from tokbench.api.files import MODELS_VARIABLE, InputFile
from tokbench.api.gold import GoldEntry, GoldReader
from tokbench.api.learner import Learner, Reads, Step
from tokbench.api.marks import BOW, CONTINUATION, EOW, BeginMark, ContinuationMark, EndMark, Marks
from tokbench.api.metric import (
    AdditiveMetric,
    Metric,
    PairMetric,
    TrainingMetric,
    WholeMetric,
)
from tokbench.api.pair_generator import PairGenerator
from tokbench.api.ratio import Ratio, ones, quotient
from tokbench.api.segmenter import Segmenter, TextSegmenter, Token
from tokbench.api.splitter import Splitter
from tokbench.api.units import BYTE_LETTERS, byte_length, encodable, from_bytes_text, to_bytes_text
from tokbench.api.view import View
from tokbench.api.vocabulary import Learned, Size, Vocabulary
from tokbench.api.vocabulary_format import (
    Exported,
    ExportInput,
    Imported,
    Recognised,
    SourceFile,
    VocabularyFormat,
)
from tokbench.errors import InputError, SizeError, UsageError

if TYPE_CHECKING:
    from tokbench.api.count_table import CountTable
    from tokbench.api.lines import LineTokens
    from tokbench.api.segmentation import Segmentation, Timeline, Words, token_lengths
    from tokbench.api.words import begins_character, spans

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
    "ones",
    "quotient",
    "spans",
    "to_bytes_text",
    "token_lengths",
]


def __getattr__(name: str) -> Any:
    if name == "CountTable":
        from tokbench.api import count_table

        return count_table.CountTable
    if name == "LineTokens":
        from tokbench.api import lines

        return lines.LineTokens
    if name in ("Segmentation", "Timeline", "Words", "begins_character", "spans", "token_lengths"):
        from tokbench.api import segmentation

        return getattr(segmentation, name)
    raise AttributeError(f"module 'tokbench.api' has no attribute {name!r}")
