"""All segmentations of many words at once, as arrays.

A word of n symbols has n + 1 nodes, the places before, between and after them; an edge is a token
that leads from one node to a later one. Edges stand in the order of the place at which they end,
then of their end node, then of their start. So what is known of all nodes at one place follows,
for all words at once, from the nodes before.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tokbench_unigram.pieces import pieces

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

UNKNOWN = -1
"""The number of a symbol that is no token. Its score is 0: it stands in all segmentations alike."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """The edges between nodes: `source`, `target` and `token` of each; `place` of each node.

    Word `w` leads from node `first_node[w]` to node `last_node[w]`.
    """

    source: Ints
    target: Ints
    token: Ints
    place: Ints
    first_node: Ints
    last_node: Ints

    @classmethod
    def of(
        cls,
        words: Iterable[Sequence[str]],
        numbers: Mapping[str, int],
        longest: int,
        blocked: Collection[str] = (),
        whole_words: bool = True,
    ) -> "Lattice":
        """Find the numbered tokens in words; without `whole_words`, none that is the whole word."""
        edges = array("q")
        lengths = []
        node = 0
        for symbols in words:
            length = len(symbols)
            for start, stop, piece in pieces(symbols, longest, blocked):
                number = numbers.get(piece, UNKNOWN)
                if (number >= 0 or stop - start == 1) and (whole_words or stop - start < length):
                    edges.extend((node + start, node + stop, number))
            node += length + 1
            lengths.append(length + 1)
        source, target, token = np.array(edges, np.int64).reshape(-1, 3).T
        sizes = np.array(lengths, np.int64)
        first_node = np.cumsum(sizes) - sizes
        place = np.arange(node) - np.repeat(first_node, sizes)
        order = np.lexsort((source, target, place[target]))
        last_node = first_node + sizes - 1
        return cls(source[order], target[order], token[order], place, first_node, last_node)

    def keep(self, renumber: Ints) -> "Lattice":
        """Return the edges of the tokens that have a new number; -1 stands for none."""
        kept = (self.token == UNKNOWN) | (renumber[self.token] >= 0)
        token = self.token[kept]
        return Lattice(
            self.source[kept],
            self.target[kept],
            np.where(token == UNKNOWN, UNKNOWN, renumber[token]),
            self.place,
            self.first_node,
            self.last_node,
        )

    def expect(self, scores: Floats, counts: Floats) -> Floats:
        """Return how often each token is expected in words that occur so often.

        All segmentations of a word weigh as much as they are probable. The backward pass gives
        each edge its share of what its end node is worth, from the last place to the first.
        """
        steps = self._steps(scores)
        reached = self._forward(steps)
        worth = np.zeros(len(self.place))
        worth[self.last_node] = counts
        shares = np.zeros(len(self.token))
        for edges, _, _ in reversed(self._places):
            source, target = self.source[edges], self.target[edges]
            shares[edges] = worth[target] * np.exp(reached[source] + steps[edges] - reached[target])
            # No node begins two edges that end at the same place.
            worth[source] += shares[edges]
        has_token = self.token != UNKNOWN
        expected = np.bincount(self.token[has_token], shares[has_token], len(scores))
        return expected.astype(np.float64)

    def best(self, scores: Floats) -> tuple[Floats, Ints, Ints]:
        """Return the highest sum of scores of each word, and the (word, token) rows of that path.

        Of equal sums at a node, the edge that begins first, the longest, is taken.
        """
        steps = self._steps(scores)
        reached = np.zeros(len(self.place))
        choice = np.full(len(self.place), -1)
        for edges, begins, sizes in self._places:
            sums = reached[self.source[edges]] + steps[edges]
            highest = np.maximum.reduceat(sums, begins)
            group = np.repeat(np.arange(len(begins)), sizes)
            winners = np.flatnonzero(sums == highest[group])
            _, firsts = np.unique(group[winners], return_index=True)
            nodes = self.target[edges][begins]
            reached[nodes] = highest
            choice[nodes] = edges.start + winners[firsts]
        return reached[self.last_node], *self._walk(choice)

    def _walk(self, choice: Ints) -> tuple[Ints, Ints]:
        """Follow the chosen edges of all words from their ends; leave out unknown symbols."""
        words, tokens = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        word, node = np.arange(len(self.last_node)), self.last_node
        while True:
            under_way = node > self.first_node[word]
            word, node = word[under_way], node[under_way]
            if not len(word):
                break
            edge = choice[node]
            words.append(word)
            tokens.append(self.token[edge])
            node = self.source[edge]
        rows, passed = np.concatenate(words), np.concatenate(tokens)
        return rows[passed != UNKNOWN], passed[passed != UNKNOWN]

    def _forward(self, steps: Floats) -> Floats:
        """Return the log of the summed probability of all ways to each node."""
        reached = np.zeros(len(self.place))
        for edges, begins, sizes in self._places:
            sums = reached[self.source[edges]] + steps[edges]
            highest = np.maximum.reduceat(sums, begins)
            summed = np.add.reduceat(np.exp(sums - np.repeat(highest, sizes)), begins)
            reached[self.target[edges][begins]] = highest + np.log(summed)
        return reached

    def _steps(self, scores: Floats) -> Floats:
        """Return the score of each edge; the last one, of what is added here, is UNKNOWN's."""
        steps: Floats = np.append(scores, 0.0)[self.token]
        return steps

    @cached_property
    def _places(self) -> Sequence[tuple[slice, Ints, Ints]]:
        """For each place, its edges; among them, where each end node's begin, and how many."""
        return [*self._by_place()]

    def _by_place(self) -> Iterator[tuple[slice, Ints, Ints]]:
        place = self.place[self.target]
        cuts = np.flatnonzero(np.diff(place, prepend=-1, append=-1))
        for start, stop in pairwise(cuts.tolist()):
            begins = np.flatnonzero(np.diff(self.target[start:stop], prepend=-1))
            yield slice(start, stop), begins, np.diff(np.append(begins, stop - start))
