"""The statistics of a vocabulary size: how the tokens of the training text are distributed.

Gowda and May (2020) see each token as a class that a model must learn to predict: classes should
be balanced, and nearly all of them frequent. Xu et al. (2021) weigh how much less each character
of the text has to say, in entropy, against the tokens that a larger vocabulary adds.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tokbench.api import Marks, Vocabulary
from tokbench.api.segmentation import token_lengths
from tokbench.api.words import Ints
from tokbench.cut.training import by_class
from tokbench.run_folder.tables import SizeStatistics, size_number

RARE = 10


def size_statistics(
    system: str, measured: Iterable[tuple[str, Vocabulary, Ints]]
) -> tuple[SizeStatistics, ...]:
    """Return the statistics of one system by size from (size, vocabulary, counts by id)."""
    rows: list[SizeStatistics] = []
    for size, vocabulary, counts in sorted(measured, key=lambda item: size_number(item[0])):
        length, classes = mean_length(vocabulary), by_class(vocabulary, counts)
        row = SizeStatistics(
            system=system,
            size=size,
            vocabulary_size=vocabulary.size,
            tokens=int(counts.sum()),
            class_imbalance=class_imbalance(classes),
            frequency_95=frequency_95(classes),
            token_length=length,
            entropy=entropy(classes, length),
            rare=rare(vocabulary, counts),
        )
        rows.append(replace(row, muv=muv(rows[-1], row)) if rows else row)
    return tuple(rows)


def class_imbalance(counts: Ints) -> float | None:
    """Return D = 1/2 sum over the K classes of |share - 1/K|: 0 where all are equally frequent.

    Gowda and May 2020: the total variation distance from the uniform distribution, below 1.
    """
    total = int(counts.sum())
    if not total:
        return None
    return float(0.5 * np.abs(counts / total - 1 / len(counts)).sum())


def frequency_95(counts: Ints) -> int | None:
    """Return F95%, the least count among the 95 % of classes that are most frequent.

    Of K classes these are the ceil(0.95 K) first by falling count (Gowda and May 2020, who find
    the largest size at which it is 100 or more a good choice for translation).
    """
    if not counts.sum():
        return None
    left_out = len(counts) // 20  # in whole numbers, since 0.95 has no exact binary form
    return int(np.sort(counts)[left_out])


def rare(vocabulary: Vocabulary, counts: Ints) -> float | None:
    """Return the share of learned tokens that occur fewer than ten times in the training text.

    A model sees such a token too seldom to learn it. Bytes and single characters are needed for
    text that is not there, and parts of longer tokens for building these: both do not count. The
    limit of ten is our choice.
    """
    parts = {
        part for item, token in zip(vocabulary.learned, vocabulary.products, strict=True)
        for part in item.parts if part != token
    }  # fmt: skip
    needed = {*vocabulary.alphabet, *parts}
    learned = [
        i
        for i, token in enumerate(vocabulary.tokens)
        if token not in needed
        and len(Marks.strip(token)) > 1
        and i not in vocabulary.bytes
        and i not in vocabulary.unproduced
    ]
    return float((counts[learned] < RARE).mean()) if learned else None


def mean_length(vocabulary: Vocabulary) -> float | None:
    """Return the mean length in characters of the tokens of a vocabulary, each counted once.

    Of `token_lengths`, without tokens that are never produced.
    """
    lengths = np.delete(token_lengths(vocabulary), [*vocabulary.unproduced])
    return float(lengths.mean()) if len(lengths) else None


def entropy(counts: Ints, length: float | None) -> float | None:
    """Return H = -1/l sum of p ln p in nats, l the mean token length (Xu et al. 2021)."""
    total = int(counts.sum())
    if not total or not length:
        return None
    shares = counts[counts > 0] / total
    return float(-(shares * np.log(shares)).sum() / length)


def muv(before: SizeStatistics, after: SizeStatistics) -> float | None:
    """Return MUV = -(H_after - H_before) / m, where m tokens were added (Xu et al. 2021).

    None where no token was added, since the training text allowed no more.
    """
    added = after.vocabulary_size - before.vocabulary_size
    if before.entropy is None or after.entropy is None or added < 1:
        return None
    return (before.entropy - after.entropy) / added
