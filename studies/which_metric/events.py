"""The events of systems for the transformer: the same events that the count model prices."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from parts import scored
from systems import SYSTEMS, config
from texts import Text, write_texts
from tokbench_lm.events import event_text
from tokbench_lm.price import TrainingEvents, spelling_bits

from tokbench.api.arrays import TrainingLines
from tokbench.cut import BoundSegmenter


def write_events(text: Text, size: int, names: Sequence[str], work: Path, out: Path) -> None:
    """Write the events of the training and the held-out text, one file for each system."""
    write_texts(text, work / text.name)
    path = work / text.name / f"{size}-events.yaml"
    chosen = tuple(system for system in SYSTEMS if system.name in names)
    path.write_text(config(text, size, chosen, samples=0, metrics=("tokens",)), "utf-8")
    experiment, registry, results = scored(path)
    corpora = experiment.load_corpora()
    assert corpora.train is not None
    held_out = next(test for test in corpora.tests if test.name == "held-out")
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        (outcome,) = results.systems[name].outcomes.values()
        system = outcome.system
        segmenter = system.segmenter or registry.segmenter_of(outcome.vocabulary)[1]
        in_context = outcome.contexts["held-out"] == "in-context"
        bound = BoundSegmenter(segmenter, outcome.vocabulary)
        cut = bound.lines if in_context else partial(bound.alone, splitter=system.splitter)
        pieces = system.splitter is not None and not in_context
        training = TrainingLines(corpora.train.running_words, cut, in_context, pieces)
        learned = training.once(TrainingEvents(outcome.vocabulary))
        priced = event_text(learned.events, held_out.words, cut)
        assert not priced.lost.any()
        spelled = spelling_bits(priced.texts, training, seed=0)
        np.savez(
            out / f"{name}.npz",
            train=learned.lines.events,
            train_row=learned.lines.row,
            train_size=learned.size,
            test=priced.lines.events,
            test_row=priced.lines.row,
            test_size=priced.line_size,
            begin=learned.lines.begin,
            possible=learned.base > 0,
            spelled_bits=spelled[priced.spelled].sum(),
        )
