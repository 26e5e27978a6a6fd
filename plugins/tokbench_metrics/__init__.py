"""The metrics of OOV, length, vocabulary use, entropy and noise; NumPy loads when they count."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_metrics() -> Mapping[str, str]:
    """Return the metrics, coverage first, in the order in which reports show them."""
    return {
        "round-trip": "tokbench_metrics.oov:RoundTrip",
        "round-trip-text": "tokbench_metrics.text:RoundTripText",
        "unseen-words-running": "tokbench_metrics.oov:UnseenWordsRunning",
        "unseen-words-distinct": "tokbench_metrics.oov:UnseenWordsDistinct",
        "oov-words-running": "tokbench_metrics.oov:OovWordsRunning",
        "oov-words-distinct": "tokbench_metrics.oov:OovWordsDistinct",
        "unknown-tokens": "tokbench_metrics.oov:UnknownTokens",
        "unknown-characters": "tokbench_metrics.oov:UnknownCharacters",
        "kept-whole-running": "tokbench_metrics.oov:KeptWholeRunning",
        "kept-whole-distinct": "tokbench_metrics.oov:KeptWholeDistinct",
        "continued-words": "tokbench_metrics.oov:ContinuedWords",
        "single-characters": "tokbench_metrics.length:SingleCharacters",
        "split-characters": "tokbench_metrics.length:SplitCharacters",
        "tokens": "tokbench_metrics.length:TokenTotal",
        "fertility": "tokbench_metrics.length:Fertility",
        "shared-tokens": "tokbench_metrics.context:SharedTokens",
        "outside-tokens": "tokbench_metrics.context:OutsideTokens",
        "parity": "tokbench_metrics.context:Parity",
        "chars-per-token": "tokbench_metrics.length:CharsPerToken",
        "bytes-per-token": "tokbench_metrics.length:BytesPerToken",
        "text-tokens": "tokbench_metrics.text:TextTokens",
        "text-bytes-per-token": "tokbench_metrics.text:TextBytesPerToken",
        "nsl": "tokbench_metrics.text:NormalisedSequenceLength",
        "attention-cost": "tokbench_metrics.length:AttentionCost",
        "vocabulary-use": "tokbench_metrics.vocabulary:VocabularyUse",
        "token-length": "tokbench_metrics.vocabulary:TokenLength",
        "renyi-efficiency-declared": "tokbench_metrics.entropy:RenyiEfficiencyDeclared",
        "renyi-efficiency-observed": "tokbench_metrics.entropy:RenyiEfficiencyObserved",
        "shannon-efficiency-declared": "tokbench_metrics.entropy:ShannonEfficiencyDeclared",
        "shannon-efficiency-observed": "tokbench_metrics.entropy:ShannonEfficiencyObserved",
        "token-edit-distance": "tokbench_metrics.pairs:TokenEditDistance",
        "boundary-flips": "tokbench_metrics.pairs:BoundaryFlips",
        "fertility-change": "tokbench_metrics.pairs:FertilityChange",
        "lost-whole": "tokbench_metrics.pairs:LostWhole",
        "new-unknown-characters": "tokbench_metrics.pairs:NewUnknownCharacters",
    }
