"""What `tokbench init` finds out about a text: its scripts, and the vocabulary sizes for it."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from typing import Literal, NamedTuple

from tokbench.api import Learner, Size, Vocabulary
from tokbench.commands import ConfigKeys, Recommend, Registry, Use
from tokbench.printing import counted, percent
from tokbench_commands.shared import build
from tokbench_commands.tokenizers import NamedVocabulary, bind

GATE: float = ConfigKeys.model_fields["gate"].default
"""Systems with more unknown words are not compared by length."""

KOREAN = 0.3
"""A text is Korean, or unspaced, if so many of its letters are."""

HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]")
SIZES = tuple(500 * 2**power for power in range(8))
"""From 500 to 64,000. None is below 256: a vocabulary of bytes has all of them."""

FEWEST_SIZES, MOST_SIZES = 3, 5
"""With fewer sizes, nothing could be read about size."""

FLAT = Recommend().saving
"""A doubled vocabulary that saves a smaller share of the tokens is hardly worth its size."""

BY_PAIRS = ("bpe", "byte-bpe")
SAMPLED_WORDS = 50_000
"""The most frequent words stand for all: rarer ones hardly change the first 64,000 tokens."""

TRIED_LETTERS = 10_000
"""Distinct words of so many letters show quickly how much a text gives to a slow learner."""

REACHED = 2 / 3
"""So much of an estimated number of tokens is sure to be found."""


@dataclass(frozen=True)
class TextFacts:
    """The letters of a text, its scripts, and the share of test words with an unknown character."""

    letters: int
    korean: bool
    unspaced: bool
    unknown: float

    @property
    def needs_bytes(self) -> bool:
        """Whether systems on characters are likely to know too little of the test."""
        return self.korean or self.unknown > GATE

    @property
    def reach(self) -> float:
        """How much of the tokens that words give is sure, since morphemes give fewer."""
        return REACHED if self.korean else 1

    @classmethod
    def of(cls, words: Mapping[str, int], test: Mapping[str, int]) -> "TextFacts":
        """Look at the counted words of a text, and at those of its test."""
        letters = sum(len(word) * count for word, count in words.items())

        def is_written_in(script: re.Pattern[str]) -> bool:
            letters_in_script = sum(
                len(script.findall(word)) * count for word, count in words.items()
            )
            return letters_in_script > KOREAN * letters

        alphabet = set().union(*words)
        korean, unspaced = map(is_written_in, (HANGUL, UNSPACED))
        unknown = sum(count for word, count in test.items() if not alphabet.issuperset(word))
        return cls(len(alphabet), korean, unspaced, unknown / sum(test.values()))


class ChosenSizes(NamedTuple):
    """The sizes of a config, under the key that they stand below, with comments about them."""

    key: Literal["sizes", "merges"]
    numbers: list[int]
    comments: list[str]


def choose_sizes(
    registry: Registry, words: Mapping[str, int], test: Mapping[str, int], facts: TextFacts
) -> ChosenSizes:
    """Choose sizes up to where a doubled vocabulary hardly saves tokens of the test any more.

    The last is twice the first size whose doubling saves under 3 %, if the training words give so
    many tokens to each learner. Where fewer than three sizes fit, there are numbers of merges.
    """
    tokens = _tokens_by_size(registry, words, test, facts)
    sizes = [*tokens]
    savings = [1 - tokens[large] / tokens[small] for small, large in pairwise(sizes)]
    flat = next((number for number, saving in enumerate(savings) if saving < FLAT), None)
    if flat is not None:
        sizes = sizes[: max(flat + 2, FEWEST_SIZES)]
    if sizes and 2 * sizes[-1] > len(words):
        most = _found_by_unigram(registry, words, Size(total=sizes[-1]))
        sizes = [size for size in sizes if size <= most]
    if len(sizes) < FEWEST_SIZES:
        return _merges(registry, words, facts)
    saving = percent(savings[len(sizes) - 2], 1)
    doubling = f"from {sizes[-2]:,} to {sizes[-1]:,} a quick BPE"
    comments = [f"# Vocabulary sizes: {doubling} saves only {saving} of the tokens of held-out."]
    if savings[len(sizes) - 2] >= FLAT:
        comments = [
            "# Vocabulary sizes, the largest that the text gives or that are usual:",
            f"# {doubling} still saves {saving} of the tokens of held-out.",
        ]
    return ChosenSizes("sizes", sizes[-MOST_SIZES:], comments)


def _learn(registry: Registry, name: str, words: Mapping[str, int], size: Size) -> Vocabulary:
    learner: Learner = build(registry, "learner", Use(use=name))
    return learner.learn(words, size)


def _tokens_by_size(
    registry: Registry, words: Mapping[str, int], test: Mapping[str, int], facts: TextFacts
) -> dict[int, int]:
    """Count the tokens of the test with BPE on bytes, at each usual size that the words give."""
    import numpy as np  # help needs no NumPy

    sample = _most_frequent(words)
    on_characters, on_bytes = (
        _learn(registry, name, sample, Size(learned=SIZES[-1])) for name in BY_PAIRS
    )
    most = facts.reach * min(on_characters.size, on_bytes.size)
    sample = _most_frequent(test)
    texts, counts = [*sample], np.array([*sample.values()])
    tokens = {}
    # An alphabet holds each letter twice: inside a word, and at its end.
    for size in (size for size in SIZES if 2.5 * facts.letters <= size <= most):
        vocabulary = on_bytes.cut(Size(total=size))
        row = bind(registry, NamedVocabulary("byte-bpe", vocabulary)).bound.tokens(texts).row
        tokens[size] = int(np.diff(row) @ counts)
    return tokens


def _most_frequent(words: Mapping[str, int]) -> Mapping[str, int]:
    if len(words) <= SAMPLED_WORDS:
        return words
    return dict(sorted(words.items(), key=lambda item: -item[1])[:SAMPLED_WORDS])


def _found_by_unigram(registry: Registry, words: Mapping[str, int], size: Size) -> int:
    """Return how many tokens, or learned items, Unigram finds: estimated where words are many."""
    letters = [*accumulate(map(len, words))]
    tried = dict(islice(words.items(), max(bisect_right(letters, TRIED_LETTERS), 1)))
    vocabulary = _learn(registry, "unigram", tried, size)
    number = len(vocabulary.learned) if size.total is None else vocabulary.size
    if len(tried) == len(words):
        return number
    return int(REACHED * number * len(words) / len(tried))


def _merges(registry: Registry, words: Mapping[str, int], facts: TextFacts) -> ChosenSizes:
    """Return numbers of merges that every learner finds, for a text that too few sizes fit."""
    sample = _most_frequent(words)
    size = Size(learned=len(sample))
    by_pairs = (len(_learn(registry, name, sample, size).learned) for name in BY_PAIRS)
    most = int(facts.reach * min(*by_pairs, _found_by_unigram(registry, sample, size)))
    most -= most % 10 ** max(len(str(most)) - 2, 0)
    comments = [
        f"# Fewer than {FEWEST_SIZES} usual vocabulary sizes fit"
        f" {counted(len(words), 'distinct word')} and an alphabet of"
        f" {counted(facts.letters, 'character')}.",
        "# These are numbers of merges instead: of tokens beside the alphabet.",
    ]
    return ChosenSizes("merges", sorted({max(most // part, 1) for part in (4, 2, 1)}), comments)
