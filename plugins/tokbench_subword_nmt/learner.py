"""The learner `subword-nmt`: its options, and the vocabulary made of what the program learns."""

import io
from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from tokbench.api import EndMark, Learned, Learner, Marks, Size, SizeError, Vocabulary
from tokbench.api.text import EOW
from tokbench_subword_nmt import NeedsSubwordNmt
from tokbench_subword_nmt.spelling import MARK, hidden

MARKS = Marks(eow=EndMark(kind="fused"))


class SubwordNmt(NeedsSubwordNmt, Learner):
    """Byte pair encoding as learned by subword-nmt, the program of its authors.

    The same as the learner `bpe` with `alphabet: {forms: seen}` and `min-pair-count: 2`. A whole
    size counts each letter in the forms that occur in the text, as the program's `--total-symbols`
    does. The program would misread whitespace inside words, and `<` in a word that contains `</w>`.
    These take part as characters from U+10F000 on, which can only decide between equally frequent
    pairs.

    Source: Sennrich, Haddow and Birch (2016), Neural Machine Translation of Rare Words with
    Subword Units; the program's codes of version 0.2.
    """

    min_frequency: int = Field(2, ge=1, description="stop when no pair is as frequent as this")

    # Merges come one after the other, so a smaller vocabulary is a prefix of a larger.
    prefix_closed: ClassVar[bool] = True
    # Of equally frequent pairs the program takes the greatest, not the first.
    order_free: ClassVar[bool] = True

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Learn merges until the size is reached or no pair is frequent enough.

        Raises SizeError where a total size is below the alphabet.
        """
        letters = {letter for word in words for letter in word[:-1]}
        alphabet = sorted(letters.union(word[-1] + EOW for word in words))
        if size.total is not None and size.total < len(alphabet):
            raise SizeError(
                f"size {size} is below the alphabet of {len(alphabet)} symbols", len(alphabet)
            )
        merges = size.number - (len(alphabet) if size.learned is None else 0)
        # No two learned merges build the same token, so each is one token more.
        learned = self._learn(words, merges) if merges else []
        return Vocabulary.build(alphabet, learned, marks=MARKS, segmenter={"use": "subword-nmt"})

    def _learn(self, words: Mapping[str, int], merges: int) -> list[Learned]:
        """Learn at most so many merges with the program's own function."""
        # The library stays off the start-up path.
        from subword_nmt.learn_bpe import learn_bpe

        if not any(len(word) > 1 for word in words):
            return []  # the program looks for the most frequent pair, whether there is one or not
        mark = any(MARK in word for word in words)
        counted = "".join(f"{hidden(word, mark)} {count}\n" for word, count in words.items())
        codes = io.StringIO()
        learn_bpe(io.StringIO(counted), codes, merges, self.min_frequency, is_dict=True)
        _version, *lines = codes.getvalue().rstrip("\n").split("\n")
        return [
            Learned(tuple(hidden(MARKS.read(part), mark) for part in line.split(" ")))
            for line in lines
        ]
