"""The segmenter `morfessor`: the most probable morphs of a word."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field
from tokbench_bpe.explaining import Edge, explain_lattice

from tokbench.api import Explanation, InputError, Segmenter, Vocabulary

NAME = "morfessor"


@dataclass(frozen=True)
class Costs:
    """The cost (negative log probability) of each morph, and that of a running morph's total."""

    morphs: Mapping[str, float]
    total: float
    longest: int

    def morphs_before(self, word: str, end: int) -> Iterator[tuple[int, float]]:
        """Yield where each morph that ends at a place begins, and its cost."""
        morphs = self.morphs
        for start in range(max(0, end - self.longest), end):
            cost = morphs.get(word[start:end])
            if cost is not None:
                yield start, cost
            elif end - start == 1:
                # More than any cut into known morphs costs.
                yield start, len(word) * self.total + 1.0


class MorfessorSegmenter(Segmenter):
    """Cut a word into the morphs that are most probable together (Viterbi).

    The same tokens as `morfessor-segment` without smoothing, its default, on the same floating
    point numbers. A letter that is no morph is a token of its own where no morph covers it: known
    if it is in the alphabet. Works with vocabularies of the learner `morfessor`.
    """

    longest_morph: int = Field(
        30, ge=1, description="longer morphs are not looked for (the program's default)"
    )

    def prepare(self, vocabulary: Vocabulary) -> Costs:
        """Take the logarithm of all counts; InputError for a vocabulary of another learner."""
        model = vocabulary.extra.get(NAME)
        if model is None:
            raise InputError(
                "segmenter morfessor: the vocabulary holds no counts of morphs;"
                " it needs one of the learner `morfessor`"
            )
        counts: dict[str, int] = dict(model["letters"])
        for item, morph in zip(vocabulary.learned, vocabulary.products, strict=True):
            if item.count:
                counts[morph] = item.count
        # Where nothing was learned there is nothing to choose from.
        total = math.log(model["total"]) if model["total"] else 0.0
        longest = min(self.longest_morph, max(map(len, counts), default=1))
        return Costs({m: total - math.log(count) for m, count in counts.items()}, total, longest)

    def segment(self, word: str, prepared: Costs) -> Sequence[str]:
        """Cut one word; of equally probable cuts, the last morph is the longest."""
        costs, begins = [0.0], [0]
        for end in range(1, len(word) + 1):
            best, begin = math.inf, end - 1
            for start, cost in prepared.morphs_before(word, end):
                if costs[start] + cost < best:
                    best, begin = costs[start] + cost, start
            costs.append(best)
            begins.append(begin)
        tokens = []
        end = len(word)
        while end:
            tokens.append(word[begins[end] : end])
            end = begins[end]
        return tokens[::-1]

    def explain(self, word: str, prepared: Costs) -> Explanation:
        """Show the lattice of a word with the costs of its morphs, and its two cheapest cuts."""
        edges = (
            Edge(start, end, word[start:end], cost)
            for end in range(1, len(word) + 1)
            for start, cost in prepared.morphs_before(word, end)
        )
        tokens = self.segment(word, prepared)
        return Explanation(*explain_lattice(edges, len(word), tokens, "cost"))
