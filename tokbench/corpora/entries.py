r"""Files of one entry a line: word counts, word lists, categorised lists, gold segmentations.

An entry is one whole word that no splitter touches. Fields stand between tabs, and white space
around them is ignored. Where normalisation leaves nothing of a word, the word is empty.
"""

import re
from itertools import accumulate, pairwise
from typing import NamedTuple

from tokbench.corpora.lines import Line
from tokbench.corpora.normalise import Normalise
from tokbench.corpora.scan import LONGEST
from tokbench.corpora.splitters import ASCII_SPACE
from tokbench.errors import InputError

Segmented = tuple[int, ...]
"""The byte positions of the boundaries inside a word."""

# Fifteen digits leave room for the sum of many counts in 64 bits.
_COUNT = re.compile(r"0*[1-9][0-9]{0,14}", re.ASCII)
_SPACE = re.compile(f"[{ASCII_SPACE}]+")


class ListEntry(NamedTuple):
    """A word of a list, with its category ("" for none) and its gold segmentations, best first."""

    word: str
    category: str = ""
    gold: tuple[Segmented, ...] = ()


def read_word(line: Line, normalise: Normalise) -> str:
    """Read a line that holds one word."""
    return _word(line, _fields(line, "one word", 1, 1)[0], normalise)


def read_count(line: Line, normalise: Normalise) -> tuple[str, int]:
    """Read `word<TAB>count`."""
    word, count = _fields(line, "word<TAB>count", 2, 2)
    if not _COUNT.fullmatch(count):
        raise InputError(
            f"{line.place}: found the count {count!r}; a count is a whole number from 1, "
            "of at most 15 digits"
        )
    return _word(line, word, normalise), int(count)


def read_listed(line: Line, normalise: Normalise) -> ListEntry:
    """Read `word<TAB>category`; the category may be missing."""
    word, category = (*_fields(line, "word<TAB>category", 1, 2), "")[:2]
    return ListEntry(_listed_word(line, word, normalise), _category(line, category))


def read_gold(line: Line, normalise: Normalise) -> ListEntry:
    """Read `word<TAB>un break able, unbreak able<TAB>category`; the category may be missing."""
    layout = "word<TAB>seg ments[, alter native]<TAB>category"
    field, segmented, category = (*_fields(line, layout, 2, 3), "")[:3]
    word = _listed_word(line, field, normalise)
    alternatives = [_boundaries(line, word, text, normalise) for text in segmented.split(", ")]
    return ListEntry(word, _category(line, category), tuple(dict.fromkeys(alternatives)))


def _category(line: Line, category: str) -> str:
    """Check a category, which will stand in tables of one line a row."""
    if "\r" in category:
        raise InputError(f"{line.place}: found a carriage return in the category {category!r}")
    return category


def _fields(line: Line, layout: str, least: int, most: int) -> list[str]:
    fields = [field.strip(ASCII_SPACE) for field in line.text.split("\t")]
    if not least <= len(fields) <= most:
        raise InputError(
            f"{line.place}: found {len(fields)} field{'s' * (len(fields) > 1)} in {line.text!r}; "
            f"a line holds {layout}"
        )
    return fields


def _word(line: Line, field: str, normalise: Normalise) -> str:
    if not field:
        raise InputError(f"{line.place}: found no word before the tab")
    word = normalise(field).strip(ASCII_SPACE)
    if _SPACE.search(word):
        raise InputError(f"{line.place}: found white space in {word!r}; an entry is one word")
    return word


def _listed_word(line: Line, field: str, normalise: Normalise) -> str:
    word = _word(line, field, normalise)
    if len(word) > LONGEST:
        raise InputError(
            f"{line.place}: found an entry of {len(word):,} characters; at most {LONGEST:,} are "
            "scored as one word"
        )
    return word


def _boundaries(line: Line, word: str, segmented: str, normalise: Normalise) -> Segmented:
    # It comes with NumPy, which whoever only counts words does not wait for.
    from tokbench.api.segmentation import byte_length

    raw = _SPACE.split(segmented.strip(ASCII_SPACE))
    segments = [normalise(segment) for segment in raw]
    joined = "".join(segments)
    if joined != word == normalise("".join(raw)) and len(joined) == len(word):
        # A letter may depend on its neighbours, as the Greek sigma at the end of a word does.
        cuts = list(accumulate(map(len, segments), initial=0))
        segments = [word[begin:end] for begin, end in pairwise(cuts)]
        joined = word
    if joined != word:
        raise InputError(
            f"{line.place}: the segments {segmented!r} join to {joined!r}, not to {word!r}"
        )
    # A segment that normalisation empties gives no boundary, hence the set.
    ends = set(accumulate(map(byte_length, segments)))
    return tuple(sorted(ends - {0, byte_length(word)}))
