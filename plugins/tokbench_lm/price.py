"""The bits that each running word of a text costs under models of the training text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tokbench.api import UsageError, Vocabulary
from tokbench.api.arrays import Segmentation, TrainingLines
from tokbench_lm.events import Events, EventText, event_text
from tokbench_lm.model import ChosenOrder, choose_order, probabilities
from tokbench_lm.ngrams import Floats, Ints, Lines, Stream

END = 256
"""The event that ends spelled bytes."""

EVENT_BYTES = 150
"""The memory that a model takes for each event of the training text, about."""


@dataclass(frozen=True, eq=False)
class Prices:
    """The cost of each running word: bits by Kneser-Ney and by Witten-Bell, and its bytes.

    `escaped` are those of its bytes that escapes spell, `lost` those that events do not give back.
    """

    bits: Floats
    witten_bell: Floats
    size: Ints
    escaped: Ints
    lost: Ints


@dataclass(frozen=True)
class Pricing:
    """Prices a segmentation under models of the training text, of a given or the best order.

    The seed draws the lines held back; fitting may take about so many MB of `memory`.
    """

    training: TrainingLines
    order: int | None
    memory: int
    seed: int

    def __call__(self, segmentation: Segmentation) -> Prices:
        """Return the prices; raises UsageError where a model needs more memory."""
        training = self.training
        known = training.once(TrainingEvents(segmentation.vocabulary))
        check_memory(len(known.lines.events), self.memory)
        best = BestOrder(self.seed, known)
        order = self.order or training.once(best).order
        text = event_text(known.events, segmentation.words, training.cut)
        spelled = spelling_bits(text.texts, training, self.seed)
        stream = Stream.of(text.lines)
        models = probabilities(Stream.of(known.lines), order, known.base, stream)
        ours, other = (_by_word(text, of_model[stream.depth > 0], spelled) for of_model in models)
        lengths = np.array([*map(len, text.texts), 0])
        escaped = np.bincount(text.word, lengths[text.spelled], len(text.size))
        return Prices(ours, other, text.size, escaped.astype(np.int64), text.size * text.lost)

    def chosen(self) -> ChosenOrder:
        """Return the order that a text was priced with, where none is given."""
        if self.order is not None:
            return ChosenOrder(self.order)
        return self.training.once(BestOrder(self.seed))


class KnownEvents(NamedTuple):
    """The training text as events, the bytes of each line, and the base distribution."""

    events: Events
    lines: Lines
    size: Ints
    base: Floats


@dataclass(frozen=True)
class TrainingEvents:
    """Cuts the training text into events, once for all texts and options."""

    vocabulary: Vocabulary = field(compare=False)

    def __call__(self, training: TrainingLines) -> KnownEvents:
        """Return what a model is fitted on."""
        events = Events.of(self.vocabulary, training)
        learned = event_text(events, training.words, training.cut)
        # A share of the training text has words that do not stand in it.
        escapes_seen = bool((learned.spelled >= 0).any())
        return KnownEvents(events, learned.lines, learned.line_size, events.base(escapes_seen))


@dataclass(frozen=True)
class BestOrder:
    """Chooses the order for a training text."""

    seed: int
    known: "KnownEvents | None" = field(default=None, compare=False)

    def __call__(self, training: TrainingLines) -> ChosenOrder:
        """Return the order, and the bits of lines held back."""
        assert self.known is not None  # a text was priced before, and its order is kept
        return choose_order(self.known.lines, self.known.size, self.known.base, self.seed)


def check_memory(events: int, memory: int) -> None:
    """Raise UsageError if a model of so many events needs more than so many MB, about."""
    needed = EVENT_BYTES * events / 1e6
    if needed > memory:
        raise UsageError(
            f"a model of {events:,} tokens and boundaries takes about {needed:,.0f} MB, more than "
            f"`memory: {memory}`: {int(memory * 1e6 / EVENT_BYTES):,} of them would fit"
        )


def _by_word(text: EventText, probability: Floats, spelled: Floats) -> Floats:
    """Add up the bits of each running word, those of spelled bytes included."""
    total = spelled[text.spelled] - np.log2(probability)
    return np.bincount(text.word, total, len(text.size)).astype(np.float64)


def spelling_bits(texts: Sequence[bytes], training: TrainingLines, seed: int) -> Floats:
    """Return the bits that spelling each text takes, and 0 at the end for what is not spelled."""
    if not texts:
        return np.zeros(1)
    words = training.words
    distinct = (words.text[number] for number in np.unique(words.order).tolist())
    known = _spelled_lines([word.encode("utf-8", "surrogatepass") for word in distinct])
    base = np.full(END + 1, 1 / (END + 1))
    order = choose_order(known, np.diff(known.row), base, seed).order
    asked = Stream.of(_spelled_lines(texts))
    probability, _ = probabilities(Stream.of(known), order, base, asked)
    return np.append(np.add.reduceat(-np.log2(probability), np.flatnonzero(asked.depth == 0)), 0.0)


def _spelled_lines(texts: Sequence[bytes]) -> Lines:
    size = np.array([*map(len, texts)], dtype=np.int64) + 1
    row = np.append(0, np.cumsum(size))
    events = np.full(row[-1], END, dtype=np.int32)
    inside = np.ones(len(events), dtype=bool)
    inside[row[1:] - 1] = False
    events[inside] = np.frombuffer(b"".join(texts), dtype=np.uint8)
    return Lines(events, row, END + 1)
