"""The scores of tokens, and how SentencePiece's `.vocab` spells them."""

from collections.abc import Mapping
from math import isfinite

from tokbench.api import InputError, Vocabulary


def scores_of(vocabulary: Vocabulary, form: str) -> list[float] | None:
    """Return each token's score, 0 where it has none; None for a vocabulary without scores.

    Raises InputError for a score that is no finite number.
    """
    given = vocabulary.extra.get("scores")
    if not isinstance(given, Mapping):
        return None
    scores = [given.get(token, 0) for token in vocabulary.tokens]
    for token, score in zip(vocabulary.tokens, scores, strict=True):
        if not isinstance(score, int | float) or not isfinite(score):
            shown = vocabulary.show(token)
            raise InputError(
                f"{form}: the score of {shown!r:.80} is {score!r:.80}, expected a number"
            )
    return [float(score) for score in scores]


def spelled_scores(vocabulary: Vocabulary, form: str) -> list[str]:
    """Spell the scores of a Unigram vocabulary with a decimal point, others as whole numbers.

    Where they are no ranks, those are 0, -1, -2, ... by rank, then the letters that nothing builds.
    """
    scores = scores_of(vocabulary, form)
    if scores is not None and _is_unigram(vocabulary):
        return [_pointed(score) for score in scores]
    if scores is None or not all(score.is_integer() for score in scores):
        return [str(rank) for rank in _by_rank(vocabulary)]
    return [str(int(score)) for score in scores]


def is_rank(spelled: str) -> bool:
    """Return whether a score is spelled as a whole number; ranks from a million on are -1e+06."""
    return "." not in spelled and float(spelled).is_integer()


def _by_rank(vocabulary: Vocabulary) -> list[int]:
    unranked = vocabulary.unproduced | set(vocabulary.bytes)
    learned = dict.fromkeys(vocabulary.products)
    others = [t for i, t in enumerate(vocabulary.tokens) if t not in learned and i not in unranked]
    ranks = {token: -rank for rank, token in enumerate([*learned, *others])}
    return [ranks.get(token, 0) for token in vocabulary.tokens]


def _is_unigram(vocabulary: Vocabulary) -> bool:
    """Return whether scores are logarithms; of SentencePiece's models only BPE's have merges."""
    use = vocabulary.segmenter.get("use")
    return use == "unigram" or (use != "bpe" and not vocabulary.learned)


def _pointed(score: float) -> str:
    """Write a score with a decimal point, which Python leaves out in 1e-05."""
    text = str(score)
    return text if "." in text else text.replace("e", ".0e")
