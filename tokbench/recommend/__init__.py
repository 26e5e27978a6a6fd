"""What a run recommends: a system and its size, by the rules of docs/reference/answer.md.

It is values; sentences are made of them elsewhere. What cannot be decided is None or empty.
"""

from tokbench.recommend.decision import barred_systems, rank_by_gold, recommend
from tokbench.recommend.eligible import ALL_TOKENS, LENGTH
from tokbench.recommend.values import Barred, Beside, Ranking, Recommendation, SizeChoice
from tokbench.sizes.statistics import RARE

__all__ = [
    "ALL_TOKENS",
    "LENGTH",
    "RARE",
    "Barred",
    "Beside",
    "Ranking",
    "Recommendation",
    "SizeChoice",
    "barred_systems",
    "rank_by_gold",
    "recommend",
]
