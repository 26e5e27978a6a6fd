"""What commands of plugins are made of: shared options, tokenizers, texts, and assertions.

A package offers a command by an entry point of the group `tokbench.commands`, whose name is that of
the command, and whose object is a click command.
"""

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
from tokbench.cli.cutting import (
    CutToken,
    checking,
    cut_counted,
    cut_lines,
    cut_words,
    explain_word,
    name_words,
    pieces_of,
    places_of,
    read_lines,
    training_text,
    words_of,
)
from tokbench.cli.options import (
    FILE,
    FORMAT,
    PATH,
    choice_option,
    format_option,
    plugin_option,
    say,
)
from tokbench.cli.progress import showing_progress
from tokbench.cli.tokenizers import (
    TOKENIZER,
    Tokenizer,
    bind,
    find_tokenizer,
    find_vocabularies,
    find_vocabulary,
    learner_options,
    size_option,
)
from tokbench.corpora.catalogue import (
    CatalogueEntry,
    cache_folder,
    catalogue_entry,
    find_corpus,
    read_catalogue,
    search_folders,
)
from tokbench.corpora.counting import CountedPart, merge_counts
from tokbench.corpora.download import Download, download_corpus
from tokbench.corpora.files import MAX_COMPRESSION, lines_of_stream, open_text, telling
from tokbench.corpora.source import DescribedCorpus
from tokbench.corpora.splitters import PATTERNS
from tokbench.docstrings import docstring
from tokbench.errors import BrokenPromiseError, PluginError
from tokbench.failures import run_plugin_code
from tokbench.interchange.files import check_absent, read_file, write_files
from tokbench.interchange.formats import export_files, import_files
from tokbench.plugins import Offer, Registry, check_requirements, load
from tokbench.significance import ALPHA, holm_by_family

if TYPE_CHECKING:
    from tokbench.corpora.entries import CountsHeader
    from tokbench.corpora.lines import Line
    from tokbench.corpora.normalise import normaliser
    from tokbench.corpora.training import count_part_of_text
    from tokbench.cut.written import TextBytes, WrittenBytes
    from tokbench.notebook import run_config
    from tokbench.run_folder.folder import damage
    from tokbench.runner.recount import PairedNumber, Recount

_WITH_NUMPY = {
    "CountsHeader": "tokbench.corpora.entries",
    "Line": "tokbench.corpora.lines",
    "PairedNumber": "tokbench.runner.recount",
    "Recount": "tokbench.runner.recount",
    "TextBytes": "tokbench.cut.written",
    "WrittenBytes": "tokbench.cut.written",
    "count_part_of_text": "tokbench.corpora.training",
    "damage": "tokbench.run_folder.folder",
    "normaliser": "tokbench.corpora.normalise",
    "run_config": "tokbench.notebook",
}

__all__ = [
    "ALPHA",
    "COUNT_TABLE",
    "FILE",
    "FORMAT",
    "MAX_COMPRESSION",
    "NOT_HELD",
    "PATH",
    "PATTERNS",
    "TOKENIZER",
    "WORDS",
    "AssertedNumber",
    "AssertionResult",
    "BrokenPromiseError",
    "CatalogueEntry",
    "CountedPart",
    "CountsHeader",
    "CutToken",
    "DescribedCorpus",
    "Download",
    "Line",
    "Offer",
    "PairedNumber",
    "PluginError",
    "Recount",
    "Registry",
    "TextBytes",
    "Tokenizer",
    "WrittenBytes",
    "active",
    "assert_option",
    "assertion_results",
    "bind",
    "build",
    "build_format",
    "cache_folder",
    "catalogue_entry",
    "check_absent",
    "check_requirements",
    "checking",
    "choice_option",
    "corpus",
    "count_part_of_text",
    "cut_counted",
    "cut_lines",
    "cut_words",
    "damage",
    "docstring",
    "download_corpus",
    "explain_word",
    "export_files",
    "find_corpus",
    "find_tokenizer",
    "find_vocabularies",
    "find_vocabulary",
    "format_option",
    "holm_by_family",
    "import_files",
    "kebab",
    "learner_options",
    "lines_of_stream",
    "load",
    "merge_counts",
    "name_words",
    "normaliser",
    "open_text",
    "parse_assertions",
    "pieces_of",
    "places_of",
    "plugin_option",
    "read_catalogue",
    "read_file",
    "read_lines",
    "run_config",
    "run_plugin_code",
    "say",
    "say_results",
    "search_folders",
    "segmenter_option",
    "showing_progress",
    "size_option",
    "telling",
    "training_text",
    "treatment_options",
    "words_of",
    "words_options",
    "write_files",
]


def __getattr__(name: str) -> Any:
    if name in _WITH_NUMPY:
        from importlib import import_module

        return getattr(import_module(_WITH_NUMPY[name]), name)
    raise AttributeError(f"module 'tokbench.commands' has no attribute {name!r}")
