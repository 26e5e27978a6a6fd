"""Corpora: read them, normalise them, find and count their words, split off test texts.

This is the front door. Two modules tell how a file becomes words and counts: `training` makes the
chunks of the file ready, and `counting` counts the words in them.

A name is loaded when it is first asked for. The splitters are a plugin, and what a config says of a
corpus is needed before anything is read, so importing this package must load nothing heavy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokbench.corpora.catalogue import (
        CatalogueEntry,
        cache_folder,
        catalogue_entry,
        find_corpus,
        read_catalogue,
        search_folders,
    )
    from tokbench.corpora.corpus_reader import CorpusLike, CorpusReader
    from tokbench.corpora.counting import CountedPart, count_part, count_words, merge_counts
    from tokbench.corpora.download import Download, download_corpus
    from tokbench.corpora.entries import ListEntry, read_count, read_gold, read_listed, read_word
    from tokbench.corpora.files import combined_digest, raw_chunks, raw_lines, text_digest
    from tokbench.corpora.lines import IssueCounter, Line, decode_lines
    from tokbench.corpora.load import Corpora, TestCorpus, Training, load_corpora
    from tokbench.corpora.normalise import joint_normaliser, normaliser
    from tokbench.corpora.overlap import LineHashes
    from tokbench.corpora.running import RunningText
    from tokbench.corpora.source import Remove, Source, Split
    from tokbench.corpora.split import STAYS, draw, split_digest
    from tokbench.corpora.splitters import (
        KERNELS,
        NO_SPACE,
        WORDS,
        WhitespaceSplitter,
        WordSplitter,
    )
    from tokbench.corpora.text_reader import TextReader
    from tokbench.corpora.training import countable_chunks
    from tokbench.corpora.words import WordFinder, WordsBuilder, find_words

__all__ = [
    "KERNELS",
    "NO_SPACE",
    "STAYS",
    "WORDS",
    "CatalogueEntry",
    "Corpora",
    "CorpusLike",
    "CorpusReader",
    "CountedPart",
    "Download",
    "IssueCounter",
    "Line",
    "LineHashes",
    "ListEntry",
    "Remove",
    "RunningText",
    "Source",
    "Split",
    "TestCorpus",
    "TextReader",
    "Training",
    "WhitespaceSplitter",
    "WordFinder",
    "WordSplitter",
    "WordsBuilder",
    "cache_folder",
    "catalogue_entry",
    "combined_digest",
    "count_part",
    "count_words",
    "countable_chunks",
    "decode_lines",
    "download_corpus",
    "draw",
    "find_corpus",
    "find_words",
    "joint_normaliser",
    "load_corpora",
    "merge_counts",
    "normaliser",
    "raw_chunks",
    "raw_lines",
    "read_catalogue",
    "read_count",
    "read_gold",
    "read_listed",
    "read_word",
    "search_folders",
    "split_digest",
    "text_digest",
]

_MODULES = {
    "catalogue": (
        "CatalogueEntry",
        "cache_folder",
        "catalogue_entry",
        "find_corpus",
        "read_catalogue",
        "search_folders",
    ),
    "download": ("Download", "download_corpus"),
    "corpus_reader": ("CorpusLike", "CorpusReader"),
    "counting": ("CountedPart", "count_part", "count_words", "merge_counts"),
    "entries": ("ListEntry", "read_count", "read_gold", "read_listed", "read_word"),
    "files": ("combined_digest", "raw_chunks", "raw_lines", "text_digest"),
    "lines": ("IssueCounter", "Line", "decode_lines"),
    "load": ("Corpora", "TestCorpus", "Training", "load_corpora"),
    "normalise": ("joint_normaliser", "normaliser"),
    "overlap": ("LineHashes",),
    "running": ("RunningText",),
    "source": ("Remove", "Source", "Split"),
    "split": ("STAYS", "draw", "split_digest"),
    "splitters": ("KERNELS", "NO_SPACE", "WORDS", "WhitespaceSplitter", "WordSplitter"),
    "text_reader": ("TextReader",),
    "training": ("countable_chunks",),
    "words": ("WordFinder", "WordsBuilder", "find_words"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
