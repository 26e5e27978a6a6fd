"""The training file: counted words or lines, as the trainer can take them.

The trainer passes over every line that holds U+2585, saying so only in its log; it cannot read a
counted word that holds a tab, nor any line feed. To it U+0000 is no character, only a border that
no piece crosses. So each of these characters becomes U+0000: they are not learned, what stands
beside them is. A lone surrogate becomes U+FFFD, as it does where text is cut.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tokbench.api import InputError, byte_length, encodable

_UNREADABLE = str.maketrans(dict.fromkeys("\u2585\n", "\0"))
_UNREADABLE_IN_WORDS = str.maketrans(dict.fromkeys("\u2585\n\t", "\0"))

# Of 400,000 letters without a space the Unigram trainer's sums overflow, or it takes minutes.
# Words are cut at the same length before any learner sees them.
_LONG_RUN = re.compile("[^ \u2581]{10000}(?=[^ \u2581])")
_CUT = r"\g<0>\n"


def write_words(path: Path, words: Mapping[str, int], longest: int) -> None:
    """Write each word, a tab and its count; `longest` is the most bytes that a word may have."""
    readable = (word.translate(_UNREADABLE_IN_WORDS) for word in words)
    checked = _checked(readable, longest, "word")
    rows = (f"{word}\t{count}" for word, count in zip(checked, words.values(), strict=True))
    _write(path, rows)


def write_lines(path: Path, lines: Iterable[str], longest: int) -> None:
    """Write lines, cut after every 10,000 characters without a space."""
    readable = (line.translate(_UNREADABLE) for line in lines)
    _write(path, (_LONG_RUN.sub(_CUT, line) for line in _checked(readable, longest, "line")))


def _checked(sentences: Iterable[str], longest: int, what: str) -> Iterator[str]:
    """Yield the sentences; raises InputError for one that the trainer would leave out."""
    for number, sentence in enumerate(sentences, start=1):
        # A character has up to four bytes, so most are not measured.
        if 4 * len(sentence) > longest:
            size = byte_length(sentence)
            if size > longest:
                raise InputError(
                    f"{what} {number} of the training text has {size:,} bytes, more than"
                    f" max-sentence-length {longest:,}: the trainer would leave it out"
                )
        yield sentence


def _write(path: Path, rows: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{encodable(row)}\n" for row in rows)
