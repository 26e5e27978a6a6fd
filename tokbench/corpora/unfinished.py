"""Test corpora as they are read, before the training text is counted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.entries import Segmented, read_gold, read_listed
from tokbench.corpora.lines import IssueCounter
from tokbench.corpora.overlap import Overlap
from tokbench.corpora.source import GoldSource
from tokbench.corpora.words import WordsBuilder
from tokbench.errors import InputError, UsageError

CorpusKind = Literal["text", "list", "gold", "pairs"]
Morphs = tuple[tuple[str, ...], ...]
SHOWN_ROWS = 20
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
    morphs: Sequence[Morphs] | None = None


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
    warnings = reader.warnings if reader.chosen is None else reader.cut_warnings
    digest = reader.files.digest
    return UnfinishedCorpus("text", reader, open_reader, builder, digest, warnings, overlap)


def read_entries(
    open_reader: Callable[[], CorpusReader], kind: Literal["list", "gold"]
) -> UnfinishedCorpus:
    """Read a list or a gold list; of entries that become the same word, the first stands.

    Raises InputError if it holds none, and for rows that cannot be used, all of them at once. Where
    these are skipped, at least one row must have boundaries.
    """
    reader = open_reader()
    if kind == "list" and reader.source.format != "text":
        raise UsageError(f"{reader.where}: `format` has no meaning for a {kind}; leave it out")
    skip = isinstance(reader.source, GoldSource) and reader.source.mismatch == "skip"
    builder, gold, category, morphs = WordsBuilder(), [], [], []
    again, emptied, wrong = IssueCounter(), IssueCounter(), WrongRows()
    for line in reader.files:
        try:
            if kind == "gold" and reader.gold is not None:
                entry = read_gold(line, reader.normalise, reader.gold)
            else:
                entry = read_listed(line, reader.normalise)
        except InputError as error:
            wrong.add(line.short_place, str(error))
            continue
        if entry is None:
            continue
        wrong.read += 1
        if entry.mismatch and not (skip and entry.gold):
            wrong.add(line.short_place, entry.mismatch, mismatch=True)
        if not entry.word:
            emptied.add(line.short_place)
        elif entry.word in builder:
            again.add(f"{line.short_place}, {entry.word!r}")
        else:
            builder.add([entry.word], line.document)
            gold.append(entry.gold)
            morphs.append(entry.morphs)
            category.append(entry.category)
    if not (skip and any(gold)):
        wrong.check(reader.paths[0], skip)
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
        + emptied.warnings(f"{reader.where}: entries that `normalise` empties", "left out")
        + wrong.warnings(reader.where),
        gold=gold if kind == "gold" else None,
        morphs=morphs if kind == "gold" else None,
        category=category if any(category) else None,
    )


@dataclass
class WrongRows:
    """Rows that cannot be used, or only for their morphs: how many, and the first of them."""

    read: int = 0
    left_out: int = 0
    mismatches: int = 0
    places: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)

    def add(self, place: str, message: str, mismatch: bool = False) -> None:
        """Count one more; of a `mismatch`, whose segments do not join to the word, some is used."""
        self.left_out += not mismatch
        self.mismatches += mismatch
        if len(self.first) < SHOWN_ROWS:
            self.places.append(place)
            self.first.append(message)

    def check(self, path: Path, skipped: bool = False) -> None:
        """Raise InputError with the first rows, if any are wrong; `skipped` leaves none."""
        count = self.left_out + self.mismatches
        if not count:
            return
        lines = self.first
        if count > 1 or skipped:
            rows = f"{count:,} of {self.read + self.left_out:,} rows"
            lines = [f"{path}: {rows} cannot be used:", *lines]
        if more := count - len(self.first):
            lines = [*lines, f"and {more:,} more"]
        if skipped:
            lines = [*lines, "`mismatch: skip` leaves no row to score: does `format` fit the file?"]
        elif count > 1 and self.read > self.mismatches > 0:
            lines = [*lines, "`mismatch: skip` uses the other rows, and of these what it can"]
        raise InputError("\n".join(lines))

    def warnings(self, where: str) -> list[str]:
        """Return a warning of what was skipped; none if nothing was."""
        counts = []
        if many := self.mismatches:
            counts += [
                f"{many:,} words whose segments do not join to them stand without boundaries"
            ]
        if many := self.left_out:
            counts += [f"{many:,} rows that cannot be read are left out"]
        first = f"(first: {', '.join(self.places)})"
        return [f"{where}: {', '.join(counts)} {first}"] if counts else []
