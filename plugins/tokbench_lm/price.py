"""The bits that each running word of a text costs under models of the training text."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tokbench.api import Segmentation, TrainingLines
from tokbench_lm.events import Events, EventText, event_text
from tokbench_lm.model import CountModel, fit
from tokbench_lm.ngrams import Floats, Ints, Lines, Stream
from tokbench_lm.order import ChosenOrder, choose_order

END = 256
"""The event that ends spelled bytes."""


@dataclass(frozen=True, eq=False)
class Prices:
    """What each running word costs: bits by Kneser-Ney and by Witten-Bell, and its bytes.

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
        """Return the prices; raises UsageError where the models need more memory."""
        training = self.training
        events = Events.of(segmentation.vocabulary, training.in_context)
        learned = event_text(events, training.words, training.cut)
        base = events.base(bool(learned.texts))
        best = BestOrder(self.memory, self.seed)
        order = self.order or training.once(replace(best, known=(learned, base))).order
        models = fit(Stream.of(learned.lines), order, base, self.memory)
        text = event_text(events, segmentation.words, training.cut)
        stream, spelled = Stream.of(text.lines), _spelling_bits(text.texts, training, self.seed)
        ours, other = (_by_word(text, model, stream, spelled) for model in models)
        lengths = np.array([*map(len, text.texts), 0])
        escaped = np.bincount(text.word, lengths[text.spelled], len(text.size))
        return Prices(ours, other, text.size, escaped.astype(np.int64), text.size * text.lost)

    def chosen(self) -> ChosenOrder:
        """Return the order that a text was priced with, where none is given."""
        if self.order is not None:
            return ChosenOrder(self.order)
        return self.training.once(BestOrder(self.memory, self.seed))


@dataclass(frozen=True)
class BestOrder:
    """Chooses the order for a training text: `known` holds its events and base distribution."""

    memory: int
    seed: int
    known: tuple[EventText, Floats] | None = field(default=None, compare=False)

    def __call__(self, training: TrainingLines) -> ChosenOrder:
        """Return the order, and the bits of lines held back."""
        assert self.known is not None  # a text was priced before, and its order is kept
        text, base = self.known
        return choose_order(text.lines, text.line_size, base, self.seed, self.memory)


def _by_word(text: EventText, model: CountModel, stream: Stream, spelled: Floats) -> Floats:
    """Add up the bits of each running word, those of spelled bytes included."""
    bits = -np.log2(model.probabilities(stream)[stream.depth > 0])
    total = bits + spelled[text.spelled]
    return np.bincount(text.word, total, len(text.size)).astype(np.float64)


def _spelling_bits(texts: Sequence[bytes], training: TrainingLines, seed: int) -> Floats:
    """Return the bits that spelling each text takes, and 0 at the end for what is not spelled."""
    if not texts:
        return np.zeros(1)
    known = _spelled_lines([w.encode("utf-8", "surrogatepass") for w in training.words.text])
    base = np.full(END + 1, 1 / (END + 1))
    best = choose_order(known, np.diff(known.row), base, seed, None).order
    model, _ = fit(Stream.of(known), best, base, None)
    lines = _spelled_lines(texts)
    stream = Stream.of(lines)
    bits = -np.log2(model.probabilities(stream)[stream.depth > 0])
    return np.append(np.add.reduceat(bits, lines.row[:-1]), 0.0)


def _spelled_lines(texts: Sequence[bytes]) -> Lines:
    size = np.array([*map(len, texts)], dtype=np.int64) + 1
    row = np.append(0, np.cumsum(size))
    events = np.full(row[-1], END, dtype=np.int32)
    inside = np.ones(len(events), dtype=bool)
    inside[row[1:] - 1] = False
    events[inside] = np.frombuffer(b"".join(texts), dtype=np.uint8)
    return Lines(events, row, END + 1)
