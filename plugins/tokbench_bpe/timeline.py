"""The states of many words: from the compiled kernels where there are any, else in plain Python."""

from array import array
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from tokbench_bpe.apply import Merges
from tokbench_bpe.fewest import Ties, fewest_states
from tokbench_bpe.matching import matches
from tokbench_bpe.replay import replay
from tokbench_bpe.states import by_birth, lay_out, wrap
from tokbench_bpe.trie import Trie

if TYPE_CHECKING:
    from tokbench.api import States

MARK_KINDS = {"absent": 0, "fused": 1, "separate": 2, "fenced": 2}


def merging_timeline(
    words: Sequence[str], merges: Merges, since: int, in_order: bool, kernel: ModuleType | None
) -> "States":
    """Give the states of words that merges cut; `in_order`, each rank once, in order."""
    table, tokens = merges.table, len(merges.vocabulary.tokens)
    letters, late = table.symbols.letters, table.late
    # Letters that are built as tokens later are too odd for the kernel to know.
    if kernel is not None and not late:
        items = table.lefts, table.rights, table.products
        return wrap(kernel.merge(tuple(words), since, tokens, letters.columns, items, in_order))
    since = max(since, 0)
    states = (replay(word, merges, since, in_order) for word in words)
    if late:
        states = (by_birth(word, late, since, letters.unknown) for word in states)
    return lay_out(states, since, tokens)


def matching_timeline(
    words: Sequence[str], trie: Trie, since: int, kernel: ModuleType | None
) -> "States":
    """Give the states of words that are cut into the longest tokens of a trie."""
    tokens, symbols, marks = trie.tokens, trie.symbols, trie.vocabulary.marks
    if kernel is None:
        since = max(since, 0)
        return lay_out((matches(word, trie, since) for word in words), since, len(symbols.births))
    sought = (
        tuple(token for _, token in tokens),
        array("q", [number for number, _ in tokens]),
        symbols.births,
        MARK_KINDS[marks.bow.kind],
        MARK_KINDS[marks.eow.kind],
        marks.continuation.kind == "fused",
    )
    learned = len(trie.vocabulary.learned)
    return wrap(kernel.match(tuple(words), since, learned, symbols.letters.columns, sought))


def fewest_timeline(words: Sequence[str], trie: Trie, since: int, ties: Ties) -> "States":
    """Give the states of words that are cut into the fewest tokens of a trie."""
    since, births = max(since, 0), trie.symbols.births
    if since >= trie.never:
        words = ()
    states = (fewest_states(word, trie, ties, since) for word in words)
    return lay_out(states, since, len(births))
