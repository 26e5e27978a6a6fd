"""Byte pair encoding in its textbook variants; longest match and fewest tokens for any vocabulary.

Learning: `textbook.py`, the plain loop, is the place to begin; `learner.py` has the options,
`alphabet.py` the letters and their numbers, `indexed.py` the fast learner with the same merges.
Segmenting: `segmenters.py` has the options, `merging.py`, `matching.py` and `fewest.py` how each
of them cuts. `kernels/` holds the C sources of `_learn` and `_segment`, which do the same work
faster; `learner.py` and `states.py` call them.

`apart.py` makes the words that settle whether a token is reachable.

Other plugins may build on the learner `Bpe`, the segmenter `BpeRank` with its `Merges`, the `Trie`
of `matching.py`, and `words_apart`.
"""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learner `bpe`."""
    return {"bpe": "tokbench_bpe.learner:Bpe"}


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenters `bpe`, `bpe-learned-order`, `longest-match` and `fewest-tokens`."""
    return {
        "bpe": "tokbench_bpe.segmenters:BpeRank",
        "bpe-learned-order": "tokbench_bpe.segmenters:BpeLearnedOrder",
        "longest-match": "tokbench_bpe.segmenters:LongestMatch",
        "fewest-tokens": "tokbench_bpe.segmenters:FewestTokens",
    }
