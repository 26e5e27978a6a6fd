"""The built-in metrics, offered through the same hook as anybody's; NumPy loads when they count."""

from collections.abc import Mapping

from tokbench.api import Metric, hookimpl
from tokbench.metrics import boundaries, context, entropy, length, oov, vocabulary


@hookimpl
def tokbench_metrics() -> Mapping[str, type[Metric]]:
    """Return the built-in metrics, coverage first, in the order in which reports show them."""
    return {
        "round-trip": oov.RoundTrip,
        "unseen-words-running": oov.UnseenWordsRunning,
        "unseen-words-distinct": oov.UnseenWordsDistinct,
        "oov-words-running": oov.OovWordsRunning,
        "oov-words-distinct": oov.OovWordsDistinct,
        "unknown-tokens": oov.UnknownTokens,
        "unknown-characters": oov.UnknownCharacters,
        "kept-whole-running": oov.KeptWholeRunning,
        "kept-whole-distinct": oov.KeptWholeDistinct,
        "single-characters": length.SingleCharacters,
        "tokens": length.TokenTotal,
        "fertility": length.Fertility,
        "shared-tokens": context.SharedTokens,
        "outside-tokens": context.OutsideTokens,
        "parity": context.Parity,
        "chars-per-token": length.CharsPerToken,
        "bytes-per-token": length.BytesPerToken,
        "attention-cost": length.AttentionCost,
        "vocabulary-use": vocabulary.VocabularyUse,
        "token-length": vocabulary.TokenLength,
        "renyi-efficiency-declared": entropy.RenyiEfficiencyDeclared,
        "renyi-efficiency-observed": entropy.RenyiEfficiencyObserved,
        "shannon-efficiency-declared": entropy.ShannonEfficiencyDeclared,
        "shannon-efficiency-observed": entropy.ShannonEfficiencyObserved,
        "boundary-precision-micro": boundaries.BoundaryPrecisionMicro,
        "boundary-recall-micro": boundaries.BoundaryRecallMicro,
        "boundary-f1-micro": boundaries.BoundaryF1Micro,
        "boundary-precision-bpr": boundaries.BoundaryPrecisionBpr,
        "boundary-recall-bpr": boundaries.BoundaryRecallBpr,
        "boundary-f1-bpr": boundaries.BoundaryF1Bpr,
        "exact-match": boundaries.ExactMatch,
    }
