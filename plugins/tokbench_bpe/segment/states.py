"""The states of words, as replays give them, laid out as flat arrays."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokbench.api import Timeline

State = tuple[int, list[int], list[int]]
"""(until, symbols, ends): a state that holds up to the vocabulary of `until` - 1 learned items,
as symbol numbers and the bytes at which they end. The lists are changed when the next is asked
for."""


def by_birth(
    states: Iterable[State], births: Mapping[int, int], since: int, unknown: int
) -> Iterator[State]:
    """Divide states, the first from `since`, where a symbol in them becomes a token.

    `births` holds the symbols that are no token before so many learned items.
    """
    for until, symbols, ends in states:
        born = {births[symbol] for symbol in symbols if symbol in births}
        for end in (*sorted(birth for birth in born if since < birth < until), until):
            known = [symbol if births.get(symbol, 0) <= since else unknown for symbol in symbols]
            yield end, known, ends
            since = end


def lay_out(words: Iterable[Iterable[State]], since: int, tokens: int) -> "Timeline":
    """Lay out the states of each word, the first from `since`; from `tokens` on there is no id."""
    import numpy as np

    from tokbench.api import Timeline

    count, row, until = array("q"), array("q", [0]), array("q")
    # Adding one list to another is the fastest: no number is looked at.
    ids: list[int] = []
    ends: list[int] = []
    for states in words:
        before = len(until)
        for end, symbols, places in states:
            ids += symbols
            ends += places
            row.append(len(ids))
            until.append(end)
        count.append(len(until) - before)
    word = np.repeat(np.arange(len(count)), count)
    # A state begins where the one before it ends, unless it is its word's first.
    begins = np.concatenate(([since], until))[:-1].astype(np.int64)
    begins[1:][np.diff(word) > 0] = since
    numbers = np.array(array("q", ids), np.int64)
    return Timeline(
        word=word,
        row=np.array(row, np.int64),
        ids=np.where(numbers < tokens, numbers, -1),
        ends=np.array(array("q", ends), np.int64),
        since=begins,
        until=np.array(until, np.int64),
    )


def wrap(parts: Sequence[tuple[int, Sequence[bytes]]]) -> "Timeline":
    """Take over the columns of a kernel, part by part, each with the number of its first word."""
    import numpy as np

    from tokbench.api import Timeline

    found: list[tuple[Any, ...]] = []
    tokens = 0
    for first, columns in parts:
        word, row, *others = (np.frombuffer(column, dtype=np.int64) for column in columns)
        if found:
            word, row = word + first, row[1:] + tokens
        tokens = int(row[-1]) if len(row) else tokens
        found.append((word, row, *others))
    if len(found) == 1:
        return Timeline(*found[0])
    return Timeline(*map(np.concatenate, zip(*found, strict=True)))


def in_units(states: "Timeline", texts: Sequence[str]) -> "Timeline":
    """Count in characters of the texts what ends in their UTF-8."""
    import numpy as np

    text = np.frombuffer("".join(texts).encode(), dtype=np.uint8)
    # In UTF-8 every byte that is not 10xxxxxx begins a character.
    begun = np.concatenate(([0], np.cumsum((text & 0xC0) != 0x80, dtype=np.int64)))
    first = np.cumsum([0, *(len(text.encode()) for text in texts)], dtype=np.int64)
    begin = np.repeat(first[states.word], np.diff(states.row))
    return replace(states, ends=begun[begin + states.ends] - begun[begin])
