"""From a line to its scoring words, and from words to the columns for scoring."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokbench.api import CountedWords, Splitter
from tokbench.corpora.lines import IssueCounter, Line, LineBatch
from tokbench.corpora.scan import LONGEST, may_hold_overlong
from tokbench.corpora.splitters import pattern_of
from tokbench.errors import (
    BrokenPromiseError,
    InputError,
    PluginError,
    UsageError,
)
from tokbench.failures import described

if TYPE_CHECKING:
    from tokbench.api.segmentation import Words
    from tokbench.corpora.normalise import Normalise


BREAKS = b" \t\r\f\v"
"""White space inside a line, which parts a line just as a line end would."""


class LineJoiner:
    """Prepares lines to be split together, if that finds the words that splitting each one finds.

    That needs a built-in splitter, which takes a line end for white space, and a `normalise` that
    does the same to lines together as to each of them. The same goes for the parts of a line
    between those of its `breaks` that `normalise` leaves alone.
    """

    def __init__(self, normalise: "Normalise | None") -> None:
        self._normalise = normalise
        kept = BREAKS.decode()
        self.breaks = (normalise(kept) if normalise else kept).encode()

    def __call__(self, text: bytes) -> bytes | None:
        """Normalise lines together.

        Returns None if they may hold a word that is too long. Such words are cut and reported with
        the numbers of their lines, so these lines have to be split one by one.
        """
        if self._normalise is not None:
            text = self._normalise(text.decode()).encode()
        return None if may_hold_overlong(text) else text


class WordFinder:
    """Finds the words of one corpus's lines: normalises, splits, and cuts what is too long.

    `overlong` counts the words that were cut; `splitter` is what finds them.
    """

    def __init__(self, normalise: "Normalise", splitter: Splitter, splitter_name: str) -> None:
        self._normalise = normalise
        self.splitter = splitter
        self._splitter_name = splitter_name
        self._pattern = pattern_of(splitter)
        self.overlong = IssueCounter()

    def __call__(self, line: Line) -> list[str]:
        """Find the words of a line; raises PluginError if the splitter fails."""
        text = self._normalised(line)
        if self._pattern is None:
            words = [text[start:end] for start, end in self.spans(line, text)]
        else:
            words = self._pattern.findall(text)
        return cut_overlong(words, line, self.overlong) if len(text) > LONGEST else words

    def _normalised(self, line: Line) -> str:
        try:
            return self._normalise(line.text)
        except InputError as error:
            raise InputError(f"{line.place}: {error}") from None

    def places(self, line: Line) -> list[tuple[int, int]]:
        """Find where the words of a line begin and end; one that is too long is several."""
        return [
            (first, min(first + LONGEST, end))
            for start, end in self.spans(line, self._normalised(line))
            for first in range(start, end, LONGEST)
        ]

    def of_lines(self, lines: LineBatch, joiner: LineJoiner | None) -> Iterable[list[str]]:
        """Find the words of each of several lines, all together where that is possible."""
        text = joiner(lines.joined) if joiner else None
        if self._pattern is None:
            return self._of_many([*lines])
        if text is None:
            return map(self, lines)
        return map(self._pattern.findall, text.decode().split("\n"))

    def _of_many(self, lines: Sequence[Line]) -> Iterator[list[str]]:
        texts = [*map(self._normalised, lines)]
        with self._failing_at(*lines):
            many = split_many(texts, self.splitter)
        for line, text in zip(lines, texts, strict=True):
            with self._failing_at(line):
                words = [text[start:end] for start, end in next(many)]
            yield cut_overlong(words, line, self.overlong) if len(text) > LONGEST else words

    def spans(self, line: Line, text: str) -> list[tuple[int, int]]:
        """Find (start, end) of each word of a line whose normalised text is given."""
        with self._failing_at(line):
            return find_words(text, self.splitter)

    @contextmanager
    def _failing_at(self, *lines: Line) -> Iterator[None]:
        """Report whatever the splitter, which any plugin may provide, raises, with its lines."""
        try:
            yield
        except (Exception, SystemExit) as error:
            place = lines[0].place + (f"-{lines[-1].number}" if lines[1:] else "")
            raise PluginError(
                f"{place}: the splitter {self._splitter_name!r} failed: {described(error)}"
            ) from error


def split_many(texts: Sequence[str], splitter: Splitter) -> Iterator[list[tuple[int, int]]]:
    """Find the words of many texts, as `find_words` does of one, which raises when it is its turn.

    All are split at once; where that fails, one by one, to know where.
    """
    try:
        many: Iterable[Iterable[tuple[int, int]]] = [*splitter.split_many(texts)]
    except KeyboardInterrupt:
        raise
    except BaseException:
        many = map(splitter.split, texts)
    return (_checked(text, found) for text, found in zip(texts, many, strict=True))


class SpansError(ValueError):
    """A splitter returned words that overlap, are out of order, or lie outside the text."""


def find_words(text: str, splitter: Splitter) -> list[tuple[int, int]]:
    """Find the (start, end) of each word with a splitter.

    Raises SpansError unless they are in order and inside the text.
    """
    return _checked(text, splitter.split(text))


def _checked(text: str, found: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    spans, last = [], 0
    for start, end in found:
        if not last <= start < end:
            raise SpansError(f"it gave ({start}, {end}) after a word that ends at {last}")
        spans.append((start, end))
        last = end
    if last > len(text):
        raise SpansError(f"it gave a word that ends at {last} in a text of {len(text)}")
    return spans


def split_words(words: Sequence[str], splitter: Splitter) -> Iterator[list[str]]:
    """Cut words where a system's own splitter does; a gap joins the piece before it."""
    many = split_many(words, splitter)
    for word in words:
        try:
            starts = [start for start, _ in next(many)]
        except Exception as error:
            what = str(error) if isinstance(error, SpansError) else described(error)
            raise BrokenPromiseError(f"its splitter failed at {word!r}: {what}") from None
        cuts = sorted({0, *starts})
        yield [word[a:b] for a, b in zip(cuts, [*cuts[1:], len(word)], strict=True)]


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
    pieces = split_words([*words], splitter)
    for count, found in zip(words.values(), pieces, strict=True):
        for piece in found:
            counted[piece] = counted.get(piece, 0) + count
    return CountedWords.of(counted)


def cut_overlong(words: Sequence[str], line: Line, overlong: IssueCounter) -> list[str]:
    """Replace each word of over 10,000 characters by pieces, and count it."""
    pieces = []
    for word in words:
        if len(word) > LONGEST:
            overlong.add(f"{line.short_place}, {len(word):,} characters")
        pieces += [word[i : i + LONGEST] for i in range(0, len(word), LONGEST)]
    return pieces


class WordsBuilder:
    """Numbers the distinct words in the order in which they first occur, line by line."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._order = array("I")
        self._lines = array("q", [0])
        self._documents = array("i")
        self._numbers_of_lines = array("i")

    def __len__(self) -> int:
        """Count the running words so far."""
        return len(self._order)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the distinct words in order."""
        return iter(self._numbers)

    def __contains__(self, word: str) -> bool:
        """Return whether a word has occurred."""
        return word in self._numbers

    def add(self, words: Iterable[str], document: int, ends: bool = True, number: int = 0) -> None:
        """Add one line, or a part of the line that goes on until one `ends` it.

        A line without words is none. `number` is that of the line in its file.
        """
        numbers = self._numbers
        self._order.extend([numbers.setdefault(word, len(numbers)) for word in words])
        if ends and len(self._order) > self._lines[-1]:
            self._lines.append(len(self._order))
            self._documents.append(document)
            self._numbers_of_lines.append(number)

    def build(
        self,
        training: Mapping[str, int] | None,
        gold: Sequence[tuple[tuple[int, ...], ...]] | None = None,
        category: Sequence[str] | None = None,
        morphs: Sequence[tuple[tuple[str, ...], ...]] | None = None,
    ) -> "Words":
        """Build the columns, with each word's count in the training text, if there is one."""
        import numpy as np

        from tokbench.api.segmentation import Words

        counts = None
        if training is not None:
            counts = np.array([training.get(w, 0) for w in self._numbers], dtype=np.int64)
        return Words(
            text=tuple(self._numbers),
            order=np.array(self._order, dtype=np.uint32),
            lines=np.array(self._lines, dtype=np.int64),
            documents=np.array(self._documents, dtype=np.int32),
            train_count=counts,
            gold=None if gold is None else tuple(gold),
            category=None if category is None else tuple(category),
            morphs=None if morphs is None else tuple(morphs),
            numbers=np.array(self._numbers_of_lines, dtype=np.int32),
        )
