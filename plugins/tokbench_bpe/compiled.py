"""Learning by compiled kernels: what they are given, and what they give back, as Python objects."""

from array import array
from collections.abc import Iterable, Mapping
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
    letters = array("i")
    for letter, places in spelling.letters.items():
        letters.extend((ord(letter), *places))
    merges = array(
        "q",
        module.learn(
            columns.utf8,
            columns.ends,
            columns.counts,
            letters,
            spelling.begin,
            spelling.end,
            _encoded(spelling.alphabet),
            _encoded(map(marks.show, spelling.alphabet)),
            *_encoded([marks.continuation.text]),
            ties,
            min(minimum, LARGEST),
            max(0, min(beside(spelling.alphabet, size), LARGEST)),
        ),
    )
    names = ["", *spelling.alphabet]
    learned = []
    for left, right, count in zip(merges[::3], merges[1::3], merges[2::3], strict=True):
        parts = names[left], names[right]
        names.append(parts[0] + parts[1].removeprefix(CONTINUATION))
        learned.append(Learned(parts, count))
    return tuple(learned)


def _encoded(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(text.encode("utf-8", "surrogatepass") for text in texts)
