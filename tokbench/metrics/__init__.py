"""The built-in metrics, offered through the same hook as anybody's; NumPy loads when they count."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_metrics() -> Mapping[str, str]:
    """Return the built-in metrics, coverage first, in the order in which reports show them."""
    return {
        "round-trip": "tokbench.metrics.oov:RoundTrip",
        "unseen-words-running": "tokbench.metrics.oov:UnseenWordsRunning",
        "unseen-words-distinct": "tokbench.metrics.oov:UnseenWordsDistinct",
        "oov-words-running": "tokbench.metrics.oov:OovWordsRunning",
        "oov-words-distinct": "tokbench.metrics.oov:OovWordsDistinct",
        "unknown-tokens": "tokbench.metrics.oov:UnknownTokens",
        "unknown-characters": "tokbench.metrics.oov:UnknownCharacters",
        "kept-whole-running": "tokbench.metrics.oov:KeptWholeRunning",
        "kept-whole-distinct": "tokbench.metrics.oov:KeptWholeDistinct",
        "single-characters": "tokbench.metrics.length:SingleCharacters",
        "split-characters": "tokbench.metrics.length:SplitCharacters",
        "tokens": "tokbench.metrics.length:TokenTotal",
        "fertility": "tokbench.metrics.length:Fertility",
        "shared-tokens": "tokbench.metrics.context:SharedTokens",
        "outside-tokens": "tokbench.metrics.context:OutsideTokens",
        "parity": "tokbench.metrics.context:Parity",
        "chars-per-token": "tokbench.metrics.length:CharsPerToken",
        "bytes-per-token": "tokbench.metrics.length:BytesPerToken",
        "attention-cost": "tokbench.metrics.length:AttentionCost",
        "vocabulary-use": "tokbench.metrics.vocabulary:VocabularyUse",
        "token-length": "tokbench.metrics.vocabulary:TokenLength",
        "renyi-efficiency-declared": "tokbench.metrics.entropy:RenyiEfficiencyDeclared",
        "renyi-efficiency-observed": "tokbench.metrics.entropy:RenyiEfficiencyObserved",
        "shannon-efficiency-declared": "tokbench.metrics.entropy:ShannonEfficiencyDeclared",
        "shannon-efficiency-observed": "tokbench.metrics.entropy:ShannonEfficiencyObserved",
    }
