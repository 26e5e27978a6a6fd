"""A trie of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tokbench.api import CONTINUATION, Vocabulary
from tokbench_bpe.segment.symbols import SymbolTable

TOKEN = ""
"""The key under which a node holds the id of the token that ends there; no character equals it."""

Node = dict[str, Any]


@dataclass(frozen=True)
class Trie:
    """The tokens of a vocabulary, character by character, and the marks that words get."""

    vocabulary: Vocabulary

    @cached_property
    def tokens(self) -> Sequence[tuple[int, str]]:
        """Every token that a segmenter may produce from text, with its id."""
        left_out = self.vocabulary.unproduced.union(self.vocabulary.bytes)
        tokens = enumerate(self.vocabulary.tokens)
        return [(number, token) for number, token in tokens if number not in left_out]

    @cached_property
    def root(self) -> Node:
        """The node from which every token begins."""
        root: Node = {}
        for number, token in self.tokens:
            node = root
            for char in token:
                node = node.setdefault(char, {})
            node[TOKEN] = number
        return root

    @cached_property
    def inner_root(self) -> Node:
        """The node from which a token begins inside a word."""
        fused = self.vocabulary.marks.continuation.kind == "fused"
        return self.root.get(CONTINUATION, {}) if fused else self.root

    @cached_property
    def never(self) -> int:
        """A number of learned items that is not reached."""
        return len(self.vocabulary.learned) + 1

    @cached_property
    def symbols(self) -> SymbolTable:
        """The numbers of tokens and letters, for many words."""
        return SymbolTable(self.vocabulary)

    def longest(self, symbols: Sequence[str], start: int) -> int:
        """Return the end of the longest token that begins at a symbol, or `start` if none does."""
        end, node = start, self.root
        for position in range(start, len(symbols)):
            symbol = symbols[position]
            if position > start:
                # Inside a token there is no continuation mark.
                symbol = symbol.removeprefix(CONTINUATION)
            for char in symbol:
                if char not in node:
                    return end
                node = node[char]
            if TOKEN in node:
                end = position + 1
        return end
