"""From a line to its scoring words, and from words to the columns for scoring."""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tokbench.api import Splitter
from tokbench.api.arrays import CountedWords
from tokbench.corpora.files import IssueCounter, Line
from tokbench.corpora.splitters import ASCII_SPACE
from tokbench.errors import BrokenPromiseError, PluginError, UsageError
from tokbench.failures import described

if TYPE_CHECKING:
    from tokbench.api.words import Words


LONGEST = 10_000
"""Code points of the longest word; learners that are quadratic in it would never end."""

_SPACES = [space.encode() for space in ASCII_SPACE]


def may_hold_overlong(text: bytes) -> bool:
    """Return whether over 10,000 characters stand together without ASCII white space."""
    at = 0
    while len(text) - at > LONGEST:
        # Looking backwards from where a word would be too long skips nearly all of the text.
        space = max(text.rfind(space, at, at + LONGEST + 1) for space in _SPACES)
        if space < 0:
            run = text[at:].split(maxsplit=1)[0]
            if len(run.decode()) > LONGEST:
                return True
            space = at + len(run)
        at = space + 1
    return False


class WordFinder:
    """Finds the words of normalised lines; `overlong` counts words that were cut into pieces."""

    def __init__(self, splitter: Splitter, splitter_name: str) -> None:
        self.splitter = splitter
        self._splitter_name = splitter_name
        self._ignored = re.compile(
            f"[{re.escape(splitter.ignored)}]" if splitter.ignored else "(?!)"
        )
        self.overlong = IssueCounter()

    def __call__(self, line: Line) -> list[str]:
        """Find the words of a line; raises PluginError if the splitter fails."""
        return self.words(line.text, self.places(line))

    def words(self, text: str, places: Iterable[tuple[int, int]]) -> list[str]:
        """Return the words that stand at these places of a text."""
        words = [text[start:end] for start, end in places]
        if self._ignored.search(text):
            words = [self._ignored.sub("", word) for word in words]
        return words

    def pieces(self, words: Sequence[str], line: Line) -> list[str]:
        """Replace each word of over 10,000 characters by pieces, and count it."""
        pieces = []
        for word in words:
            self._check_length(len(word), line)
            pieces += [word[i : i + LONGEST] for i in range(0, len(word), LONGEST)]
        return pieces

    def places(self, line: Line) -> list[tuple[int, int]]:
        """Find (start, end) of each word in a line; an overlong one is several, and counted."""
        text, spans = line.text, self._spans(line)
        has_ignored = self._ignored.search(text) is not None
        if len(text) <= LONGEST and not has_ignored:
            return spans
        places = list[tuple[int, int]]()
        for start, end in spans:
            # A list of millions of characters would take much memory.
            characters = self._characters(text, start, end) if has_ignored else range(start, end)
            self._check_length(len(characters), line)
            places += pairwise([*characters[::LONGEST], end])
        return places

    def _characters(self, text: str, start: int, end: int) -> Sequence[int]:
        """Return where the characters of a word stand that are not ignored; first its start."""
        characters = [at for at in range(start, end) if not self._ignored.match(text, at)]
        return [start, *characters[1:]] if characters else []

    def ignored(self, text: str) -> list[int]:
        """Find the characters of a text that are left out of its words."""
        return [match.start() for match in self._ignored.finditer(text)]

    def _check_length(self, length: int, line: Line) -> None:
        if length > LONGEST:
            self.overlong.add(f"{line.short_place}, {length:,} characters")

    def _spans(self, line: Line) -> list[tuple[int, int]]:
        try:
            return checked_spans(line.text, self.splitter)
        except (Exception, SystemExit) as error:
            what = f"the splitter {self._splitter_name!r} failed: {described(error)}"
            raise line.placed(PluginError(what)) from error


class SpansError(ValueError):
    """A splitter returned words that overlap, are out of order, or lie outside the text."""


def checked_spans(text: str, splitter: Splitter) -> list[tuple[int, int]]:
    """Find (start, end) of each word; raises SpansError unless they are in order and inside."""
    spans, last = [], 0
    for start, end in splitter.split(text):
        if not last <= start < end:
            raise SpansError(f"it gave ({start}, {end}) after a word that ends at {last}")
        spans.append((start, end))
        last = end
    if last > len(text):
        raise SpansError(f"it gave a word that ends at {last} in a text of {len(text)}")
    return spans


def split_words(words: Iterable[str], splitter: Splitter) -> Iterator[list[str]]:
    """Cut words where a system's own splitter does; a gap joins the piece before it."""
    for word in words:
        try:
            starts = [start for start, _ in checked_spans(word, splitter)]
        except Exception as error:
            what = str(error) if isinstance(error, SpansError) else described(error)
            raise BrokenPromiseError(f"its splitter failed at {word!r}: {what}") from None
        cuts = sorted({0, *starts})
        yield [word[a:b] for a, b in pairwise([*cuts, len(word)])]


def _not_read() -> "Words":
    raise UsageError("there is no training text whose lines could be read")


@dataclass(frozen=True)
class TrainingText:
    """The training text of a system: counted words, and the lines that hold them.

    `running` reads the scoring words line by line, or raises why it cannot.
    """

    words: Mapping[str, int]
    lines: Iterable[str]
    running: "Callable[[], Words]" = _not_read


def training_words(words: Mapping[str, int], splitter: Splitter | None) -> CountedWords:
    """Return the words that a system learns from: the training words, or their pieces.

    They cannot be changed: what one learner does with them must not reach the next.
    """
    if splitter is None:
        return CountedWords.of(words)
    counted: dict[str, int] = {}
    pieces = split_words(words, splitter)
    for count, pieces_of_word in zip(words.values(), pieces, strict=True):
        for piece in pieces_of_word:
            counted[piece] = counted.get(piece, 0) + count
    return CountedWords.of(counted)


def build_words(lines: Iterable[tuple[Iterable[str], int, int]]) -> "Words":
    """Return the words of lines, distinct ones in the order in which they first occur.

    Each line has its words, the number of its document, and its number in the file; one without
    words is left out. No word has a count in a training text yet.
    """
    import numpy as np

    from tokbench.api.words import Words

    numbers: dict[str, int] = {}
    order, ends, documents, numbers_of_lines = array("I"), array("q", [0]), array("i"), array("i")
    for words, document, number in lines:
        order.extend([numbers.setdefault(word, len(numbers)) for word in words])
        if len(order) > ends[-1]:
            ends.append(len(order))
            documents.append(document)
            numbers_of_lines.append(number)
    return Words(
        text=tuple(numbers),
        order=np.array(order, dtype=np.uint32),
        lines=np.array(ends, dtype=np.int64),
        documents=np.array(documents, dtype=np.int32),
        train_count=None,
        numbers=np.array(numbers_of_lines, dtype=np.int32),
    )


def with_counts(words: "Words", training: Mapping[str, int]) -> "Words":
    """Return words with the count of each in the training text, 0 for an unseen one."""
    import numpy as np

    counts = [training.get(word, 0) for word in words.text]
    return replace(words, train_count=np.array(counts, dtype=np.int64))
