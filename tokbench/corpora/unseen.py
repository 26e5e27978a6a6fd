"""Why words are unseen: what sets each of them apart from the words of the training text."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from itertools import islice, product, takewhile
from unicodedata import normalize

import regex

from tokbench.api import CountedWords
from tokbench.api.words import KIND, Subset, Words
from tokbench.corpora.source import DescribedCorpus
from tokbench.corpora.words import split_many
from tokbench.printing import code_points, percent

KINDS = (
    "another-form",
    "new-character",
    "punctuation",
    "case",
    "number",
    "joined",
    "affix",
    "other",
)
"""The kinds of unseen words; a word is of the first that fits."""

SHORTEST_PART = 3
"""The characters of a word that is joined to another, and of a stem."""

LONGEST_AFFIX = 5
LEAST_PAIRS = 10
"""An affix counts if so many pairs of training words differ by it alone."""

MOST_CUT = 0.01
"""The share of counted words that a splitter may cut before somebody is warned."""

_MOST_LOOKED_AT = 50_000  # of the counted words

_EXAMPLES = 3
_MOST_PUNCTUATION = 100
_PUNCTUATION = regex.compile(r"[\p{P}\p{S}]")
_NUMBER = regex.compile(r"[\p{P}\p{S}]*\p{N}[\p{N}\p{P}\p{S}]*")


class UnseenKinds:
    """Finds the kind of words that a training text does not hold, from its distinct words."""

    def __init__(self, training: Collection[str]) -> None:
        self._seen = training

    def __call__(self, word: str) -> str:
        r"""Return the kind of an unseen word.

        >>> kind = UnseenKinds(["tea", "pot", "Anna", "N", "20", ".", ","])
        >>> [kind(word) for word in ("café", ",,", "ANNA", "2.002", "teapot", "to")]
        ['new-character', 'punctuation', 'case', 'number', 'joined', 'other']
        >>> UnseenKinds(["caf\u00e9"])("cafe\u0301")
        'another-form'
        """
        if not word.isascii() and normalize("NFC", word) in self._composed:
            return "another-form"
        if not self._characters.issuperset(word):
            return "new-character"
        if any(inner in self._seen for inner in _without_punctuation(word)):
            return "punctuation"
        if word.casefold() in self._folded:
            return "case"
        if _NUMBER.fullmatch(word):
            return "number"
        cuts = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
        if any(word[:cut] in self._seen and word[cut:] in self._seen for cut in cuts):
            return "joined"
        return "affix" if self._has_affix(word) else "other"

    def _has_affix(self, word: str) -> bool:
        at_begin, at_end = self._affixes
        return any(
            (word[-size:] in at_end and word[:-size] in self._seen)
            or (word[:size] in at_begin and word[size:] in self._seen)
            for size in range(1, min(LONGEST_AFFIX, len(word) - SHORTEST_PART) + 1)
        )

    @cached_property
    def _characters(self) -> frozenset[str]:
        return frozenset("".join(self._seen))

    @cached_property
    def _composed(self) -> frozenset[str]:
        return frozenset(normalize("NFC", word) for word in self._seen if not word.isascii())

    @cached_property
    def _folded(self) -> frozenset[str]:
        return frozenset(map(str.casefold, self._seen))

    @cached_property
    def _affixes(self) -> tuple[frozenset[str], frozenset[str]]:
        """The affixes at the beginning and at the end of training words."""
        seen, sizes = self._seen, range(1, LONGEST_AFFIX + 1)
        at_begin = Counter(word[:n] for n in sizes for word in seen if word[n:] in seen)
        at_end = Counter(word[-n:] for n in sizes for word in seen if word[:-n] in seen)
        return _frequent(at_begin), _frequent(at_end)


def _frequent(affixes: Counter[str]) -> frozenset[str]:
    return frozenset(affix for affix, times in affixes.items() if times >= LEAST_PAIRS)


def _without_punctuation(word: str) -> Iterator[str]:
    """Return what is left of a word without some of the punctuation at its ends."""
    at_begin, at_end = _punctuation(word), _punctuation(word[::-1])
    for first, last in product(range(at_begin + 1), range(at_end + 1)):
        if 0 < first + last < len(word):
            yield word[first : len(word) - last]


def _punctuation(word: str) -> int:
    """Count the punctuation at the beginning of a word, up to a hundred characters."""
    return sum(1 for _ in takewhile(_PUNCTUATION.match, word[:_MOST_PUNCTUATION]))


def form_warnings(name: str, words: Words) -> list[str]:
    """Warn of words that only their Unicode normal form makes unseen."""
    in_another_form = words.groups.get(str(Subset(KIND, "another-form")))
    if in_another_form is None:
        return []
    running = int(words.count[in_another_form].sum())
    first = words.text[int(in_another_form.argmax())]
    return [
        f"{name}: {running:,} running words are unseen only because the training text has them in "
        f"another Unicode normal form (first: {first!r}, {code_points(first)}): set "
        "`normalise: [nfc]` for both texts"
    ]


def cut_warnings(counted: CountedWords, tests: Mapping[str, DescribedCorpus]) -> list[str]:
    """Warn of counted words that the splitter of a test text would cut, so that all are unseen."""
    warnings = []
    words = [*islice(counted, 0, None, 1 + len(counted) // _MOST_LOOKED_AT)]
    for name, test in tests.items():
        many = split_many(words, test.splitter)
        cut = [word for word, places in zip(words, many, strict=True) if len(places) > 1]
        if len(cut) > MOST_CUT * len(words):
            share = percent(len(cut) / len(words), 1)
            warnings.append(
                f"{name}: its splitter, {test.splitter_name}, would cut {share} of the counted "
                f"words of the training text, such as {', '.join(map(repr, cut[:_EXAMPLES]))}: "
                "these words cannot be seen; if words between spaces were counted, set "
                "`words: whitespace` for the test text"
            )
    return warnings
