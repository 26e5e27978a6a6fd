"""The training text, read and counted."""

from collections import Counter
from collections.abc import Sequence

from tokbench.api import CountedWords, Splitter
from tokbench.corpora.counting import count_pieces
from tokbench.corpora.entries import read_count
from tokbench.corpora.overlap import Overlap
from tokbench.corpora.pieces import pieces
from tokbench.corpora.reading import Reading
from tokbench.corpora.words import cut
from tokbench.errors import InputError


def count_training(
    reading: Reading, splitter: Splitter, overlaps: Sequence[Overlap]
) -> CountedWords:
    """Count the words of the training text in one pass, comparing its lines with the tests'.

    Raises InputError if there are no words.
    """
    if reading.source.format == "counts":
        words = _added_up(reading)
    else:
        watchers = [overlap.see for overlap in overlaps if reading.source.format == "text"]
        words = count_pieces(pieces(reading.chunks(), reading, watchers), splitter)
    if not words:
        raise reading.no_words()
    return words


def _added_up(reading: Reading) -> CountedWords:
    """Add up the counts of a file of word counts."""
    counts: Counter[str] = Counter()
    for line in reading.reader:
        word, count = read_count(line, reading.normalise)
        for piece in cut([word], line, reading.finder.overlong):
            counts[piece] += count
    return CountedWords.of(counts)


def frequent(reading: Reading, words: CountedWords) -> CountedWords:
    """Leave out the words that occur less often than `min-word-count`.

    Raises InputError if none are left.
    """
    least = reading.source.min_word_count
    if least == 1:
        return words
    frequent = words.frequent(least)
    if not frequent:
        raise InputError(
            f"{reading.paths[0]}: no word occurs {least:,} times (`min-word-count`); the most "
            f"frequent one occurs {max(words.values()):,} times"
        )
    return frequent
