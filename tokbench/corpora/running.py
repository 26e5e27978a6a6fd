"""Running text: the lines of a corpus as a reader sees them, read again from its files.

Counting and scoring single words do without it, so it is read only where whole lines are asked for.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from operator import attrgetter

import numpy as np

from tokbench.api.text import byte_length
from tokbench.api.words import Ints, Words, byte_lengths
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.files import Line, join_document, without_end
from tokbench.corpora.words import LONGEST, WordFinder, build_words
from tokbench.errors import InputError


def words_of_lines(reader: CorpusReader) -> tuple[Words, Ints]:
    """Read the words of each line, and the document of each; raises as reading lines again does.

    `documents` of the words holds the number of each line among all.
    """
    reader.check_readable_again()
    documents = array("q")

    def lines() -> Iterator[tuple[list[str], int, int]]:
        for line, words in reader.lines_with_words():
            documents.append(line.document)
            yield words, len(documents) - 1, 0

    return build_words(lines()), np.array(documents, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class RunningText:
    """The lines of a test text that hold words, and where their running words stand.

    Running words are in the order of `Words.order`. `begins` and `ends` are bytes of the UTF-8 of
    the word's line, `size` the bytes of each line. `ignored` are the bytes that no word holds even
    where they stand inside one, as those of a soft hyphen; they are counted through all lines, as
    if one byte stood between two lines. They are of the characters `splitter_ignores`.
    """

    lines: tuple[str, ...]
    begins: Ints
    ends: Ints
    size: Ints
    ignored: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    splitter_ignores: str = ""

    @cached_property
    def first_byte(self) -> Ints:
        """The byte at which each line begins, counted as those of `ignored`; and the end of all."""
        return np.append(0, np.cumsum(self.size + 1))


def running_text(reader: CorpusReader, words: Words) -> RunningText:
    """Read the lines of a text whose words are known; raises InputError if it has changed."""
    reader.check_readable_again()
    lines: list[str] = []
    begins, ends = array("q"), array("q")
    for text, places in _lines(reader) if reader.source.lines == "apart" else _documents(reader):
        if places:
            lines.append(text)
            begins.extend(_in_bytes(text, [start for start, _ in places]))
            ends.extend(_in_bytes(text, [end for _, end in places]))
    # A plugin's splitter may find other words each time.
    if len(begins) != len(words.order) or len(lines) != len(words.lines) - 1:
        raise InputError(f"{reader.paths[0]}: other words were found when it was read again")
    ignored = np.fromiter(_ignored(lines, reader.finder), dtype=np.int64)
    return RunningText(
        lines=tuple(lines),
        begins=np.array(begins, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        size=byte_lengths(lines),
        ignored=ignored,
        splitter_ignores=reader.finder.splitter.ignored,
    )


def _ignored(lines: Iterable[str], finder: WordFinder) -> Iterator[int]:
    """Find the bytes of ignored characters, as `RunningText` counts them."""
    begin_of_line = 0
    for line in lines:
        for at in finder.ignored(line):
            begin = begin_of_line + byte_length(line[:at])
            yield from range(begin, begin + byte_length(line[at]))
        begin_of_line += byte_length(line) + 1


def _lines(reader: CorpusReader) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Read lines, and (start, end) of each of their words in code points."""
    for line in reader.lines():
        text = reader.text_of(line)
        yield text, _places(line, text, reader)


def _documents(reader: CorpusReader) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Read documents whole, their line ends kept or written as spaces; words are those of lines."""
    for _, lines in groupby(reader.lines(whole=True), key=attrgetter("document")):
        places: list[tuple[int, int]] = []
        yield join_document(_normalised(lines, reader, places)).text, places


def _normalised(
    lines: Iterable[Line], reader: CorpusReader, places: list[tuple[int, int]]
) -> Iterator[Line]:
    """Normalise each line of a document, and add where its words stand to `places`."""
    length = 0
    for line in lines:
        body = without_end(line.text)
        text = reader.normalise(body)
        places += [(length + start, length + end) for start, end in _places(line, text, reader)]
        end = line.text[len(body) :]
        text += " " if end and reader.source.lines == "spaces" else end
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
    """Find (start, end) of each word in code points, of overlong words each piece."""
    if reader.source.format != "words":
        return reader.finder.places(line._replace(text=text))
    return [(at, min(at + LONGEST, len(text))) for at in range(0, len(text), LONGEST)]


def _in_bytes(text: str, places: list[int]) -> Iterable[int]:
    """Turn rising positions in code points of a text into positions in bytes."""
    if text.isascii():
        return places
    return accumulate(byte_length(text[a:b]) for a, b in pairwise([0, *places]))
