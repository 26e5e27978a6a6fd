"""From the training text's chunks to its counted words."""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from tokbench.api import CountedWords, Splitter
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.counting import PLACE_BITS, Countable, CountedPart, count_words
from tokbench.corpora.entries import CountsHeader, read_count
from tokbench.corpora.files import Opener, open_text, raw_chunks
from tokbench.corpora.lines import LineBatch
from tokbench.corpora.scan import plain_check
from tokbench.corpora.source import DescribedCorpus
from tokbench.corpora.words import cut_overlong
from tokbench.errors import InputError

LineWatcher = Callable[[bytes, bool, bool], None]
"""Sees lines, or a part of one line: whether that line begins and ends there."""

_VISIBLE = re.compile(rb"[!-~]")


def count_training(
    reader: CorpusReader, splitter: Splitter, watchers: Sequence[LineWatcher] = ()
) -> CountedWords:
    """Count the words of the training text in one pass, in which watchers see its lines."""
    if reader.source.format == "counts":
        return _add_up(reader)
    shown = watchers if reader.source.format == "text" else ()
    return count_words(countable_chunks(reader, shown), splitter)


def count_part_of_text(
    corpus: DescribedCorpus, number: int, opened: Opener = open_text
) -> tuple[CountedPart, list[str]]:
    """Count the words of part `number` of a text, in files that `opened` opens; return warnings."""
    reader = CorpusReader("count", corpus)
    reader.files.raw_chunks = lambda path, breaks, ratio: raw_chunks(path, breaks, ratio, opened)
    words = count_training(reader, corpus.splitter)
    places = array("Q", range(number << PLACE_BITS, (number << PLACE_BITS) + len(words)))
    part = CountedPart(words.utf8, array("q", words.ends), array("q", words.counts), places)
    return part, reader.warnings


def countable_chunks(
    reader: CorpusReader, watchers: Sequence[LineWatcher] = ()
) -> Iterator[Countable]:
    """Make the corpus's chunks ready for counting, in order; watchers see the lines they hold.

    A whole chunk is counted as it is where that is safe. Its lines are looked at one by one in two
    cases only: it may hold something to warn of or refuse, which needs the number of its line; or
    no word was met so far, and then the number of lines goes into the error message. A corpus of
    which some lines are taken is always read by line.
    """
    if reader.chosen is not None:
        for lines in reader.lines():
            yield _countable(lines, reader, watchers)
        return
    plain = plain_check()
    joiner, worded = reader.joiner, False
    for chunk in reader.chunks():
        text = chunk.text
        whole = joiner(text) if joiner and worded and plain(text) else None
        if whole is not None:
            _show(watchers, text, chunk.begins, chunk.ends)
            yield whole
            continue
        for lines in reader.files.lines_of(chunk):
            countable = _countable(lines, reader, watchers)
            worded = worded or _surely_holds_words(countable)
            yield countable


def _countable(
    lines: LineBatch, reader: CorpusReader, watchers: Sequence[LineWatcher]
) -> Countable:
    joined = lines.joined
    _show(watchers, joined, lines.begins, lines.ends)
    text = reader.joiner(joined) if reader.joiner else None
    if text is not None:
        return text
    return [word for words in reader.words_of(lines) for word in words]


def _surely_holds_words(countable: Countable) -> bool:
    return bool(_VISIBLE.search(countable) if isinstance(countable, bytes) else countable)


def _show(watchers: Sequence[LineWatcher], text: bytes, begins: bool, ends: bool) -> None:
    for watch in watchers:
        watch(text, begins, ends)


def _add_up(reader: CorpusReader) -> CountedWords:
    """Add up the counts of files of word counts, whose headers must say what the corpus says."""
    wanted = CountsHeader(words=reader.words_by, normalise=reader.source.normalise)
    counts: Counter[str] = Counter()
    path, header = None, None
    for line in reader.files:
        if line.number == 1 or line.path is not path:
            path, header = line.path, CountsHeader.read(line, wanted)
            if header:
                continue
        word, count = read_count(line, None if header else reader.normalise)
        for piece in cut_overlong([word], line, reader.finder.overlong):
            counts[piece] += count
    return CountedWords.of(counts)


def frequent_words(reader: CorpusReader, words: CountedWords) -> CountedWords:
    """Leave out the words that occur less often than `min-word-count`.

    Raises InputError if none are left.
    """
    least = reader.source.min_word_count
    if least == 1:
        return words
    frequent = words.frequent(least)
    if not frequent:
        raise InputError(
            f"{reader.paths[0]}: no word occurs {least:,} times (`min-word-count`); the most "
            f"frequent one occurs {max(words.values()):,} times"
        )
    return frequent
