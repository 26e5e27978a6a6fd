r"""Count the words in chunks of a text; memory grows with its distinct words only.

Counting adds up. `count_part` counts some chunks of a text by themselves, here, in a thread or in
another process, and `merge_counts` puts such parts together. The result doesn't depend on how the
chunks were shared out, because a part keeps the place at which each of its words first occurs.

>>> from tokbench.corpora.splitters import WhitespaceSplitter
>>> early = count_part([(0, b"to be or not\n")], WhitespaceSplitter())
>>> late = count_part([(1, b"be that to be\n")], WhitespaceSplitter())
>>> dict(merge_counts([late, early]).words)
{'to': 2, 'be': 3, 'or': 1, 'not': 1, 'that': 1}
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from heapq import merge
from itertools import accumulate, pairwise
from threading import Lock, Thread
from types import ModuleType

from tokbench.api import CountedWords, Splitter, kernels
from tokbench.corpora.splitters import (
    CLASSES_A_PAGE,
    KERNELS,
    WordSplitter,
    built_in,
    character_classes,
    word_pattern,
)

THREADS = 2
"""Compiled counters at work; each one more needs memory for all frequent words once more."""

PLACE_BITS = 40
"""Bits of a place inside a chunk; the number of the chunk stands above them."""

Countable = bytes | list[str]
"""A chunk: UTF-8 text whose words are still to be found, or the words that were found in it."""

NumberedChunk = tuple[int, Countable]
"""A chunk with its number in the text."""


@dataclass(frozen=True)
class CountedPart:
    """The words of some chunks of a text, in the order in which they first occur there.

    `utf8`, `ends` and `counts` are columns as in `tokbench.api.CountedWords`. `places` rises: it
    holds where in the text each word first occurs, as the number of the chunk above `PLACE_BITS`
    bits that put the new words of one chunk in order. All four are plain values that can be sent
    to another process.
    """

    utf8: bytes
    ends: "array[int]"
    counts: "array[int]"
    places: "array[int]"

    @property
    def words(self) -> CountedWords:
        """The words with their counts."""
        return CountedWords(self.utf8, self.ends, self.counts)


def count_part(chunks: Iterable[NumberedChunk], splitter: Splitter) -> CountedPart:
    """Count the words of some chunks of a text, whose numbers rise.

    Only the words of a built-in splitter are found here; for others, chunks are lists of words.
    """
    compiled = kernels(KERNELS) if built_in(splitter) else None
    by_class = type(splitter) is WordSplitter
    if compiled is not None:
        return _count_compiled(chunks, compiled, by_class)
    return _count_plainly(chunks, by_class)


def merge_counts(parts: Sequence[CountedPart]) -> CountedPart:
    """Add up parts that share no chunk; words stand in the order of the whole text.

    Merged parts may be merged again, in any order, with other parts of the same text.
    """
    if len(parts) == 1:
        return parts[0]
    compiled = kernels(KERNELS)
    if compiled is None:
        return _merge_plainly(parts)
    counter = compiled.Counter()
    counter.merge(*((part.utf8, part.ends, part.counts, part.places) for part in parts))
    return _part_of(counter.columns())


def count_words(chunks: Iterable[Countable], splitter: Splitter) -> CountedWords:
    """Count the words of all chunks of a text, in two threads if compiled kernels do the work.

    Chunks are made one at a time and in order, so that what making them notes or raises does not
    depend on the threads. Raises what making or counting the chunks raises.
    """
    compiled = built_in(splitter) and kernels(KERNELS) is not None
    queue = WorkQueue(chunks)
    helpers: list[_Helper] = []
    try:
        with suppress(RuntimeError):  # no thread can be started: this one does it alone
            for _ in range(THREADS - 1 if compiled else 0):
                helper = _Helper(queue, splitter)
                helper.start()
                helpers.append(helper)
        parts = [count_part(queue, splitter)]
    finally:
        queue.stop()
        for helper in helpers:
            helper.join()
    for helper in helpers:
        if helper.error is not None:
            raise helper.error
        parts += helper.parts
    return merge_counts(parts).words


class WorkQueue:
    """The numbered chunks of a text, each given to the one thread that asks for it first."""

    def __init__(self, chunks: Iterable[Countable]) -> None:
        self._numbered = enumerate(chunks)
        self._lock = Lock()
        self._stopped = False

    def __iter__(self) -> Iterator[NumberedChunk]:
        return self

    def __next__(self) -> NumberedChunk:
        with self._lock:
            if self._stopped:
                raise StopIteration
            return next(self._numbered)

    def stop(self) -> None:
        """Hand out no more chunks."""
        self._stopped = True


class _Helper(Thread):
    """Counts chunks of a queue in a thread; `error` is what ended it too early."""

    def __init__(self, queue: WorkQueue, splitter: Splitter) -> None:
        super().__init__(name="tokbench-counter", daemon=True)
        self._queue = queue
        self._splitter = splitter
        self.parts: list[CountedPart] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.parts.append(count_part(self._queue, self._splitter))
        except BaseException as error:
            self.error = error
            self._queue.stop()


def _count_compiled(
    chunks: Iterable[NumberedChunk], compiled: ModuleType, by_class: bool
) -> CountedPart:
    counter = compiled.Counter()
    if by_class:
        counter.classify(0, character_classes(0))
    for number, chunk in chunks:
        place = number << PLACE_BITS
        if not isinstance(chunk, bytes):
            counter.spaced("\n".join(chunk).encode(), place)
        elif not by_class:
            counter.spaced(chunk, place)
        else:
            at, unknown = counter.runs(chunk, place, 0)
            while unknown >= 0:
                page = unknown // CLASSES_A_PAGE
                counter.classify(page * CLASSES_A_PAGE, character_classes(page))
                at, unknown = counter.runs(chunk, place, at)
    return _part_of(counter.columns())


def _part_of(columns: tuple[bytes, bytes, bytes, bytes]) -> CountedPart:
    utf8, ends, counts, places = columns
    return CountedPart(utf8, array("q", ends), array("q", counts), array("Q", places))


def _count_plainly(chunks: Iterable[NumberedChunk], by_class: bool) -> CountedPart:
    words: Counter[bytes] = Counter()
    places = array("Q")
    for number, chunk in chunks:
        if not isinstance(chunk, bytes):
            words.update([word.encode() for word in chunk])
        elif not by_class:
            words.update(chunk.split())
        else:
            words.update(_count_runs(chunk))
        # The order alone matters inside a chunk, so new words are numbered there.
        place = number << PLACE_BITS
        places.extend(range(place, place + len(words) - len(places)))
    ends = array("q", accumulate(map(len, words)))
    return CountedPart(b"".join(words), ends, array("q", words.values()), places)


def _count_runs(text: bytes) -> dict[bytes, int]:
    """Count the words of `WordSplitter` in a text.

    No word holds ASCII white space. So each distinct run without it is searched only once, and
    going through these runs in order keeps the order of the words.
    """
    words: Counter[str] = Counter()
    find = word_pattern().findall
    for run, count in Counter(text.split()).items():
        for word in find(run.decode()):
            words[word] += count
    return {word.encode(): count for word, count in words.items()}


def _merge_plainly(parts: Sequence[CountedPart]) -> CountedPart:
    counts: dict[bytes, int] = {}
    places = array("Q")
    for place, word, count in merge(*map(_rows, parts)):
        if word not in counts:
            counts[word] = 0
            places.append(place)
        counts[word] += count
    ends = array("q", accumulate(map(len, counts)))
    return CountedPart(b"".join(counts), ends, array("q", counts.values()), places)


def _rows(part: CountedPart) -> Iterator[tuple[int, bytes, int]]:
    """Iterate over (place, word, count)."""
    words = (part.utf8[begin:end] for begin, end in pairwise((0, *part.ends)))
    return zip(part.places, words, part.counts, strict=True)
