"""Running text: the words of a text, and the lines in which they stand, as a reader sees them."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from operator import attrgetter

import numpy as np

from tokbench.api.text import byte_length
from tokbench.api.words import Ints, Words, byte_lengths
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.files import Line, join_document, without_end
from tokbench.corpora.words import WordFinder, build_words

Places = list[tuple[int, int]]
"""Where words begin and end in a text, in code points."""


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


def read_text(reader: CorpusReader, see: Callable[[Line], None]) -> tuple[Words, RunningText]:
    """Read the words of a text and its lines, or of joined lines its documents, in one pass.

    `see` is called with each line as it stands in the file. Raises InputError if a file cannot
    be read, or a document is too long; PluginError if a splitter fails.
    """
    texts = list[str]()
    begins, ends = array("q"), array("q")
    is_joined = reader.source.lines != "apart"

    def lines() -> Iterator[tuple[list[str], int, int]]:
        for line, places in _documents(reader, see) if is_joined else _lines(reader, see):
            if places:
                texts.append(line.text)
                begins.extend(_in_bytes(line.text, [start for start, _ in places]))
                ends.extend(_in_bytes(line.text, [end for _, end in places]))
            yield reader.finder.words(line.text, places), line.document, line.number

    words = build_words(lines())
    text = RunningText(
        lines=tuple(texts),
        begins=np.frombuffer(begins, dtype=np.int64),
        ends=np.frombuffer(ends, dtype=np.int64),
        size=byte_lengths(texts),
        ignored=np.fromiter(_ignored(texts, reader.finder), dtype=np.int64),
        splitter_ignores=reader.finder.splitter.ignored,
    )
    return replace(words, numbers=None) if is_joined else words, text


def _ignored(lines: Iterable[str], finder: WordFinder) -> Iterator[int]:
    """Find the bytes of ignored characters, as `RunningText` counts them."""
    begin_of_line = 0
    for line in lines:
        for at in finder.ignored(line):
            begin = begin_of_line + byte_length(line[:at])
            yield from range(begin, begin + byte_length(line[at]))
        begin_of_line += byte_length(line) + 1


def _lines(reader: CorpusReader, see: Callable[[Line], None]) -> Iterator[tuple[Line, Places]]:
    """Read normalised lines, and (start, end) of each of their words in code points."""
    for line in reader.lines():
        see(line)
        normalised = line._replace(text=reader.text_of(line))
        yield normalised, reader.finder.places(normalised)


def _documents(reader: CorpusReader, see: Callable[[Line], None]) -> Iterator[tuple[Line, Places]]:
    """Read documents whole, their line ends kept or written as spaces; words are those of lines."""
    for _, lines in groupby(reader.lines(whole=True), key=attrgetter("document")):
        places: Places = []
        yield join_document(_normalised(lines, reader, see, places)), places


def _normalised(
    lines: Iterable[Line], reader: CorpusReader, see: Callable[[Line], None], places: Places
) -> Iterator[Line]:
    """Normalise each line of a document, and add where its words stand to `places`."""
    length = 0
    for line in lines:
        see(line)
        body = without_end(line.text)
        text = reader.text_of(line._replace(text=body))
        in_line = reader.finder.places(line._replace(text=text))
        places += [(length + start, length + end) for start, end in in_line]
        end = line.text[len(body) :]
        text += " " if end and reader.source.lines == "spaces" else end
        length += len(text)
        yield line._replace(text=text)


def _in_bytes(text: str, places: list[int]) -> Iterable[int]:
    """Turn rising positions in code points of a text into positions in bytes."""
    if text.isascii():
        return places
    return accumulate(byte_length(text[a:b]) for a, b in pairwise([0, *places]))
