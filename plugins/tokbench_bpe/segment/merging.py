"""Merging words by rank, and every state that each passes through.

Whatever the order of the ranks, the lowest is merged first. So when a rank is about to be merged
that is above all before, of which h is the highest, the word stands as every vocabulary of h + 1
to `rank` learned items leaves it: what is still to come needs more. One replay with all merges
gives the states for all of them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING

from tokbench_bpe.segment.ranks import Merges, MergeTable, Pair
from tokbench_bpe.segment.states import State, by_birth, lay_out
from tokbench_bpe.segment.threads import share_out

if TYPE_CHECKING:
    from tokbench.api import Timeline

GONE = ""

Find = Callable[[Pair, int], int | None]

SHORT = 100
"""Letters up to which looking through all ranks is the faster way."""


def apply(word: str, merges: Merges, find: Find) -> list[str]:
    """Merge, from left to right, all places of the pair with the lowest rank; and so on.

    `find(pair, rank)` gives the rank at which a pair waits once `rank` is done, -1 at the start.
    """
    symbols = [GONE, *merges.vocabulary.marks.spell(word), GONE]
    for _ in merging(symbols, merges, find):
        pass
    return [symbol for symbol in symbols if symbol != GONE]


def merging(symbols: list[str], merges: Merges, find: Find) -> Iterator[int]:
    """Merge symbols in place, GONE before and after them; yield each rank before it is merged."""
    before = list(range(-1, len(symbols) - 1))
    after = list(range(1, len(symbols) + 1))
    waiting: list[tuple[int, int]] = []

    def wait(places: Iterable[int], rank: int) -> None:
        for place in places:
            found = find((symbols[place], symbols[after[place]]), rank)
            if found is not None:
                heappush(waiting, (found, place))

    # A rank is merged everywhere before its products are looked at.
    wait(range(len(symbols) - 1), -1)
    while waiting:
        rank = waiting[0][0]
        changed: list[int] = []
        while waiting and waiting[0][0] == rank:
            _, place = heappop(waiting)
            gone = after[place]
            if (symbols[place], symbols[gone]) == merges.pairs[rank]:
                if not changed:
                    yield rank
                symbols[place], symbols[gone] = merges.products[rank], GONE
                after[place] = after[gone]
                before[after[gone]] = place
                changed += [before[place], place]
        wait(changed, rank)


def merge_all(
    words: Sequence[str], merges: Merges, since: int, in_order: bool, kernel: ModuleType | None
) -> "Timeline":
    """Return the states of words that merges cut; `in_order`, each rank once, in order."""
    table, tokens = merges.table, len(merges.vocabulary.tokens)
    letters, late = table.symbols.letters, table.late
    # Letters that are built as tokens later are too odd for the kernel to know.
    if kernel is not None and not late:
        given = (
            since,
            tokens,
            letters.columns,
            (table.lefts, table.rights, table.products),
            in_order,
        )
        return share_out(lambda texts: kernel.merge(texts, *given), words, table.none)
    since = max(since, 0)
    states = (replay(word, merges, since, in_order) for word in words)
    if late:
        states = (by_birth(word, late, since, letters.unknown) for word in states)
    return lay_out(states, since, tokens)


def replay(word: str, merges: Merges, since: int, in_order: bool) -> Iterator[State]:
    """Return the states of a word from `since` learned items on, in time that grows with n log n.

    With `in_order` every rank is merged once, in order; without, a rank may be merged after a
    higher one.
    """
    if len(word) <= SHORT:
        return replay_short(word, merges.table, since, in_order)
    return replay_long(word, merges, since, in_order)


def replay_short(word: str, table: MergeTable, since: int, in_order: bool) -> Iterator[State]:
    """Look for the lowest rank in the row of all; `ranks[i]` is that of symbols i and i + 1."""
    rank_of, none, base, products = table.ranks.get, table.none, table.base, table.products
    letters = table.symbols.letters
    symbols, ends = letters.spell(word), letters.measure(word)
    ranks = [rank_of(left * base + right, none) for left, right in pairwise(symbols)]
    ranks.append(none)
    while (rank := min(ranks)) < none:
        if rank >= since:
            since = rank + 1
            yield since, symbols, ends
        changed = []
        while rank in ranks:
            place = ranks.index(rank)
            symbols[place : place + 2] = (products[rank],)
            ranks[place : place + 2] = (none,)
            del ends[place]
            if place:
                ranks[place - 1] = none
                changed.append(place - 1)
            changed.append(place)
        # A rank is merged everywhere before its products are looked at.
        for place in changed:
            if place + 1 < len(symbols):
                found = rank_of(symbols[place] * base + symbols[place + 1], none)
                while in_order and found <= rank:
                    found = table.later[found]
                ranks[place] = found
    if since <= none:
        yield none + 1, symbols, ends


def replay_long(word: str, merges: Merges, since: int, in_order: bool) -> Iterator[State]:
    """Merge with a heap of ranks; a state is put together only when it is asked for."""
    symbols = [GONE, *merges.vocabulary.marks.spell(word), GONE]
    for rank in merging(symbols, merges, merges.next if in_order else merges.lowest):
        if rank >= since:
            since = rank + 1
            yield since, *_standing(symbols, word, merges)
    last = len(merges.products)
    if since <= last:
        yield last + 1, *_standing(symbols, word, merges)


def _standing(symbols: list[str], word: str, merges: Merges) -> tuple[list[int], list[int]]:
    """Return the symbols that stand, and where they end: before the next one begins."""
    table = merges.table.symbols
    places = [place for place, symbol in enumerate(symbols) if symbol != GONE]
    measured = table.letters.measure(word)
    ends = [measured[place - 2] for place in (*places[1:], len(symbols) - 1)]
    return [table.numbers.get(symbols[place], table.unknown) for place in places], ends
