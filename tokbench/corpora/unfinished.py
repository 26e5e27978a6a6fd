"""Test corpora as they are read, before the training text is counted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.entries import Segmented, read_gold, read_listed
from tokbench.corpora.lines import IssueCounter
from tokbench.corpora.overlap import Overlap
from tokbench.corpora.words import WordsBuilder
from tokbench.errors import UsageError

CorpusKind = Literal["text", "list", "gold"]
ENTRIES = "entries"
"""The name used in place of a splitter's for lists, whose entries are never split."""


@dataclass
class UnfinishedCorpus:
    """A test corpus whose words still lack their counts in the training text.

    `reader` has read its files, `open_reader` makes them ready to be read once more. `digest` is
    that of the files, and of the split where it is a share of them.
    """

    kind: CorpusKind
    reader: CorpusReader
    open_reader: Callable[[], CorpusReader]
    builder: WordsBuilder
    digest: str
    warnings: Sequence[str]
    overlap: Overlap | None = None
    gold: Sequence[tuple[Segmented, ...]] | None = None
    category: Sequence[str] | None = None


def read_text(open_reader: Callable[[], CorpusReader]) -> UnfinishedCorpus:
    """Read a test text, or the chosen lines of the training text.

    Raises InputError if it holds no words.
    """
    reader = open_reader()
    if reader.source.format == "counts":
        raise UsageError(
            f"{reader.where}: word counts have no lines, so they serve as training text only"
        )
    builder = WordsBuilder()
    overlap = Overlap(reader.where) if reader.source.format == "text" else None
    for lines in reader.lines():
        found = zip(reader.words_of(lines), lines.documents, lines.numbers, strict=True)
        for words, document, number in found:
            builder.add(words, document, lines.ends, number)
        if overlap:
            overlap.watch(lines.joined, lines.begins, lines.ends)
    if not builder:
        raise reader.no_words()
    # The training text's issues are reported once, when all of it is read.
    warnings = reader.warnings if reader.every else reader.cut_warnings
    digest = reader.files.digest
    return UnfinishedCorpus("text", reader, open_reader, builder, digest, warnings, overlap)


def read_entries(
    open_reader: Callable[[], CorpusReader], kind: Literal["list", "gold"]
) -> UnfinishedCorpus:
    """Read a list or a gold list; of entries that become the same word, the first stands.

    Raises InputError if it holds none.
    """
    reader = open_reader()
    if reader.source.format != "text":
        raise UsageError(f"{reader.where}: `format` has no meaning for a {kind}; leave it out")
    read = read_gold if kind == "gold" else read_listed
    builder, gold, category = WordsBuilder(), [], []
    again, emptied = IssueCounter(), IssueCounter()
    for line in reader.files:
        entry = read(line, reader.normalise)
        if not entry.word:
            emptied.add(line.short_place)
        elif entry.word in builder:
            again.add(f"{line.short_place}, {entry.word!r}")
        else:
            builder.add([entry.word], line.document)
            gold.append(entry.gold)
            category.append(entry.category)
    if not builder:
        raise reader.no_words()
    return UnfinishedCorpus(
        kind=kind,
        reader=reader,
        open_reader=open_reader,
        builder=builder,
        digest=reader.files.digest,
        warnings=reader.warnings
        + again.warnings(f"{reader.where}: repeated entries", "the first of each stands")
        + emptied.warnings(f"{reader.where}: entries that `normalise` empties", "left out"),
        gold=gold if kind == "gold" else None,
        category=category if any(category) else None,
    )
