"""Sentences and unseen words to look at, with the tokens that the page cannot make itself."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from tokbench_views.examples import extremes
from tokbench_views.shared import first_test

from tokbench.api.arrays import Segmentation
from tokbench.api.text import byte_length
from tokbench.run_folder import CorpusRecord, Run

Sample = dict[str, Any]
Places = Sequence[int]
"""Numbers of running words."""


def samples(run: Run, systems: Collection[str]) -> list[Sample]:
    """Return the sample lines of the first text, and the unseen words split most and least.

    Of these `systems` the tokens at each size stand beside.
    """
    text = first_test(run, "text")
    if text is None or run.is_without_text:
        return []
    words, chosen = run.words(text.name), [*_chosen(run, text)]
    shown: list[Sample] = [
        {"title": title, "text": line, "words": [words.text[words.order[i]] for i in places]}
        | {"cuts": {}}
        for title, line, places in chosen
    ]
    for outcome in run.record.outcomes:
        if outcome.name in systems:
            cut = run.segmentation(outcome.system, text.name, outcome.size, outcome.context)
            for sample, (_, _, places) in zip(shown, chosen, strict=True):
                sizes = sample["cuts"].setdefault(outcome.name, {})
                sizes[outcome.size] = [*_tokens(cut, places)]
    return shown


def _chosen(run: Run, corpus: CorpusRecord) -> Iterator[tuple[str, str, Places]]:
    """Yield the title of each sample, its text and its running words."""
    words = run.words(corpus.name)
    for number, sample in enumerate(corpus.samples, start=1):
        places = range(int(words.lines[sample.line]), int(words.lines[sample.line + 1]))
        yield f"sentence {number}", sample.text, places
    if unseen := extremes(run, corpus.name):
        line = " ".join(words.text[word] for word in unseen)
        yield "unseen words", line, [int(np.argmax(words.order == word)) for word in unseen]


def _tokens(cut: Segmentation, places: Places) -> Iterator[list[list[Any]]]:
    """Yield for each running word its tokens: how they are shown, their ids and lengths in bytes.

    A token that is not known has the id -1.
    """
    for state, word in zip(cut.states_at([*places]), cut.words.order[[*places]], strict=True):
        span = slice(cut.row[state], cut.row[state + 1])
        numbers = np.where(cut.known[span], cut.ids[span], -1).tolist()
        text = cut.words.text[word]
        begins = [byte_length(text[:start]) for start in cut.starts[span].tolist()]
        lengths = np.diff([*begins, byte_length(text)]).tolist()
        yield [[*token] for token in zip(cut.pieces(int(state)), numbers, lengths, strict=True)]
