"""Learning by compiled kernels: what they are given, and what they give back, as Python objects."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType

from tokbench.api import CONTINUATION, CountedWords, Learned, Marks, Size
from tokbench_bpe.alphabet import EdgeNumbers, SymbolNumbers, beside

LARGEST = 2**63 - 1
"""The kernels count with 64 bits; nothing is as frequent, or as many, as this."""


def letter_counts(module: ModuleType, words: CountedWords) -> Mapping[str, EdgeNumbers]:
    """Count the running letters by their place: inside a word, as first, as last, as only letter.

    Raises OverflowError where the counts sum to 2^63 or more.
    """
    numbers = array("q", module.letter_counts(words.utf8, words.ends, words.counts))
    rows = zip(*(numbers[i::5] for i in range(5)), strict=True)
    return {chr(letter): (inside, *edges) for letter, inside, *edges in rows}


def learn(
    module: ModuleType,
    words: Mapping[str, int],
    spelling: SymbolNumbers,
    marks: Marks,
    ties: str,
    minimum: int,
    size: Size,
) -> tuple[Learned, ...]:
    """Learn merges until the size is reached or no pair is as frequent as `minimum`.

    Raises OverflowError where the counts of all letters sum to 2^63 or more.
    """
    columns = CountedWords.of(words)
    limit = beside(spelling.alphabet, size)
    while True:
        merges = _merges(module, columns, spelling, marks, ties, minimum, limit)
        items, tokens = _items(merges, spelling.alphabet)
        missing = size.number - (len(tokens) if size.total is not None else len(items))
        if missing <= 0 or len(items) < limit:
            return items
        # Products that were tokens before do not count towards a total.
        limit += missing


def _merges(
    module: ModuleType,
    words: CountedWords,
    spelling: SymbolNumbers,
    marks: Marks,
    ties: str,
    minimum: int,
    limit: int,
) -> "array[int]":
    """Return left number, right number and count of each merge, one after the other."""
    letters = array("i")
    for letter, places in spelling.letters.items():
        letters.extend((ord(letter), *places))
    return array(
        "q",
        module.learn(
            words.utf8,
            words.ends,
            words.counts,
            letters,
            spelling.begin,
            spelling.end,
            _encoded(spelling.alphabet),
            _encoded(map(marks.show, spelling.alphabet)),
            *_encoded([marks.continuation.text]),
            ties,
            min(minimum, LARGEST),
            max(0, min(limit, LARGEST)),
        ),
    )


def _items(merges: "array[int]", alphabet: Sequence[str]) -> tuple[tuple[Learned, ...], set[str]]:
    """Return the merges as learned items, and all tokens."""
    names = ["", *alphabet]
    items = []
    for left, right, count in zip(merges[::3], merges[1::3], merges[2::3], strict=True):
        parts = names[left], names[right]
        names.append(parts[0] + parts[1].removeprefix(CONTINUATION))
        items.append(Learned(parts, count))
    return tuple(items), set(names[1:])


def _encoded(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(text.encode("utf-8", "surrogatepass") for text in texts)
