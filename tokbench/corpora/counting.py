r"""Counts the words of a training text in a stream: memory grows with its distinct words only.

>>> from tokbench.corpora.splitters import WhitespaceSplitter
>>> dict(count_pieces([b"to be or not to be\n"], WhitespaceSplitter()))
{'to': 2, 'be': 2, 'or': 1, 'not': 1}
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path

from tokbench.api import CountedWords, Splitter, kernels
from tokbench.corpora.chunks import Lines
from tokbench.corpora.counters import CompiledCounter, ListedCounter
from tokbench.corpora.handout import count_together
from tokbench.corpora.pieces import Joined, Piece, pieces
from tokbench.corpora.plain import PlainCounter
from tokbench.corpora.reader import TextReader
from tokbench.corpora.remote import RemoteCounter, merged
from tokbench.corpora.splitters import KERNELS, WORDS, WordSplitter, built_in
from tokbench.corpora.words import WordFinder

THREADS = 2
"""Compiled counters at work; each one more needs memory for all frequent words once more."""

PROCESSES = 2
"""Processes of the plain engine, for what comes after the first pieces of a text."""

ALONE = 16
"""Pieces, of half a megabyte, for which starting processes does not pay."""


def count_words(path: Path, splitter: Splitter) -> CountedWords:
    """Count the words of a UTF-8 text file, plain or gzipped, in order of first occurrence.

    Raises InputError for a file that cannot be read, is not valid UTF-8, or holds a noncharacter
    that tokbench keeps for itself; PluginError for a splitter that fails.
    """
    text = _Plain(path, splitter)
    breaks = text.joined.breaks if text.joined else b""
    return count_pieces(pieces(text.reader.chunks(breaks), text), splitter)


class _Plain:
    """A text file that is taken as it is."""

    every = True

    def __init__(self, path: Path, splitter: Splitter) -> None:
        self.reader = TextReader([path])
        self.joined = Joined(None) if built_in(splitter) else None
        self.lines_of = self.reader.lines_of
        self._finder = WordFinder(str, splitter, type(splitter).__name__)

    def words_of(self, lines: Lines) -> Iterable[list[str]]:
        return self._finder.of_lines(lines, self.joined)


def count_pieces(pieces: Iterable[Piece], splitter: Splitter) -> CountedWords:
    """Count the words of all pieces, which are lists unless the splitter is built in."""
    if not built_in(splitter):
        listed = ListedCounter()
        count_together(pieces, [listed])
        return listed.counted()
    by_class = type(splitter) is WordSplitter
    compiled = kernels(KERNELS)
    if compiled is None:
        return _counted_plainly(iter(pieces), WORDS if by_class else "")
    counters = [CompiledCounter(compiled, by_class) for _ in range(THREADS)]
    count_together(pieces, counters)
    return counters[0].counted(*counters[1:])


def _counted_plainly(pieces: Iterator[Piece], pattern: str) -> CountedWords:
    """Count the first pieces here, and a long text's others in processes of their own."""
    counter = PlainCounter(pattern)
    count_together(islice(pieces, ALONE), [counter])
    following = next(pieces, None)
    if following is None:
        utf8, ends, counts, _ = counter.columns()
        return CountedWords(utf8, ends, counts)
    others = chain([following], pieces)
    with ExitStack() as stack:
        try:
            remote = [stack.enter_context(RemoteCounter(pattern)) for _ in range(PROCESSES)]
        except OSError:
            remote = []  # no process can be started: this one counts on
        count_together(others, remote or [counter], ALONE)
        return merged([counter.columns(), *(other.columns() for other in remote)])
