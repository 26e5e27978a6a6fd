"""The learner `unigram`: its options, and the vocabulary that they give."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field
from tokbench_bpe.alphabet import Alphabet, beside, letter_counts
from tokbench_bpe.textbook import Corpus

from tokbench.api import (
    BeginMark,
    ContinuationMark,
    EndMark,
    Learned,
    Learner,
    Marks,
    Size,
    Vocabulary,
)
from tokbench_unigram.pieces import Seeds


class Unigram(Learner):
    """The unigram language model: tokens with probabilities, pruned from very many pieces of words.

    Each token has a probability of its own. The probability of a segmentation is the product of
    those of its tokens. Expectation and maximisation fit them to the training words. Then pruning
    removes the tokens that change the probability of these words least. Both repeat until the size
    is reached. The alphabet always stays. Each size is learned separately; `cut` keeps the tokens
    with the highest scores. `learned` holds tokens by falling score (equal scores by code points)
    with their count in the best segmentations of the training words. `extra` holds the score of
    each token, the natural logarithm of its probability, under `scores`.

    Source: Kudo (2018), Subword Regularization: Improving Neural Network Translation Models with
    Multiple Subword Candidates, section 3.2.
    """

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
    bow: BeginMark = Field(
        BeginMark(kind="separate"), description="the mark at the beginning of a word"
    )
    eow: EndMark = Field(EndMark(), description="the mark at the end of a word")
    continuation: ContinuationMark = Field(
        ContinuationMark(), description="the mark of what does not begin a word"
    )
    alphabet: Alphabet = Field(Alphabet(), description="the symbols that are always kept")

    @property
    def marks(self) -> Marks:
        """The marks that the options ask for."""
        return Marks(bow=self.bow, eow=self.eow, continuation=self.continuation)

    order_free: ClassVar[bool] = True  # words are sorted before anything is added up

    def check_size(self, words: Mapping[str, int], size: Size) -> None:
        """Raise SizeError where a total size is below the alphabet."""
        self.alphabet.within(size, letter_counts(words), self.marks)

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn as many tokens as asked for, or fewer where the words hold no more pieces.

        Raises SizeError where a total size is below the alphabet.
        """
        # NumPy stays off the start-up path.
        from tokbench_unigram.training import train

        marks, ordered = self.marks, dict(sorted(words.items()))
        alphabet = self.alphabet.within(size, letter_counts(ordered), marks)
        corpus = Corpus.spell(ordered, marks, alphabet)
        model = train(corpus, alphabet, beside(alphabet, size), self)
        scores = dict(zip(model.tokens, model.scores.tolist(), strict=True))
        counts = dict(zip(model.tokens, model.best_counts().tolist(), strict=True))
        several = list(scores)[len(alphabet) :]
        several.sort(key=lambda token: (-scores[token], token))
        return Vocabulary.build(
            alphabet,
            [Learned((token,), int(counts[token])) for token in several],
            marks=marks,
            segmenter={"use": "unigram"},
            extra={"scores": scores},
        )
