"""A trie of tokens, and longest match from left to right with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokbench.api import CONTINUATION, Marks, Vocabulary

TOKEN = ""
"""The key that marks the end of a token; no character equals it."""

Node = dict[str, Any]


@dataclass(frozen=True)
class Trie:
    """The tokens of a vocabulary, character by character, and the marks that words get."""

    marks: Marks
    root: Node

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "Trie":
        """Put in every token that a segmenter may produce from text."""
        root: Node = {}
        left_out = vocabulary.unproduced.union(vocabulary.bytes)
        for number, token in enumerate(vocabulary.tokens):
            if number not in left_out:
                node = root
                for char in token:
                    node = node.setdefault(char, {})
                node[TOKEN] = {}
        return cls(vocabulary.marks, root)

    def longest(self, symbols: Sequence[str], start: int) -> int:
        """Give the end of the longest token that begins at a symbol, or `start` if none does."""
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


def longest_matches(word: str, trie: Trie) -> list[str]:
    """Cut a word into the longest tokens from left to right; a symbol that none begins is alone."""
    symbols = trie.marks.spell(word)
    tokens = []
    start = 0
    while start < len(symbols):
        end = max(trie.longest(symbols, start), start + 1)
        tokens.append(Marks.join(symbols[start:end]))
        start = end
    return tokens
