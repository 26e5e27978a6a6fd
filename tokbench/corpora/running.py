"""Running text: the lines of a corpus as a reader sees them, read again from its files.

Counting and scoring single words do without it, so it is read only where whole lines are asked for.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from itertools import accumulate, chain, groupby
from operator import attrgetter

import numpy as np

from tokbench.api import LineTokens, byte_length
from tokbench.api.segmentation import Ints, Words
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.lines import IssueCounter, Line, decode_lines, join_document, without_end
from tokbench.corpora.splitters import ASCII_SPACE
from tokbench.corpora.words import LONGEST, WordFinder, WordsBuilder
from tokbench.errors import InputError, UsageError

# The characters of lines whose positions are turned into bytes at a time.
_AT_A_TIME = 2**20


@dataclass(frozen=True)
class CorpusLines:
    """The lines of a corpus, normalised, without line ends; each iteration reads the files anew.

    Lines that are blank are left out. `digest` is that of the files when they were counted.
    """

    open_reader: Callable[[], CorpusReader]
    digest: str

    def __iter__(self) -> Iterator[str]:
        """Read each line; raises InputError for what cannot be read again, such as a pipe."""
        reader = self.open_reader()
        check_readable_again(reader)
        yield from map(reader.text_of, reader)
        reader.check_unchanged(self.digest)

    def words(self) -> tuple[Words, Ints]:
        """Read the words of each line again, and the document of each; raises as reading does.

        `documents` of the words holds the number of each line among all.
        """
        reader = self.open_reader()
        check_readable_again(reader)
        builder, documents = WordsBuilder(), array("i")
        for lines in reader.lines():
            for line, words in zip(lines, reader.words_of(lines), strict=True):
                builder.add(words, len(documents))
                documents.append(line.document)
        reader.check_unchanged(self.digest)
        return builder.build(), np.array(documents, dtype=np.int64)


def check_readable_again(reader: CorpusReader) -> None:
    """Raise for what has no lines (UsageError) or can be read only once (InputError)."""
    if reader.source.format == "counts":
        raise UsageError(f"{reader.where}: word counts have no lines, which are asked for")
    reader.check_is_file("a text of which whole lines are asked for")


@dataclass(frozen=True, eq=False)
class RunningText:
    """The lines of a test text that hold words, and where their running words stand.

    Running words are in the order of `Words.order`. `begins` and `ends` are bytes of the UTF-8 of
    the word's line, `size` the bytes of each line. `ignored` are the bytes that no word holds even
    where they stand inside one, as those of a soft hyphen; they are counted through all lines, as
    if one byte stood between two lines.
    """

    lines: tuple[str, ...]
    begins: Ints
    ends: Ints
    size: Ints
    ignored: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @cached_property
    def first_byte(self) -> Ints:
        """The byte at which each line begins, counted as those of `ignored`; and the end of all."""
        return np.append(0, np.cumsum(self.size + 1))


def running_text(reader: CorpusReader, words: Words, digest: str) -> RunningText:
    """Read the lines of a text whose words are known; raises InputError if it has changed.

    `digest` is that of the files when the words were found.
    """
    check_readable_again(reader)
    lines: list[str] = []
    begins: list[Ints] = []
    ends: list[Ints] = []
    for batch in _batches(_documents(reader) if reader.joins_lines else _lines(reader)):
        texts, places = [text for text, _ in batch], [places for _, places in batch]
        row = [0, *accumulate(map(len, places))]
        flat = np.array([*chain.from_iterable(places)], dtype=np.int64).reshape(-1, 2)
        in_bytes = LineTokens.from_characters(texts, row, flat[:, 0], flat[:, 0], flat[:, 1])
        begins.append(in_bytes.starts)
        ends.append(in_bytes.ends)
        lines += texts
    reader.check_unchanged(digest)
    size = np.fromiter(map(byte_length, lines), dtype=np.int64, count=len(lines))
    ignored = np.fromiter(_ignored(lines, reader.finder), dtype=np.int64)
    text = RunningText(tuple(lines), np.concatenate(begins), np.concatenate(ends), size, ignored)
    # A plugin's splitter may find other words each time.
    if len(text.begins) != len(words.order) or len(lines) != len(words.lines) - 1:
        raise InputError(f"{reader.paths[0]}: other words were found when it was read again")
    return text


def _ignored(lines: Iterable[str], finder: WordFinder) -> Iterator[int]:
    """Find the bytes of ignored characters, as `RunningText` counts them."""
    first = 0
    for line in lines:
        for at in finder.ignored(line):
            begin = first + byte_length(line[:at])
            yield from range(begin, begin + byte_length(line[at]))
        first += byte_length(line) + 1


PlacedWords = tuple[str, list[tuple[int, int]]]
"""A line or document, and (start, end) of each of its words in code points; it has some."""


def _lines(reader: CorpusReader) -> Iterator[PlacedWords]:
    for line in reader:
        text = reader.text_of(line)
        if places := _places(line, text, reader):
            yield text, places


def _documents(reader: CorpusReader) -> Iterator[PlacedWords]:
    """Read documents whole, line ends included; words are found in each line alone."""
    for _, lines in groupby(_lines_with_ends(reader), key=attrgetter("document")):
        places: list[tuple[int, int]] = []
        for line in join_document(_normalised(lines, reader, places)):
            if places:
                yield line.text, places


def _lines_with_ends(reader: CorpusReader) -> Iterator[Line]:
    """Read all lines of the documents, blank ones too, except between blocks."""
    document, begins = -1, True
    errors, blocks = reader.source.errors, reader.source.documents == "blocks"
    for chunk in reader.chunks():
        begins = begins or not chunk.offset
        place = IssueCounter(), chunk.number, chunk.offset
        for number, text in decode_lines(
            BytesIO(chunk.raw), chunk.path, errors, *place, keep_ends=True
        ):
            if blocks and not text.strip(ASCII_SPACE):
                begins = True
                continue
            document += begins
            begins = False
            yield Line(chunk.path, number, document, text)


def _normalised(
    lines: Iterable[Line], reader: CorpusReader, places: list[tuple[int, int]]
) -> Iterator[Line]:
    """Normalise each line of a document, and add where its words stand to `places`."""
    length = 0
    for line in lines:
        body = without_end(line.text)
        text = reader.normalise(body)
        places += [(length + start, length + end) for start, end in _places(line, text, reader)]
        text += line.text[len(body) :]
        length += len(text)
        yield line._replace(text=text)


def words_by_document(words: Words) -> Words:
    """Return the words of a text with its documents as lines."""
    begins = np.flatnonzero(np.diff(words.documents, prepend=-1))
    return replace(
        words,
        lines=np.append(words.lines[begins], words.lines[-1]),
        documents=words.documents[begins],
        numbers=None,
    )


def _places(line: Line, text: str, reader: CorpusReader) -> list[tuple[int, int]]:
    """Find (start, end) of each word in code points, of long words each piece."""
    if reader.source.format != "words":
        return reader.finder.places(line, text)
    return [(at, min(at + LONGEST, len(text))) for at in range(0, len(text), LONGEST)]


def _batches(placed: Iterable[PlacedWords]) -> Iterator[list[PlacedWords]]:
    batch: list[PlacedWords] = []
    characters = 0
    for text, places in placed:
        batch.append((text, places))
        characters += len(text)
        if characters >= _AT_A_TIME:
            yield batch
            batch, characters = [], 0
    yield batch
