"""Why a word is cut as it is: the decisions that lead to its tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokbench.api.segmenter import Token


@dataclass(frozen=True)
class Decision:
    """One step: what there was to choose from, what was chosen, and why.

    `state` holds the tokens before it, where there are any. Each of the `candidates` has values
    under the same names: a text, a number, True or False, a tuple of tokens as the vocabulary
    writes them, or None where there is nothing. `chosen` are the positions of those that were
    taken.
    """

    title: str
    candidates: Sequence[Mapping[str, object]]
    chosen: Sequence[int] = ()
    reason: str = ""
    state: Sequence[str] = ()


@dataclass(frozen=True)
class Explanation:
    """The decisions of a segmenter about one word, in order, and the tokens that they end in."""

    decisions: Sequence[Decision]
    tokens: "Sequence[Token]"
