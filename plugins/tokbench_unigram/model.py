"""The unigram model while it is learned: its tokens, and expectation and maximisation.

Source: Kudo (2018), Subword Regularization, section 3.2. What the paper leaves open (the prior,
the threshold of rare tokens) is as in SentencePiece, `unigram_model_trainer.cc`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from tokbench_bpe.textbook import Corpus

from tokbench_unigram.lattice import Floats, Ints, Lattice
from tokbench_unigram.pieces import Symbols

GRID = 2.0**24
"""Scores are multiples of 1 / GRID, which doubles add up without rounding; so a tie is a tie."""


@dataclass(frozen=True, eq=False)
class Model:
    """Tokens, each as its symbols, and their log probabilities; the first `required` always stay.

    `words` are the ways to write the training words, and `counts` how often these occur.
    """

    tokens: Mapping[str, Symbols]
    scores: Floats
    required: int
    words: Lattice
    counts: Floats

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        alphabet: Iterable[str],
        seeds: Mapping[str, tuple[int, Symbols]],
        longest: int,
    ) -> "Model":
        """Begin with the alphabet and the seeds, as probable as they make up much text."""
        letters: Counter[str] = Counter()
        for symbols, count in zip(corpus.words, corpus.counts, strict=True):
            for symbol in symbols:
                letters[symbol] += count
        tokens: dict[str, Symbols] = {symbol: (symbol,) for symbol in alphabet}
        required = len(tokens)
        text = [*map(letters.__getitem__, tokens), *(text for text, _ in seeds.values())]
        tokens.update({token: tuple(symbols) for token, (_, symbols) in seeds.items()})
        numbers = {token: number for number, token in enumerate(tokens)}
        return cls(
            tokens,
            log_shares(np.maximum(np.array(text, np.float64), 1.0)),
            required,
            Lattice.of(corpus.words, numbers, longest, corpus.blocked),
            np.array(corpus.counts, np.float64),
        )

    def take(self, kept: Ints) -> "Model":
        """Keep the tokens of these numbers, which rise."""
        renumber = np.full(len(self.tokens), -1)
        renumber[kept] = np.arange(len(kept))
        names = list(self.tokens)
        return replace(
            self,
            tokens={names[i]: self.tokens[names[i]] for i in kept.tolist()},
            scores=self.scores[kept],
            words=self.words.keep(renumber),
        )

    def improve(self, rounds: int, bayesian: bool, threshold: float, fewest: int) -> "Model":
        """Do some rounds of expectation and maximisation.

        Tokens expected less often than the threshold are dropped, the least expected first, while
        there are more than the `fewest`; those that stay are as probable as if expected so often.
        """
        model = self
        for _ in range(rounds):
            expected = model.words.expect(model.scores, model.counts)
            rare = np.flatnonzero(expected[model.required :] < threshold) + model.required
            rare = rare[np.argsort(expected[rare], kind="stable")]
            dropped = rare[: max(len(model.tokens) - fewest, 0)]
            kept = np.setdiff1d(np.arange(len(model.tokens)), dropped)
            model = model.take(kept) if len(dropped) else model
            expected = np.maximum(expected[kept], threshold)
            scores = log_shares_by_prior(expected) if bayesian else log_shares(expected)
            model = replace(model, scores=np.round(scores * GRID) / GRID)
        return model

    def best_counts(self) -> Floats:
        """Count how often each token stands in the best segmentations of the training words."""
        _, words, tokens = self.words.best(self.scores)
        return np.bincount(tokens, self.counts[words], len(self.tokens)).astype(np.float64)


def log_shares(counts: Floats) -> Floats:
    """Return the logarithm of each count's share of all."""
    shares: Floats = np.log(counts / counts.sum())
    return shares


def log_shares_by_prior(counts: Floats) -> Floats:
    """Return what takes the place of log shares under a sparse prior: rare tokens get less.

    Source: Liang and Klein (2007), Structured Bayesian Nonparametric Models with Variational
    Inference; SentencePiece does the same.
    """
    if not len(counts):
        return counts
    return digamma(counts) - digamma(counts.sum(keepdims=True))


def digamma(x: Floats) -> Floats:
    """Return the derivative of the log gamma function, for x above 0.

    It rises by 1/x from x to x + 1; above 10 its asymptotic series is exact to 12 digits.
    Source: Abramowitz and Stegun (1964), 6.3.5 and 6.3.18.
    """
    below = np.zeros_like(x)
    while (small := x < 10).any():
        below += np.where(small, 1 / x, 0)
        x = np.where(small, x + 1, x)
    inverse = 1 / (x * x)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse / 240)))
    return np.log(x) - 0.5 / x - series - below
