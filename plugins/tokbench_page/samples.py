"""Sentences and unseen words to look at, with the tokens that the page cannot make itself."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from tokbench_views.examples import extremes
from tokbench_views.shared import first_test

from tokbench.api import Segmentation
from tokbench.run_folder import KIND, Run, Subset

SENTENCES = 3
SHORTEST, LONGEST = 6, 14
LONG_WORD = 4
DULL = ("case", "number", "punctuation")

Sample = dict[str, Any]
Places = Sequence[int]
"""Numbers of running words."""


def samples(run: Run, systems: Collection[str]) -> list[Sample]:
    """Return three sentences of the first text, and the unseen words that are split most and least.

    The sentences are lines of 6 to 14 words, those with the most unseen words of four characters or
    more, but for numbers and for seen words in another case or with punctuation. Of these `systems`
    the tokens at each size stand beside.
    """
    text = first_test(run, "text")
    if text is None or run.is_without_text:
        return []
    words, chosen = run.words(text.name), dict(_chosen(run, text.name))
    shown: list[Sample] = [
        {"title": title, "words": [words.text[words.order[i]] for i in places], "cuts": {}}
        for title, places in chosen.items()
    ]
    for outcome in run.record.outcomes:
        if outcome.name in systems:
            cut = run.segmentation(outcome.system, text.name, outcome.size, outcome.context)
            for sample, places in zip(shown, chosen.values(), strict=True):
                sizes = sample["cuts"].setdefault(outcome.name, {})
                sizes[outcome.size] = [*_tokens(cut, places)]
    return shown


def _chosen(run: Run, corpus: str) -> Iterator[tuple[str, Places]]:
    words = run.words(corpus)
    begins, lengths = words.lines[:-1], np.diff(words.lines)
    unseen = words.unseen & (words.chars >= LONG_WORD)
    for kind in DULL:  # a heading in capitals tells little
        unseen &= ~words.groups.get(str(Subset(KIND, kind)), np.zeros(len(words), dtype=bool))
    counted = words.sum_lines(unseen)
    fit = np.flatnonzero((lengths >= SHORTEST) & (lengths <= LONGEST))
    order = fit[np.argsort(-counted[fit], kind="stable")][:SENTENCES]
    for number, line in enumerate(sorted(order.tolist()), start=1):
        yield f"sentence {number}", range(int(begins[line]), int(words.lines[line + 1]))
    places = [int(np.argmax(words.order == word)) for word in extremes(run, corpus)]
    if places:
        yield "unseen words", places


def _tokens(cut: Segmentation, places: Places) -> Iterator[list[list[Any]]]:
    """Yield for each running word its tokens: how they are shown, their ids and lengths in bytes.

    A token that is not known has the id -1.
    """
    for state, word in zip(_states(cut, places), cut.words.order[[*places]], strict=True):
        span = slice(cut.row[state], cut.row[state + 1])
        numbers = np.where(cut.known[span], cut.ids[span], -1).tolist()
        text = cut.words.text[word]
        begins = [_bytes(text[:start]) for start in cut.starts[span].tolist()]
        lengths = np.diff([*begins, _bytes(text)]).tolist()
        yield [[*token] for token in zip(cut.pieces(state), numbers, lengths, strict=True)]


def _states(cut: Segmentation, places: Places) -> list[int]:
    """Return the state of each running word."""
    if cut.context is not None:
        return [int(state) for state in cut.context.order[[*places]]]
    return [int(state) for state in np.searchsorted(cut.word, cut.words.order[[*places]])]


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
