"""The choice of a model's order: the best on lines that are held back from the training text."""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from tokbench_lm.model import held_back_bits
from tokbench_lm.ngrams import Flags, Floats, Ints, Lines, Stream

BLOCK = 200
"""Lines that are held back together, since neighbours are alike."""

TENTH = 10
"""One block in so many is held back; fewer lines cannot be parted so."""

MOST = 16
PATIENCE = 3
"""The order is raised until so many orders in a row do not improve."""


@dataclass(frozen=True)
class ChosenOrder:
    """The order of the fewest bits, and the bits per byte of lines held back at order 1, 2, ...

    A text of fewer than ten lines has order 1, and no such numbers.
    """

    order: int
    held_back: tuple[float, ...] = ()


def choose_order(lines: Lines, size: Ints, base: Floats, seed: int) -> ChosenOrder:
    """Fit models of each order on nine tenths of a text, and take the best on the rest.

    `size` holds the bytes of each line. The seed draws blocks of 200 lines, or of a tenth of a
    short text.
    """
    if len(lines) < TENTH:
        return ChosenOrder(1)
    held = held_back(len(lines), seed)
    counted, rest = Stream.of(lines.where(~held)), Stream.of(lines.where(held))
    found: list[float] = []
    for bits in islice(held_back_bits(counted, rest, base), MOST):
        found.append(bits / float(size[held].sum()))
        if len(found) - 1 - int(np.argmin(found)) == PATIENCE:
            break
    return ChosenOrder(int(np.argmin(found)) + 1, tuple(found))


def held_back(lines: int, seed: int) -> Flags:
    """Return whether each line is held back: one block in ten."""
    block = np.arange(lines) // min(BLOCK, lines // TENTH)
    many = int(block[-1]) + 1
    drawn = np.random.default_rng(seed).permutation(many)[: max(many // TENTH, 1)]
    return np.isin(block, drawn)
