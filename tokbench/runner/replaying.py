"""All sizes of a system, and its curves, from one replay of the words."""

from collections.abc import Mapping

import numpy as np

from tokbench.api import Segmenter, Size, Vocabulary
from tokbench.api.segmentation import Ints
from tokbench.config import System
from tokbench.runner.cost import CostBook
from tokbench.runner.curves import curves
from tokbench.runner.fixed_cuts import has_all_states
from tokbench.runner.points import Points
from tokbench.runner.timeline import Replay, grows_at_the_end
from tokbench.runner.work import Segmentations, Work, scored, segmenter_of, where

NO_TIMELINE = "its segmenter gives no timeline"
RENUMBERED = "cutting its vocabulary gives tokens other ids"


def serve_at_once(
    system: System, vocabulary: Vocabulary, cuts: Mapping[Size | None, Vocabulary], work: Work
) -> str | None:
    """Serve all sizes, and the curves, from one replay; tell why not where that cannot be done."""
    name, segmenter = segmenter_of(system, vocabulary, work.registry)
    # What is not overridden need not be asked, which costs preparing the whole vocabulary.
    if not has_all_states(segmenter):
        return NO_TIMELINE
    if not grows_at_the_end(vocabulary):
        return RENUMBERED
    span = system.span
    points = Points.of(vocabulary, span) if span is not None and span.curve else None
    wanted = [len(cut.learned) for cut in cuts.values()]
    wanted += [] if points is None else points.learned[:1].tolist()
    if not wanted:
        return None
    work.progress(f"{system.name}: segmenting")
    book = CostBook()
    with book.measure(system.name, "segment"):
        # A curve needs all states; the listed sizes alone do with those that hold there.
        kept = np.unique(wanted) if points is None else None
        timelines = _timelines(system, vocabulary, segmenter, min(wanted), kept, work)
    if timelines is None:
        return NO_TIMELINE
    work.book.costs += book.costs
    work.timelines[system.name] = timelines
    for size, cut in cuts.items():
        with work.failures.guard(where(system, size)):
            work.progress(f"{system.name}: scoring {size}")
            found = {corpus: whole.at(len(cut.learned), cut) for corpus, whole in timelines.items()}
            work.outcomes.append(scored(system, name, size, cut, found, work))
    if points is not None and len(points):
        _draw_curves(system, points, timelines, work)
    return None


def _timelines(
    system: System,
    vocabulary: Vocabulary,
    segmenter: Segmenter,
    since: int,
    wanted: Ints | None,
    work: Work,
) -> Segmentations | None:
    replay = Replay(vocabulary, segmenter, segmenter.prepare(vocabulary), system.splitter)
    found = {}
    for test in work.corpora.tests:
        whole = replay(test.words, since, wanted)
        if whole is None:
            return None
        found[test.name] = whole
    return found


def _draw_curves(system: System, points: Points, timelines: Segmentations, work: Work) -> None:
    work.progress(f"{system.name}: curves")
    metrics = work.experiment.metrics
    with work.book.measure(system.name, "curves"):
        drawn = [*curves(system.name, timelines, points, work.benches, metrics, work.failures)]
    work.curves += drawn
    if not drawn:
        work.failures.note(f"system {system.name}: no curve: no metric here adds up over words")
