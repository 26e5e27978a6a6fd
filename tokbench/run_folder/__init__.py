"""The run folder, and the value that it holds: a `Run`, plain data that every view is made from.

The names here are public: views in plugins read runs with them, and commands write theirs.
"""

from tokbench.api.vocabulary import SystemSize
from tokbench.api.words import BAND, COMMON, KIND, NEW, PERTURBED, Subset
from tokbench.run_folder.folder import damage, write_documents, write_run
from tokbench.run_folder.layout import placed
from tokbench.run_folder.lock import locked
from tokbench.run_folder.record import (
    CorpusRecord,
    FileRecord,
    Labels,
    MetricRecord,
    OutcomeRecord,
    Record,
)
from tokbench.run_folder.run import Run
from tokbench.run_folder.tables import (
    AdviceRow,
    AnalysisRow,
    ComparisonRow,
    CoverageRow,
    CurveSteps,
    Row,
    SizeStatistics,
    UnseenRow,
    columns,
    records,
    size_number,
    size_order,
)
from tokbench.significance import ALPHA, MINIMUM_EVENT_UNITS, holm_by_family

__all__ = [
    "ALPHA",
    "BAND",
    "COMMON",
    "KIND",
    "MINIMUM_EVENT_UNITS",
    "NEW",
    "PERTURBED",
    "AdviceRow",
    "AnalysisRow",
    "ComparisonRow",
    "CorpusRecord",
    "CoverageRow",
    "CurveSteps",
    "FileRecord",
    "Labels",
    "MetricRecord",
    "OutcomeRecord",
    "Record",
    "Row",
    "Run",
    "SizeStatistics",
    "Subset",
    "SystemSize",
    "UnseenRow",
    "columns",
    "damage",
    "holm_by_family",
    "locked",
    "placed",
    "records",
    "size_number",
    "size_order",
    "write_documents",
    "write_run",
]
