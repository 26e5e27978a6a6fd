"""The public interface: with `.arrays` and `.text`, all that a plugin may import of tokbench."""

import pluggy

from tokbench.api.component import Component, Options, kernels
from tokbench.api.corpora import GoldEntry, GoldReader, PairGenerator, Splitter
from tokbench.api.files import MODELS_VARIABLE, InputFile, models_folders
from tokbench.api.marks import BeginMark, ContinuationMark, EndMark, Marks, ToldEdge
from tokbench.api.metric import (
    Analysis,
    Cell,
    Column,
    Metric,
    PairMetric,
    Ratio,
    TrainingMetric,
)
from tokbench.api.output import (
    Exported,
    ExportInput,
    Fact,
    Imported,
    Recognised,
    SourceFile,
    View,
    VocabularyFormat,
)
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
from tokbench.api.vocabulary import Learned, Size, Vocabulary
from tokbench.errors import InputError, SizeError, TokbenchError, UsageError

hookimpl = pluggy.HookimplMarker("tokbench")

__all__ = [
    "MODELS_VARIABLE",
    "Analysis",
    "BeginMark",
    "Cell",
    "Column",
    "Component",
    "ContinuationMark",
    "Decision",
    "EndMark",
    "Explanation",
    "ExportInput",
    "Exported",
    "Fact",
    "GoldEntry",
    "GoldReader",
    "Imported",
    "InputError",
    "InputFile",
    "Learned",
    "Learner",
    "Marks",
    "Metric",
    "Options",
    "PairGenerator",
    "PairMetric",
    "Ratio",
    "Reads",
    "Recognised",
    "Segmenter",
    "Size",
    "SizeError",
    "SourceFile",
    "Splitter",
    "Step",
    "TextSegmenter",
    "TokbenchError",
    "Token",
    "ToldEdge",
    "TrainingMetric",
    "UsageError",
    "View",
    "Vocabulary",
    "VocabularyFormat",
    "hookimpl",
    "kernels",
    "models_folders",
]
