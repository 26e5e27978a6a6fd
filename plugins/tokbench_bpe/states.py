"""The states of words: from replays in Python or from a kernel, as flat arrays."""

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tokbench.api.text import CONTINUATION

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokbench.api.arrays import Timeline

State = tuple[int, list[int], list[int]]
"""(until, symbols, ends): a state that holds up to the vocabulary of `until` - 1 learned items,
as symbol numbers and the bytes at which they end."""

Columns = Sequence[bytearray]
"""What a kernel gives: the columns of a Timeline, as 64-bit integers."""

UTF_32 = f"utf-32-{sys.byteorder[0]}e"

LEAST = 5_000
"""Words that are worth a thread of their own."""


def by_birth(
    states: Iterable[State], births: Mapping[int, int], since: int, unknown: int
) -> Iterator[State]:
    """Divide states, the first from `since`, where a symbol in them becomes a token.

    `births` holds the symbols that are no token before so many learned items.
    """
    for until, symbols, ends in states:
        born = {births[symbol] for symbol in symbols if symbol in births}
        for end in (*sorted(birth for birth in born if since < birth < until), until):
            tokens = [symbol if births.get(symbol, 0) <= since else unknown for symbol in symbols]
            yield end, tokens, ends
            since = end


def lay_out(words: Iterable[Iterable[State]], since: int, tokens: int) -> "Timeline":
    """Lay out the states of each word, the first from `since`; from `tokens` on there is no id."""
    import numpy as np

    from tokbench.api.arrays import Timeline

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


def cut_in_threads(
    cut: Callable[[bytes], Columns],
    words: Sequence[str],
    items: int,
    begin: str = "",
    end: str = "",
) -> "Timeline":
    """Return the states of words that a kernel cuts, many words in two threads.

    Each call of the kernel first reads `items` items. It works without the interpreter's lock, and
    the tokens of a word do not depend on other words. Marks may stand at the `begin` and `end` of
    each word.
    """
    import numpy as np

    from tokbench.api.arrays import Timeline

    def states(part: Sequence[str]) -> "list[NDArray[np.int64]]":
        columns = cut(letters(part, begin, end))
        return [np.frombuffer(column, dtype=np.int64) for column in columns]

    half = len(words) // 2
    if half < max(LEAST, items):
        return Timeline(*states(words))
    # Not loaded by those who cut few words.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(states, words[half:])
        # This thread, which alone sees the user's interrupts, does a part of the work too.
        before = states(words[:half])
        after = waiting.result()
    after[0] += half
    after[1] = after[1][1:] + before[1][-1]
    return Timeline(*map(np.concatenate, zip(before, after, strict=True)))


def letters(words: Sequence[str], begin: str, end: str) -> bytes:
    """Return the code points of words between marks, as the kernels read them.

    The mark of continuation ends each word, since no word holds it.
    """
    end += CONTINUATION
    text = begin + (end + begin).join(words) + end if words else ""
    return text.encode(UTF_32, "surrogatepass")


def in_units(timeline: "Timeline", texts: Sequence[str]) -> "Timeline":
    """Count in characters of the texts what ends in their UTF-8."""
    import numpy as np

    text = np.frombuffer("".join(texts).encode(), dtype=np.uint8)
    # In UTF-8 every byte that is not 10xxxxxx begins a character.
    begun = np.concatenate(([0], np.cumsum((text & 0xC0) != 0x80, dtype=np.int64)))
    begins = np.cumsum([0, *(len(text.encode()) for text in texts)], dtype=np.int64)
    begin = np.repeat(begins[timeline.word], np.diff(timeline.row))
    return replace(timeline, ends=begun[begin + timeline.ends] - begun[begin])
