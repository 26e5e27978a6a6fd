"""From the words to the tokens and their scores: the loop of improving and pruning.

Source: Kudo (2018), section 3.2, who gives up the tokens without which the likelihood falls least.
As that is too much to compute for each, it is estimated as SentencePiece does: without a token,
every place where it stands in a best segmentation is written by the best other tokens for it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from tokbench_bpe.textbook import Corpus

from tokbench_unigram.lattice import Floats, Lattice
from tokbench_unigram.model import Model
from tokbench_unigram.pieces import seeds

if TYPE_CHECKING:
    from tokbench_unigram.learner import Unigram

MARGIN = 1.1
"""By how much pruning by loss stays above the size; the last tokens go by their scores."""


def train(corpus: Corpus, alphabet: Sequence[str], number: int, rules: "Unigram") -> Model:
    """Learn so many tokens beside the alphabet, or fewer where there are not so many seeds."""
    longest = rules.max_length
    tried = seeds(corpus, rules.seeds, longest, rules.min_seed_count, rules.seed_size)
    model = Model.of(corpus, alphabet, tried, longest)
    goal = len(alphabet) + number
    while True:
        model = improve(model, goal, rules)
        if len(model.tokens) <= int(MARGIN * goal):
            return improve(most_probable(model, goal), goal, rules)
        model = prune(model, rules.shrinking_factor, int(MARGIN * goal))


def improve(model: Model, goal: int, rules: "Unigram") -> Model:
    """Do the rounds of expectation and maximisation that follow each pruning."""
    return model.improve(rules.sub_iterations, rules.bayesian, rules.min_expected_count, goal)


def most_probable(model: Model, number: int) -> Model:
    """Keep the alphabet and the tokens with the highest scores."""
    order = np.argsort(-model.scores[model.required :], kind="stable") + model.required
    kept = np.concatenate((np.arange(model.required), order))[:number]
    return model.take(np.sort(kept))


def prune(model: Model, shrinking_factor: float, fewest: int) -> Model:
    """Keep this share of the tokens, but at least the `fewest`: those with the highest losses.

    Tokens that no best segmentation holds are given up even where that leaves a smaller share.
    """
    loss = losses(model)
    used = int(np.count_nonzero(loss > -np.inf))
    number = max(fewest, min(used, int(shrinking_factor * len(model.tokens))))
    kept = np.argsort(-loss, kind="stable")[:number]
    return model.take(np.sort(kept))


def losses(model: Model) -> Floats:
    """Estimate by how much the log likelihood falls without each token.

    It is infinite for those that always stay, and minus infinity for those that are not used.
    """
    names = list(model.tokens)
    numbers = {name: number for number, name in enumerate(names)}
    several = [model.tokens[name] for name in names[model.required :]]
    longest = max(map(len, several), default=1)
    others = Lattice.of(several, numbers, longest, whole_words=False)
    _, row, parts = others.best(model.scores)
    count = model.best_counts()
    own, total = count[model.required :], count.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.log(own) - np.log(total)
        # Each place of a token becomes as many places as it has parts, and these are more frequent.
        new_total = np.log(total + own * (np.bincount(row, minlength=len(own)) - 1))
        new_shares = np.log(count[parts] + own[row]) - new_total[row]
        fall = own * (share - np.bincount(row, new_shares, len(own)))
    return np.concatenate((np.full(model.required, np.inf), np.where(own == 0, -np.inf, fall)))
