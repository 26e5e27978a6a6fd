"""The segmenter `morfessor`: the most probable morphs of a word."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pydantic import Field
from tokbench_bpe.explaining import Edge, explain_lattice

from tokbench.api import Explanation, InputError, Segmenter, Vocabulary

NAME = "morfessor"


@dataclass(frozen=True)
class MorphScores:
    """The log probability of each morph, and the logarithm of how often all occur together."""

    morphs: Mapping[str, float]
    total: float
    longest: int

    def steps(self, word: str, start: int) -> Iterator[tuple[int, float]]:
        """Yield the stop and the score of each morph at a start."""
        morphs = self.morphs
        for stop in range(start + 1, min(start + self.longest, len(word)) + 1):
            score = morphs.get(word[start:stop])
            if score is not None:
                yield stop, score
            elif stop == start + 1:
                # Lower than any cut into known morphs.
                yield stop, -(len(word) * self.total + 1.0)


class MorfessorSegmenter(Segmenter):
    """Cut a word into the morphs that are most probable together (Viterbi).

    The same tokens as `morfessor-segment` without smoothing, its default, on the same floating
    point numbers. A letter that is no morph is a token of its own where no morph covers it: known
    if it is in the alphabet. Works with vocabularies of the learner `morfessor`.
    """

    longest_morph: int = Field(
        30, ge=1, description="longer morphs are not looked for (the program's default)"
    )

    def prepare(self, vocabulary: Vocabulary) -> MorphScores:
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
        return MorphScores(
            {m: math.log(count) - total for m, count in counts.items()}, total, longest
        )

    def segment(self, word: str, prepared: MorphScores) -> Sequence[str]:
        """Cut one word; of equally probable cuts, the last morph is the longest."""
        sums, begins = [0.0] + [-math.inf] * len(word), [0] * (len(word) + 1)
        for start in range(len(word)):
            for stop, score in prepared.steps(word, start):
                if sums[start] + score > sums[stop]:
                    sums[stop], begins[stop] = sums[start] + score, start
        borders = [len(word)]
        while borders[-1]:
            borders.append(begins[borders[-1]])
        borders.reverse()
        return [word[start:stop] for start, stop in pairwise(borders)]

    def explain(self, word: str, prepared: MorphScores) -> Explanation:
        """Show the lattice of a word with the costs of its morphs, and its two cheapest cuts."""
        edges = (
            Edge(start, stop, word[start:stop], -score)
            for start in range(len(word))
            for stop, score in prepared.steps(word, start)
        )
        tokens = self.segment(word, prepared)
        return Explanation(*explain_lattice(edges, len(word), tokens, "cost"))
