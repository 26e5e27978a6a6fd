"""The learner `morfessor`: its options, and the vocabulary made of what the program learns."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from tokbench.api import Learned, Learner, Size, SizeError, Vocabulary
from tokbench_morfessor.training import train

NAME = "morfessor"


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
    requires_modules: ClassVar[tuple[str, ...]] = (NAME,)
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
        sought = size.learned if size.total is None else size.total - len(alphabet)
        lexicon = train(
            {
                **self.model_dump(),
                "words": self._kept(words),
                "sought": sought if self.sized else None,
            }
        )
        if self.sized and lexicon["morphs"] > (sought or 0):
            least = len(alphabet) + lexicon["morphs"]
            raise SizeError(f"size {size} is below the {least} tokens of the lowest weight", least)
        return _vocabulary(alphabet, lexicon)

    def _kept(self, words: Mapping[str, int]) -> dict[str, int]:
        return {
            word: count
            for word, count in words.items()
            if len(word) <= self.longest_word and count >= self.min_count
        }


def _vocabulary(alphabet: list[str], found: Mapping[str, Any]) -> Vocabulary:
    counts: Mapping[str, int] = found["counts"]
    morphs = sorted((m for m in counts if len(m) > 1), key=lambda morph: (-counts[morph], morph))
    return Vocabulary.build(
        alphabet,
        [Learned((morph,), counts[morph]) for morph in morphs],
        segmenter={"use": NAME},
        extra={
            NAME: {
                "corpus-weight": found["corpus-weight"],
                "num-morph-types": found["num-morph-types"],
                "total": sum(counts.values()) + found["words"],
                "letters": {letter: counts[letter] for letter in alphabet if letter in counts},
            }
        },
    )
