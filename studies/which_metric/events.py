"""The events of systems for the transformer: the same that the count model prices."""

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
    """Write the events of systems at a size, a file a system, of training and held-out text."""
    write_texts(text, work / text.name)
    path = work / text.name / f"{size}-events.yaml"
    chosen = tuple(one for one in SYSTEMS if one.name in names)
    path.write_text(config(text, size, chosen, samples=0, metrics=("tokens",)), "utf-8")
    found = scored(path)
    corpora = found.experiment.load_corpora()
    assert corpora.train is not None
    held = next(one for one in corpora.tests if one.name == "held-out")
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        (outcome,) = found.results.systems[name].outcomes.values()
        system = outcome.system
        segmenter = system.segmenter or found.registry.segmenter_of(outcome.vocabulary)[1]
        in_context = outcome.contexts["held-out"] == "in-context"
        bound = BoundSegmenter(segmenter, outcome.vocabulary)
        cut = bound.lines if in_context else partial(bound.alone, splitter=system.splitter)
        pieces = system.splitter is not None and not in_context
        training = TrainingLines(corpora.train.running_words, cut, in_context, pieces)
        known = training.once(TrainingEvents(outcome.vocabulary))
        asked = event_text(known.events, held.words, cut)
        assert not asked.lost.any()
        spelled = spelling_bits(asked.texts, training, seed=0)
        np.savez(
            out / f"{name}.npz",
            train=known.lines.events,
            train_row=known.lines.row,
            train_size=known.size,
            test=asked.lines.events,
            test_row=asked.lines.row,
            test_size=asked.line_size,
            begin=known.lines.begin,
            possible=known.base > 0,
            spelled_bits=spelled[asked.spelled].sum(),
        )
