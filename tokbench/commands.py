"""What commands of plugins are made of: shared options, tokenizers, texts, and assertions.

A package offers a command by an entry point of the group `tokbench.commands`, whose name is that of
the command, and whose object is a click command.
"""

from typing import TYPE_CHECKING, Any

from tokbench.api.engine import COUNT_TABLE, active
from tokbench.assertions import AssertedNumber
from tokbench.cli.assertions import NOT_HELD, assert_option, parse_assertions, say_results
from tokbench.cli.components import (
    WORDS,
    build,
    corpus,
    segmenter_option,
    treatment_options,
)
from tokbench.cli.cutting import (
    CutToken,
    checking,
    covered,
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
from tokbench.cli.options import FILE, PATH, choice_option, format_option, plugin_option, say
from tokbench.cli.tokenizers import (
    TOKENIZER,
    Tokenizer,
    bind,
    check_words,
    find_tokenizer,
    find_vocabularies,
    learner_options,
    size_option,
)
from tokbench.corpora.catalogue import find_corpus, read_catalogue
from tokbench.corpora.source import DescribedCorpus
from tokbench.errors import BrokenPromiseError, PluginError
from tokbench.failures import run_plugin_code
from tokbench.interchange.files import write_files
from tokbench.plugins import Offer, Registry, check_requirements, load
from tokbench.significance import ALPHA, holm_by_family

if TYPE_CHECKING:
    from tokbench.corpora.lines import Line
    from tokbench.cut.written import TextBytes, WrittenBytes
    from tokbench.runner.recount import PairedNumber, Recount

_WITH_NUMPY = {
    "Line": "tokbench.corpora.lines",
    "PairedNumber": "tokbench.runner.recount",
    "Recount": "tokbench.runner.recount",
    "TextBytes": "tokbench.cut.written",
    "WrittenBytes": "tokbench.cut.written",
}

__all__ = [
    "ALPHA",
    "COUNT_TABLE",
    "FILE",
    "NOT_HELD",
    "PATH",
    "TOKENIZER",
    "WORDS",
    "AssertedNumber",
    "BrokenPromiseError",
    "CutToken",
    "DescribedCorpus",
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
    "bind",
    "build",
    "check_requirements",
    "check_words",
    "checking",
    "choice_option",
    "corpus",
    "covered",
    "cut_lines",
    "cut_words",
    "explain_word",
    "find_corpus",
    "find_tokenizer",
    "find_vocabularies",
    "format_option",
    "holm_by_family",
    "learner_options",
    "load",
    "name_words",
    "parse_assertions",
    "pieces_of",
    "places_of",
    "plugin_option",
    "read_catalogue",
    "read_lines",
    "run_plugin_code",
    "say",
    "say_results",
    "segmenter_option",
    "size_option",
    "training_text",
    "treatment_options",
    "words_of",
    "write_files",
]


def __getattr__(name: str) -> Any:
    if name in _WITH_NUMPY:
        from importlib import import_module

        return getattr(import_module(_WITH_NUMPY[name]), name)
    raise AttributeError(f"module 'tokbench.commands' has no attribute {name!r}")
