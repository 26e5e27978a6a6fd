"""Running text: the lines of a corpus as a reader sees them, read again from its files.

Counting and scoring single words do without it, so it is read only where whole lines are asked for.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from operator import attrgetter

import numpy as np

from tokbench.api import byte_length
from tokbench.api.words import Ints, Words, byte_lengths
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.files import Line, join_document, without_end
from tokbench.corpora.splitters import ASCII_SPACE
from tokbench.corpora.words import LONGEST, WordsBuilder
from tokbench.errors import InputError


def words_of_lines(reader: CorpusReader) -> tuple[Words, Ints]:
    """Read the words of each line, and the document of each; raises as reading lines again does.

    `documents` of the words holds the number of each line among all.
    """
    reader.check_readable_again()
    builder, documents = WordsBuilder(), array("q")
    for line, words in reader.lines_with_words():
        builder.add(words, len(documents))
        documents.append(line.document)
    return builder.build(), np.array(documents, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class RunningText:
    """The lines of a test text that hold words, and where their running words begin.

    `begins` is the byte of its line's UTF-8 at which each running word begins, in the order of
    `Words.order`; `size` holds the bytes of each line.
    """

    lines: tuple[str, ...]
    begins: Ints
    size: Ints


def running_text(reader: CorpusReader, words: Words) -> RunningText:
    """Read the lines of a text whose words are known; raises InputError if it has changed."""
    reader.check_readable_again()
    lines: list[str] = []
    begins = array("q")
    for text, starts in _documents(reader) if reader.source.lines == "joined" else _lines(reader):
        if starts:
            lines.append(text)
            begins.extend(_in_bytes(text, starts))
    # A plugin's splitter may find other words each time.
    if len(begins) != len(words.order) or len(lines) != len(words.lines) - 1:
        raise InputError(f"{reader.paths[0]}: other words were found when it was read again")
    return RunningText(tuple(lines), np.array(begins, dtype=np.int64), byte_lengths(lines))


def _lines(reader: CorpusReader) -> Iterator[tuple[str, list[int]]]:
    """Read lines, and the code points at which their words begin."""
    for line in reader.lines():
        text = reader.text_of(line)
        yield text, _starts(line, text, reader)


def _documents(reader: CorpusReader) -> Iterator[tuple[str, list[int]]]:
    """Read documents whole, line ends included; words are found in each line alone."""
    for _, lines in groupby(_lines_with_ends(reader), key=attrgetter("document")):
        starts: list[int] = []
        for document in join_document(_normalised(lines, reader, starts)):
            yield document.text, starts


def _lines_with_ends(reader: CorpusReader) -> Iterator[Line]:
    """Read all lines of the documents, blank ones too, except between blocks."""
    document, begins = -1, True
    blocks = reader.source.documents == "blocks"
    for chunk in reader.chunks():
        begins = begins or not chunk.offset
        for number, text in chunk.decoded(reader.source.errors, reader.invalid, keep_ends=True):
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


def _starts(line: Line, text: str, reader: CorpusReader) -> list[int]:
    """Find the code point at which each word of a line begins, of overlong words each piece."""
    if reader.source.format == "words":
        return [*range(0, len(text), LONGEST)]
    return [start for start, _ in reader.finder.places(line._replace(text=text))]


def _in_bytes(text: str, starts: list[int]) -> Iterable[int]:
    """Turn rising positions in code points of a text into positions in bytes."""
    if text.isascii():
        return starts
    return accumulate(byte_length(text[a:b]) for a, b in pairwise([0, *starts]))
