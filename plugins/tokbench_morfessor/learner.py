"""The learner `morfessor`: its options, and the vocabulary made of what the program learns."""

import math
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from tokbench.api import Learned, Learner, Size, SizeError, Vocabulary

NAME = "morfessor"

LOWEST, USUAL, HIGHEST = 2.0**-20, 1.0, 2.0**5
"""The weight that splits nearly all words into letters, the program's own, and one that splits
none."""

TRIES = 5

DAMPENING: Mapping[str, Callable[[int], int]] = {
    "none": lambda count: count,
    "log": lambda count: round(math.log(count + 1, 2)),
    "ones": lambda count: 1,
}


@dataclass(frozen=True)
class Lexicon:
    """The result of learning: the count of each morph, single letters included.

    `weight` is the corpus weight in the end, `types` the number of morphs, single letters
    included, that it was tuned to, or None.
    """

    counts: Mapping[str, int]
    weight: float
    types: int | None

    @property
    def morphs(self) -> int:
        """The number of morphs of more than one letter."""
        return sum(len(morph) > 1 for morph in self.counts)


class Morfessor(Learner):
    """Morfessor Baseline, by the reference program: the morphs that describe the words shortest.

    The vocabulary holds the letters of all words and the learned morphs of several letters. To
    reach a size, the program tunes its corpus weight (`--num-morph-types`), which comes near the
    size. It runs up to five times, until the vocabulary is not above the size and at most
    `tolerance` of the morphs are missing. If no run comes so near, the largest vocabulary that is
    not above the size is taken. The smallest sizes do not exist. The vocabulary's `extra` holds the
    options that were passed to the program: `morfessor-train` with the same options learns the same
    morphs. Words are split recursively, which is the program's default.

    Source: Creutz and Lagus (2002), Unsupervised Discovery of Morphemes; Virpioja, Smit, Gronroos
    and Kurimo (2013), Morfessor 2.0: Python Implementation and Extensions for Morfessor Baseline.
    """

    requires: ClassVar[str | None] = "tokbench[morfessor]"
    requires_version: ClassVar[Mapping[str, str]] = {NAME: "2.0.6"}

    corpus_weight: float | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="the weight of the corpus, which then decides the size (the program's default"
        " is 1.0); if it is not set, it is tuned to the size asked for",
    )
    dampening: Literal["none", "log", "ones"] = Field(
        "ones",
        description="how much a word counts: as often as it occurs in the text (`none`), the `log`"
        " of that, or once (`ones`)",
    )
    seed: int = Field(0, description="the seed of the order in which words are split")
    force_split: str = Field(
        "-", description="the letters that are always split off; empty for none"
    )
    min_count: int = Field(
        1, ge=1, description="learn only from words that occur at least this often in the text"
    )
    skips: bool = Field(False, description="skip frequent parts at random, to learn faster")
    finish_threshold: float = Field(
        0.005,
        gt=0,
        allow_inf_nan=False,
        description="stop when a round shortens the description by less than this a word",
    )
    max_epochs: int = Field(
        60, ge=1, description="the most rounds of one run; tuning to a size may not end by itself"
    )
    tolerance: float = Field(
        0.02, ge=0, lt=1, description="share of the morphs asked for that may be missing"
    )
    longest_word: int = Field(
        100,
        ge=1,
        le=500,
        description="only the letters of longer words are used, since the time to learn from a"
        " word grows at least with the square of its length",
    )

    @property
    def sized(self) -> bool:
        """A weight that is given decides the size."""
        return self.corpus_weight is None

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Return the largest vocabulary found that is not above the size.

        Raises SizeError where the size is below what the lowest weight gives.
        """
        alphabet = sorted(set().union(*words))
        learned_from = {
            word: count
            for word, count in words.items()
            if len(word) <= self.longest_word and count >= self.min_count
        }
        if self.corpus_weight is not None:
            lexicon = self.train(learned_from, self.corpus_weight)
        else:
            sought = size.number if size.total is None else size.total - len(alphabet)
            lexicon = self._tuned(learned_from, sought)
            if lexicon.morphs > sought:
                least = len(alphabet) + lexicon.morphs
                raise SizeError(
                    f"size {size} is below the {least} tokens of the lowest weight", least
                )
        running = sum(map(DAMPENING[self.dampening], learned_from.values()))
        return _vocabulary(alphabet, lexicon, running)

    def _tuned(self, words: Mapping[str, int], sought: int) -> Lexicon:
        """Return the largest lexicon of at most the morphs sought, else the smallest one."""
        lexicon = None
        if sought >= self._most(words):
            lexicon = self.train(words, HIGHEST)
        elif sought > 0:
            letters = len(set().union(*words))
            lexicon = search(
                lambda types: self.train(words, types=types), sought, self.tolerance, letters
            )
        return lexicon or self.train(words, LOWEST)

    def _most(self, words: Mapping[str, int]) -> int:
        """Count the different parts of more than one letter between letters that are split off."""
        if not self.force_split:
            return sum(len(word) > 1 for word in words)
        border = re.compile(f"[{re.escape(self.force_split)}]")
        parts = {part for word in words for part in border.split(word)}
        return sum(len(part) > 1 for part in parts)

    def train(
        self, words: Mapping[str, int], weight: float = USUAL, types: int | None = None
    ) -> Lexicon:
        """Run the program once, with a corpus weight that it tunes to a number of `types`, if any.

        Random numbers that others draw stay as they would be.
        """
        # The library stays off the start-up path.
        from morfessor import BaselineModel, NumMorphCorpusWeight, utils

        utils.show_progress_bar = False
        before = random.getstate()
        random.seed(str(self.seed))  # the program hands its seed over as text
        try:
            model = BaselineModel(
                forcesplit_list=list(self.force_split),
                corpusweight=weight,
                use_skips=self.skips,
                nosplit_re=None,
            )
            if types is not None:
                model.set_corpus_weight_updater(NumMorphCorpusWeight(types, threshold=0.01))
            model.load_data(
                ((count, word) for word, count in words.items()),
                freqthreshold=1,
                count_modifier=DAMPENING[self.dampening],
                init_rand_split=None,
            )
            if words:
                model.train_batch("recursive", (), self.finish_threshold, self.max_epochs)
            return Lexicon(dict(model.get_constructions()), model.get_corpus_coding_weight(), types)
        finally:
            random.setstate(before)


def search(
    learn: Callable[[int], Lexicon], sought: int, tolerance: float, letters: int
) -> Lexicon | None:
    """Return the largest lexicon of at most the morphs sought; None if all are larger.

    `learn` takes the number of types, of which some are single letters: how many is known only
    afterwards. Ends when no more than the tolerance is missing.
    """
    aim = sought * (1 - tolerance / 2)
    types = round(aim + letters / 2)
    tried: dict[int, Lexicon] = {}
    while len(tried) < TRIES and types not in tried:
        lexicon = tried[types] = learn(types)
        if sought * (1 - tolerance) <= lexicon.morphs <= sought:
            return lexicon
        low = max((n for n, smaller in tried.items() if smaller.morphs <= sought), default=0)
        high = min((n for n, larger in tried.items() if larger.morphs > sought), default=math.inf)
        types += round(aim - lexicon.morphs) or 1
        if low < high < math.inf and not low < types < high:
            types = (low + int(high)) // 2
        types = max(1, types)
    fitting = [lexicon for lexicon in tried.values() if lexicon.morphs <= sought]
    return max(fitting, key=lambda lexicon: lexicon.morphs, default=None)


def _vocabulary(alphabet: list[str], lexicon: Lexicon, running: int) -> Vocabulary:
    """Return the letters and the learned morphs; `running` is how often words counted in all."""
    counts = lexicon.counts
    morphs = sorted((m for m in counts if len(m) > 1), key=lambda morph: (-counts[morph], morph))
    model: dict[str, Any] = {
        "corpus-weight": lexicon.weight,
        "num-morph-types": lexicon.types,
        "total": sum(counts.values()) + running,
        "letters": {letter: counts[letter] for letter in alphabet if letter in counts},
    }
    return Vocabulary.build(
        alphabet,
        [Learned((morph,), counts[morph]) for morph in morphs],
        segmenter={"use": NAME},
        extra={NAME: model},
    )
