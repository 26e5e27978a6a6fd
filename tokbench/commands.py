"""What commands of plugins are made of: shared options, tokenizers, texts, and assertions.

A package offers a command by an entry point of the group `tokbench.commands`, whose name is that of
the command, and whose object is a click command.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tokbench.api.component import kebab
from tokbench.api.engine import COUNT_TABLE, active
from tokbench.assertions import AssertedNumber, AssertionResult
from tokbench.assertions import results as assertion_results
from tokbench.cli.assertions import NOT_HELD, assert_option, parse_assertions, say_results
from tokbench.cli.components import (
    WORDS,
    build,
    build_format,
    corpus,
    segmenter_option,
    treatment_options,
    words_options,
)
from tokbench.cli.options import (
    FORMAT,
    PATH,
    choice_option,
    format_option,
    plugin_option,
    say,
)
from tokbench.cli.progress import showing_progress, verbose_option
from tokbench.cli.views import shown
from tokbench.config import schema
from tokbench.config.options import models_in
from tokbench.corpora.catalogue import (
    CatalogueEntry,
    cache_folder,
    catalogue_entry,
    find_corpus,
    other_edition,
    read_catalogue,
    recognise_corpus,
    search_folders,
)
from tokbench.corpora.counting import CountedPart, merge_counts
from tokbench.corpora.files import (
    GZIP,
    MAX_COMPRESSION,
    lines_of_stream,
    open_text,
    raw_lines,
    telling,
    text_digest,
)
from tokbench.corpora.source import DescribedCorpus, Source
from tokbench.corpora.splitters import PATTERNS
from tokbench.docstrings import docstring
from tokbench.errors import BrokenPromiseError, PluginError, TokbenchError, cropped
from tokbench.failures import run_plugin_code
from tokbench.interchange.files import (
    WORD_SPLITS,
    check_absent,
    read_file,
    read_own,
    write_files,
)
from tokbench.interchange.formats import export_files, hints, import_files, recognise
from tokbench.plugins import KINDS, Kind, Offer, Registry, check_requirements, load
from tokbench.significance import ALPHA, holm_by_family

if TYPE_CHECKING:
    from tokbench.corpora.entries import CountsHeader
    from tokbench.corpora.lines import (
        DONE,
        IssueCounter,
        Line,
        decode_lines,
        join_document,
        without_end,
    )
    from tokbench.corpora.load import load_corpora
    from tokbench.corpora.normalise import normaliser
    from tokbench.corpora.training import count_part_of_text
    from tokbench.corpora.words import TrainingText, WordFinder, split_words
    from tokbench.cut import BoundSegmenter
    from tokbench.cut.checks import checked_words
    from tokbench.cut.splitting import SplitWords
    from tokbench.cut.written import TextBytes, WrittenBytes
    from tokbench.notebook import run_config
    from tokbench.run_folder.folder import damage
    from tokbench.runner.learning import learn
    from tokbench.runner.recount import PairedNumber, Recount

_LATER = {
    "tokbench.corpora.entries": ("CountsHeader",),
    "tokbench.corpora.lines": (
        "DONE", "IssueCounter", "Line", "decode_lines", "join_document", "without_end",
    ),
    "tokbench.corpora.load": ("load_corpora",),
    "tokbench.corpora.normalise": ("normaliser",),
    "tokbench.corpora.training": ("count_part_of_text",),
    "tokbench.corpora.words": ("TrainingText", "WordFinder", "split_words"),
    "tokbench.cut": ("BoundSegmenter",),
    "tokbench.cut.checks": ("checked_words",),
    "tokbench.cut.splitting": ("SplitWords",),
    "tokbench.cut.written": ("TextBytes", "WrittenBytes"),
    "tokbench.notebook": ("run_config",),
    "tokbench.run_folder.folder": ("damage",),
    "tokbench.runner.learning": ("learn",),
    "tokbench.runner.recount": ("PairedNumber", "Recount"),
}  # fmt: skip
"""What needs NumPy, which help and a wrong option need not wait for."""

__all__ = [
    "ALPHA",
    "COUNT_TABLE",
    "DONE",
    "FORMAT",
    "GZIP",
    "KINDS",
    "MAX_COMPRESSION",
    "NOT_HELD",
    "PATH",
    "PATTERNS",
    "WORDS",
    "WORD_SPLITS",
    "AssertedNumber",
    "AssertionResult",
    "BoundSegmenter",
    "BrokenPromiseError",
    "CatalogueEntry",
    "CountedPart",
    "CountsHeader",
    "DescribedCorpus",
    "IssueCounter",
    "Kind",
    "Line",
    "Offer",
    "PairedNumber",
    "PluginError",
    "Recount",
    "Registry",
    "Source",
    "SplitWords",
    "TextBytes",
    "TokbenchError",
    "TrainingText",
    "WordFinder",
    "WrittenBytes",
    "active",
    "assert_option",
    "assertion_results",
    "build",
    "build_format",
    "cache_folder",
    "catalogue_entry",
    "check_absent",
    "check_requirements",
    "checked_words",
    "choice_option",
    "corpus",
    "count_part_of_text",
    "cropped",
    "damage",
    "decode_lines",
    "docstring",
    "export_files",
    "find_corpus",
    "format_option",
    "hints",
    "holm_by_family",
    "import_files",
    "join_document",
    "kebab",
    "learn",
    "lines_of_stream",
    "load",
    "load_corpora",
    "merge_counts",
    "models_in",
    "normaliser",
    "open_text",
    "other_edition",
    "parse_assertions",
    "plugin_option",
    "raw_lines",
    "read_catalogue",
    "read_file",
    "read_own",
    "recognise",
    "recognise_corpus",
    "run_config",
    "run_plugin_code",
    "say",
    "say_results",
    "schema",
    "search_folders",
    "segmenter_option",
    "showing_progress",
    "shown",
    "split_words",
    "telling",
    "text_digest",
    "treatment_options",
    "verbose_option",
    "without_end",
    "words_options",
    "write_files",
]


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'tokbench.commands' has no attribute {name!r}")
