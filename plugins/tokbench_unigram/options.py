"""How a unigram model is learned: the options that decide which tokens stay."""

from pydantic import Field

from tokbench.api import Learner
from tokbench_unigram.pieces import Seeds


class Rules(Learner):
    """The options of seeds, expectation, maximisation and pruning."""

    max_length: int = Field(
        16, ge=1, description="the most symbols of a token, a mark of its own among them"
    )
    seeds: Seeds = Field(
        "all",
        description="which pieces of words are tried as tokens: `all` frequent ones, or, as in"
        " SentencePiece, only `branching` ones, which do not always continue in the same way; a"
        " whole word is then tried only if a longer word begins with it",
    )
    min_seed_count: int = Field(
        2, ge=1, description="how often a piece of words must occur to be tried as a token"
    )
    seed_size: int = Field(
        1_000_000,
        ge=1,
        description="the most pieces that are tried; pieces that cover more text come first",
    )
    sub_iterations: int = Field(
        2, ge=1, description="rounds of expectation and maximisation after each pruning"
    )
    shrinking_factor: float = Field(
        0.75, gt=0, lt=1, description="the share of the tokens that a pruning keeps"
    )
    bayesian: bool = Field(
        True,
        description="maximise under a sparse prior, as SentencePiece does; else by share alone",
    )
    min_expected_count: float = Field(
        0.5,
        gt=0,
        description="drop tokens expected less often than this, unless the size needs them",
    )
