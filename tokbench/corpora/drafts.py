"""Test corpora as they are read, before the training text is counted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from tokbench.corpora.entries import Segmented, read_gold, read_listed
from tokbench.corpora.noted import Noted
from tokbench.corpora.overlap import Overlap
from tokbench.corpora.reading import Reading
from tokbench.corpora.words import WordsBuilder
from tokbench.errors import UsageError

Kind = Literal["text", "list", "gold"]
ENTRIES = "entries"
"""What stands in place of a splitter for lists, whose entries are never split."""


@dataclass
class Draft:
    """A test corpus whose words still lack their counts in the training text.

    `content` is the digest of its files, `read_again` makes them ready to be read once more.
    """

    name: str
    kind: Kind
    digest: str
    words_by: str
    builder: WordsBuilder
    warnings: Sequence[str]
    content: str
    read_again: Callable[[], Reading]
    overlap: Overlap | None = None
    gold: Sequence[tuple[Segmented, ...]] | None = None
    category: Sequence[str] | None = None


def read_text(ready: Callable[[], Reading]) -> Draft:
    """Read a test text, or the chosen lines of the training text.

    Raises InputError if it holds no words.
    """
    reading = ready()
    if reading.source.format == "counts":
        raise UsageError(
            f"{reading.where}: word counts have no lines, so they serve as training text only"
        )
    builder = WordsBuilder()
    overlap = Overlap(reading.where) if reading.source.format == "text" else None
    for lines in reading.lines():
        found = zip(reading.words_of(lines), lines.documents, lines.numbers, strict=True)
        for words, document, number in found:
            builder.add(words, document, lines.ends, number)
        if overlap:
            overlap.watch(lines.joined, lines.begins, lines.ends)
    if not builder:
        raise reading.no_words()
    # What is wrong with the training text is said once, when all of it is read.
    warnings = reading.warnings if reading.every else reading.cut_warnings
    digest, words_by = reading.reader.digest, reading.words_by
    return Draft(reading.where, "text", digest, words_by, builder, warnings, digest, ready, overlap)


def read_entries(ready: Callable[[], Reading], kind: Literal["list", "gold"]) -> Draft:
    """Read a list or a gold list; of entries that become the same word, the first stands.

    Raises InputError if it holds none.
    """
    reading = ready()
    if reading.source.format != "text":
        raise UsageError(f"{reading.where}: `format` has no meaning for a {kind}; leave it out")
    read = read_gold if kind == "gold" else read_listed
    builder, gold, category = WordsBuilder(), [], []
    again, emptied = Noted(), Noted()
    for line in reading.reader:
        entry = read(line, reading.normalise)
        if not entry.word:
            emptied.add(line.short_place)
        elif entry.word in builder:
            again.add(f"{line.short_place}, {entry.word!r}")
        else:
            builder.add([entry.word], line.document)
            gold.append(entry.gold)
            category.append(entry.category)
    if not builder:
        raise reading.no_words()
    return Draft(
        name=reading.where,
        kind=kind,
        digest=reading.reader.digest,
        words_by=ENTRIES,
        builder=builder,
        content=reading.reader.digest,
        read_again=ready,
        warnings=reading.warnings
        + again.warnings(f"{reading.where}: repeated entries", "the first of each stands")
        + emptied.warnings(f"{reading.where}: entries that `normalise` empties", "left out"),
        gold=gold if kind == "gold" else None,
        category=category if any(category) else None,
    )
