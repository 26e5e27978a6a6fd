"""From words to symbol numbers: each letter has one number for each place that it has in a word.

The fast engines work on numbers and never spell a word as a list of texts. A letter is counted by
its place once; the alphabet and the numbers follow from these counts.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter

from tokbench.api import BOW, EOW, Marks

BORDER = 0
"""The number of what nothing is merged with: fenced marks and letters outside the alphabet."""

EdgeNumbers = tuple[int, int, int, int]
"""One number each for a letter inside a word, as its first, its last and its only letter."""

FIRST_LAST = ((False, False), (True, False), (False, True), (True, True))


@dataclass(frozen=True)
class SymbolNumbers:
    """The numbers of the symbols that words are spelled with.

    Symbol number `i + 1` is `alphabet[i]`. `letters` maps each letter of the words to its numbers;
    `begin` and `end` are the numbers of the marks that stand as symbols of their own before and
    after each word, BORDER where there is none or where it is fenced.
    """

    alphabet: tuple[str, ...]
    letters: Mapping[str, EdgeNumbers]
    begin: int
    end: int

    @classmethod
    def of(cls, alphabet: tuple[str, ...], letters: Iterable[str], marks: Marks) -> "SymbolNumbers":
        """Assign the numbers of an alphabet's symbols to all letters that words hold."""
        numbers = {symbol: i for i, symbol in enumerate(alphabet, start=1)}
        numbers |= dict.fromkeys(marks.fenced, BORDER)

        def places(letter: str) -> EdgeNumbers:
            forms = (marks.form(letter, first, last) for first, last in FIRST_LAST)
            inside, first, last, only = (numbers.get(form, BORDER) for form in forms)
            return inside, first, last, only

        return cls(
            alphabet,
            {letter: places(letter) for letter in letters},
            numbers.get(BOW, BORDER),
            numbers.get(EOW, BORDER),
        )

    def by_place(self) -> list[dict[str, int]]:
        """Return the numbers of all letters inside a word, as its first, last and only letter."""
        return [
            {letter: numbers[place] for letter, numbers in self.letters.items()}
            for place in range(4)
        ]


def letter_counts(words: Mapping[str, int]) -> dict[str, EdgeNumbers]:
    """Count the running letters of counted words by their place in the word.

    Words of equal count are joined, so that C code counts their letters; few counts are shared
    by no other word, since most words are rare.
    """
    groups: defaultdict[int, list[str]] = defaultdict(list)
    for word, count in words.items():
        if word:
            groups[count].append(word)
    anywhere, first, last, only = (Counter[str]() for _ in range(4))
    for count, group in groups.items():
        _add(anywhere, "".join(group), count)
        _add(first, map(itemgetter(0), group), count)
        _add(last, map(itemgetter(-1), group), count)
        _add(only, [word for word in group if len(word) == 1], count)
    counts = {}
    for letter in sorted(anywhere):
        # A word of one letter was counted as a first and as a last letter too.
        alone = only[letter]
        begins, ends = first[letter] - alone, last[letter] - alone
        counts[letter] = anywhere[letter] - begins - ends - alone, begins, ends, alone
    return counts


def _add(totals: Counter[str], letters: Iterable[str], count: int) -> None:
    for letter, times in Counter(letters).items():
        totals[letter] += times * count
