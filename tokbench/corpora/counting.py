r"""Count the words of a text; memory grows with its distinct words only.

>>> from tokbench.corpora.splitters import WhitespaceSplitter
>>> counter = WordCounter(WhitespaceSplitter())
>>> counter.add(b"to be or not\n")
>>> counter.add(b"to be\n")
>>> dict(counter.words())
{'to': 2, 'be': 2, 'or': 1, 'not': 1}
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from tokbench.api import Splitter, kernels
from tokbench.api.arrays import CountedWords
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.entries import CountsHeader, read_count
from tokbench.corpora.source import DescribedCorpus
from tokbench.corpora.splitters import (
    ASCII_SPACE,
    CLASSES_A_PAGE,
    KERNELS,
    SPECIAL,
    WordSplitter,
    built_in,
    character_classes,
)
from tokbench.corpora.words import checked_spans, may_hold_overlong
from tokbench.errors import InputError
from tokbench.printing import counted, percent

_SPACE = re.compile(f"[{ASCII_SPACE}]".encode())

MOST_CUT = 0.01
"""The share of counted words that a splitter may cut before somebody is warned."""

_MOST_LOOKED_AT = 50_000  # of the counted words
_EXAMPLES = 3


class WordCounter:
    """Counts words in the order in which they first occur, compiled where that is possible.

    `add` finds the words of a text itself, which needs a built-in splitter. The words of others may
    hold white space, which compiled code does not count.
    """

    def __init__(self, splitter: Splitter | None = None) -> None:
        self._splitter = splitter
        compiled = kernels(KERNELS) if splitter is None or built_in(splitter) else None
        self._compiled = compiled.Counter() if compiled else None
        self._counts: Counter[str] = Counter()
        if self._compiled:
            self._compiled.classify(0, character_classes(0))

    def add(self, text: bytes) -> None:
        """Count the words of a text in UTF-8."""
        splitter = self._splitter
        assert splitter is not None
        assert built_in(splitter)
        if self._compiled is None:
            self._counts.update(splitter.words(text.decode()))
        elif isinstance(splitter, WordSplitter):
            at, stopped = self._compiled.runs(text, 0)
            while stopped >= 0:
                page, place = divmod(stopped, CLASSES_A_PAGE)
                classes = character_classes(page)
                if classes[place] & SPECIAL:
                    space = _SPACE.search(text, at)
                    end = space.start() if space else len(text)
                    self.add_words(splitter.words(text[at:end].decode()))
                    at = end
                else:
                    self._compiled.classify(page * CLASSES_A_PAGE, classes)
                at, stopped = self._compiled.runs(text, at)
        else:
            self._compiled.spaced(text)

    def add_words(self, words: Iterable[str]) -> None:
        """Count words that were found already."""
        if self._compiled is None:
            self._counts.update(words)
        else:
            self._compiled.spaced("\n".join(words).encode())

    def add_counts(self, words: CountedWords) -> None:
        """Add words that were counted already."""
        if self._compiled is None:
            self._counts.update(dict(words))
        else:
            self._compiled.add(words.utf8, words.ends, words.counts)

    def words(self) -> CountedWords:
        """Return what was counted so far."""
        if self._compiled is None:
            return CountedWords.of(self._counts)
        utf8, ends, counts = self._compiled.columns()
        return CountedWords(utf8, array("q", ends), array("q", counts))


def add_up(parts: Sequence[CountedWords]) -> CountedWords:
    """Add up the counts of the parts of a text, in its order."""
    if len(parts) == 1:
        return parts[0]
    counter = WordCounter()
    for part in parts:
        counter.add_counts(part)
    return counter.words()


def count_training(
    reader: CorpusReader, see: Callable[[bytes], None] | None = None
) -> CountedWords:
    """Count the words of the training text in one pass, in which `see` is called with its lines.

    Lines, normalised one by one, are counted together by compiled code. Their words are found one
    line after the other where a line may have to be warned of, or where a splitter of others finds
    them.
    """
    if reader.source.format == "counts":
        return _counts_of_files(reader)
    # In one thread: two take 0.8 of its time, which is no second of any run.
    counter = WordCounter(reader.corpus.splitter)
    for chunk in reader.chunks():
        text, lines = chunk.text, None
        if reader.chosen is not None or reader.source.normalise:
            lines = reader.lines_of(chunk)
        if see and reader.source.format == "text":
            see(text if lines is None else "\n".join(line.text for line in lines).encode())
        if reader.is_countable:
            if lines is not None:
                text = "\n".join(map(reader.text_of, lines)).encode()
            # The line of a word that is too long must be told.
            if not may_hold_overlong(text):
                counter.add(text)
                continue
        lines = reader.lines_of(chunk) if lines is None else lines
        counter.add_words(word for words in reader.words_of(lines) for word in words)
    return counter.words()


def _counts_of_files(reader: CorpusReader) -> CountedWords:
    """Add up the counts of files of word counts, whose headers must say what the corpus says."""
    wanted = CountsHeader(words=reader.words_by, normalise=reader.source.normalise)
    counts: Counter[str] = Counter()
    path, header = None, None
    for line in reader.lines():
        if line.number == 1 or line.path is not path:
            path, header = line.path, CountsHeader.read(line, wanted)
            if header not in (None, wanted):
                reader.other_versions.append(
                    f"{line.place}: its words were found by {header.words}"
                )
            if header:
                continue
        try:
            word, count = read_count(line.text, None if header else reader.normalise)
        except InputError as error:
            raise line.placed(error) from None
        for piece in reader.finder.pieces([word], line):
            counts[piece] += count
    return CountedWords.of(counts)


def count_text(corpus: DescribedCorpus) -> tuple[CountedWords, list[str]]:
    """Count the words of a text; return the warnings too."""
    reader = CorpusReader("count", corpus)
    return count_training(reader), reader.warnings


def cut_warnings(counted: CountedWords, tests: Mapping[str, DescribedCorpus]) -> list[str]:
    """Warn of counted words that the splitter of a test text would cut, so that all are unseen."""
    warnings = []
    words = [*islice(counted, 0, None, 1 + len(counted) // _MOST_LOOKED_AT)]
    for name, test in tests.items():
        cut = [word for word in words if len(checked_spans(word, test.splitter)) > 1]
        if len(cut) > MOST_CUT * len(words):
            share = percent(len(cut) / len(words), 1, over=MOST_CUT)
            warnings.append(
                f"{name}: its splitter, {test.splitter_name}, would cut {share} of the counted "
                f"words of the training text, such as {', '.join(map(repr, cut[:_EXAMPLES]))}: "
                "these words cannot be seen; if words between spaces were counted, set "
                "`words: whitespace` for the test text"
            )
    return warnings


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
            f"frequent one occurs {counted(max(words.values()), 'time')}"
        )
    return frequent
