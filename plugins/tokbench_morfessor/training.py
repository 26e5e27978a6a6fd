"""Train Morfessor, for a corpus weight or for a number of morphs."""

import math
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

LOWEST, USUAL, HIGHEST = 2.0**-20, 1.0, 2.0**5
"""The weights at which nearly all words are letters, of the program, and where all are whole."""

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


def train(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the lexicon of the corpus weight asked for, or else of the number of morphs `sought`.

    It has no more of them; where the program learns none so small, it is the smallest.
    """
    words, dampen = asked["words"], DAMPENING[asked["dampening"]]
    weight = asked["corpus_weight"]
    found = _sized(asked) if weight is None else _learn(asked, weight=weight)
    return {
        "counts": dict(found.counts),
        "morphs": found.morphs,
        "corpus-weight": found.weight,
        "num-morph-types": found.types,
        "words": sum(map(dampen, words.values())),
    }


def _sized(asked: Mapping[str, Any]) -> Lexicon:
    words, sought = asked["words"], asked["sought"]
    found: Lexicon | None = None
    if sought >= _most(words, asked["force_split"]):
        found = _learn(asked, weight=HIGHEST)
    elif sought > 0:
        letters = len(set().union(*words))
        found = search(
            lambda types: _learn(asked, types=types), sought, asked["tolerance"], letters
        )
    return found or _learn(asked, weight=LOWEST)


def search(
    learn: Callable[[int], Lexicon], sought: int, tolerance: float, letters: int
) -> Lexicon | None:
    """Find the largest lexicon of at most the morphs sought; None where none is so small.

    `learn` takes the number of types, of which some are single letters: how many is known only
    afterwards. Ends when no more than the tolerance is missing.
    """
    aim = sought * (1 - tolerance / 2)
    types = round(aim + letters / 2)
    found: dict[int, Lexicon] = {}
    while len(found) < TRIES and types not in found:
        lexicon = found[types] = learn(types)
        if sought * (1 - tolerance) <= lexicon.morphs <= sought:
            return lexicon
        low = max((n for n, tried in found.items() if tried.morphs <= sought), default=0)
        high = min((n for n, tried in found.items() if tried.morphs > sought), default=math.inf)
        types += round(aim - lexicon.morphs) or 1
        if low < high < math.inf and not low < types < high:
            types = (low + int(high)) // 2
        types = max(1, types)
    fitting = [lexicon for lexicon in found.values() if lexicon.morphs <= sought]
    return max(fitting, key=lambda lexicon: lexicon.morphs, default=None)


def _learn(asked: Mapping[str, Any], weight: float = USUAL, types: int | None = None) -> Lexicon:
    from morfessor import BaselineModel, utils

    utils.show_progress_bar = False
    before = random.getstate()
    random.seed(str(asked["seed"]))  # the program hands its seed over as text
    try:
        return _trained(
            BaselineModel(
                forcesplit_list=list(asked["force_split"]),
                corpusweight=weight,
                use_skips=asked["skips"],
                nosplit_re=None,
            ),
            asked,
            types,
        )
    finally:
        random.setstate(before)


def _trained(model: Any, asked: Mapping[str, Any], types: int | None) -> Lexicon:
    from morfessor import NumMorphCorpusWeight

    if types is not None:
        model.set_corpus_weight_updater(NumMorphCorpusWeight(types, threshold=0.01))
    data = ((count, word) for word, count in asked["words"].items())
    model.load_data(
        data, freqthreshold=1, count_modifier=DAMPENING[asked["dampening"]], init_rand_split=None
    )
    if asked["words"]:
        model.train_batch("recursive", (), asked["finish_threshold"], asked["max_epochs"])
    return Lexicon(dict(model.get_constructions()), model.get_corpus_coding_weight(), types)


def _most(words: Mapping[str, int], force_split: str) -> int:
    """Count the different parts of more than one letter between the letters that are split off."""
    if not force_split:
        return sum(len(word) > 1 for word in words)
    border = re.compile(f"[{re.escape(force_split)}]")
    parts = {part for word in words for part in border.split(word)}
    return sum(len(part) > 1 for part in parts)
