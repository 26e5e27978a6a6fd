"""From the words to the tokens and their scores: the loop of improving and pruning."""

from collections.abc import Sequence

import numpy as np
from tokbench_bpe.textbook import Corpus

from tokbench_unigram.model import Model
from tokbench_unigram.options import Rules
from tokbench_unigram.pieces import seeds
from tokbench_unigram.pruning import prune

MARGIN = 1.1
"""By how much pruning by loss stays above the size; the last tokens go by their scores."""


def train(corpus: Corpus, alphabet: Sequence[str], number: int, rules: Rules) -> Model:
    """Learn so many tokens beside the alphabet, or fewer where there are not so many seeds."""
    longest = rules.max_length
    found = seeds(corpus, rules.seeds, longest, rules.min_seed_count, rules.seed_size)
    model = Model.of(corpus, alphabet, found, longest)
    goal = len(alphabet) + number
    while True:
        model = improve(model, goal, rules)
        if len(model.tokens) <= int(MARGIN * goal):
            return improve(most_probable(model, goal), goal, rules)
        model = prune(model, rules.shrinking_factor, int(MARGIN * goal))


def improve(model: Model, goal: int, rules: Rules) -> Model:
    """Do the rounds of expectation and maximisation that follow each pruning."""
    return model.improve(rules.sub_iterations, rules.bayesian, rules.min_expected_count, goal)


def most_probable(model: Model, number: int) -> Model:
    """Keep the alphabet and the tokens with the highest scores."""
    order = np.argsort(-model.scores[model.required :], kind="stable") + model.required
    kept = np.concatenate((np.arange(model.required), order))[:number]
    return model.take(np.sort(kept))
