"""Running text: the lines of a corpus as a reader sees them, read again from its files.

Counting and scoring single words do without it, so it is read only where whole lines are asked for.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import accumulate, chain, groupby
from operator import attrgetter

import numpy as np

from tokbench.api import LineTokens, byte_length
from tokbench.api.words import Ints, Words
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.lines import IssueCounter, Line, decode_lines, join_document, without_end
from tokbench.corpora.splitters import ASCII_SPACE
from tokbench.corpora.words import LONGEST, WordsBuilder
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
    """The lines of a test text that hold words, and where their running words begin.

    `begins` is the byte of its line's UTF-8 at which each running word begins, in the order of
    `Words.order`; `size` holds the bytes of each line.
    """

    lines: tuple[str, ...]
    begins: Ints
    size: Ints


def running_text(reader: CorpusReader, words: Words, digest: str) -> RunningText:
    """Read the lines of a text whose words are known; raises InputError if it has changed.

    `digest` is that of the files when the words were found.
    """
    check_readable_again(reader)
    lines: list[str] = []
    begins: list[Ints] = []
    for batch in _batches(_documents(reader) if reader.joins_lines else _lines(reader)):
        texts, starts = [text for text, _ in batch], [starts for _, starts in batch]
        row = [0, *accumulate(map(len, starts))]
        flat = np.fromiter(chain.from_iterable(starts), dtype=np.int64)
        begins.append(LineTokens.from_characters(texts, row, flat, flat, flat).starts)
        lines += texts
    reader.check_unchanged(digest)
    size = np.fromiter(map(byte_length, lines), dtype=np.int64, count=len(lines))
    found = RunningText(tuple(lines), np.concatenate(begins), size)
    # A plugin's splitter may find other words each time.
    if len(found.begins) != len(words.order) or len(lines) != len(words.lines) - 1:
        raise InputError(f"{reader.paths[0]}: other words were found when it was read again")
    return found


Found = tuple[str, list[int]]
"""A line or document, and the code points at which its words begin; it has some."""


def _lines(reader: CorpusReader) -> Iterator[Found]:
    for line in reader:
        text = reader.text_of(line)
        if starts := list(_starts(line, text, reader)):
            yield text, starts


def _documents(reader: CorpusReader) -> Iterator[Found]:
    """Read documents whole, line ends included; words are found in each line alone."""
    for _, lines in groupby(_lines_with_ends(reader), key=attrgetter("document")):
        starts: list[int] = []
        for line in join_document(_normalised(lines, reader, starts)):
            if starts:
                yield line.text, starts


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


def _normalised(lines: Iterable[Line], reader: CorpusReader, starts: list[int]) -> Iterator[Line]:
    """Normalise each line of a document, and add where its words begin to `starts`."""
    length = 0
    for line in lines:
        body = without_end(line.text)
        text = reader.normalise(body)
        starts += [length + start for start in _starts(line, text, reader)]
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


def _starts(line: Line, text: str, reader: CorpusReader) -> Iterator[int]:
    """Find the code point at which each word begins, of long words each piece."""
    is_entry = reader.source.format == "words"
    for start, end in [(0, len(text))] if is_entry else reader.finder.spans(line, text):
        yield from range(start, end, LONGEST)


def _batches(found: Iterable[Found]) -> Iterator[list[Found]]:
    batch: list[Found] = []
    characters = 0
    for one in found:
        batch.append(one)
        characters += len(one[0])
        if characters >= _AT_A_TIME:
            yield batch
            batch, characters = [], 0
    yield batch
