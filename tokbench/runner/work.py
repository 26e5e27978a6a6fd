"""What the steps of a run share: what accumulates, names for messages, and scoring one size."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tokbench.api import Segmentation, Segmenter, Size, Vocabulary
from tokbench.api.component import Use
from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora
from tokbench.errors import TokbenchError
from tokbench.plugins import Registry
from tokbench.run_folder.tables import SizeStatistics
from tokbench.runner.bench import Bench
from tokbench.runner.cost import CostBook
from tokbench.runner.curves import Curve
from tokbench.runner.failures import Failures
from tokbench.runner.outcome import Context, Outcome
from tokbench.runner.repeating import Repeated
from tokbench.runner.scoring import score

Progress = Callable[[str], None]
Segmentations = Mapping[str, Segmentation]


@dataclass(eq=False)
class Work:
    """What accumulates while the systems of an experiment run."""

    experiment: Experiment
    corpora: Corpora
    registry: Registry
    progress: Progress
    benches: tuple[Bench, ...]
    failures: Failures = field(default_factory=Failures)
    book: CostBook = field(default_factory=CostBook)
    learned: dict[str, Vocabulary] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)
    timelines: dict[str, Segmentations] = field(default_factory=dict)
    curves: list[Curve] = field(default_factory=list)
    sizes: list[SizeStatistics] = field(default_factory=list)
    repeated: list[Repeated] = field(default_factory=list)
    repeats: bool = False

    def again(self) -> "Work":
        """Give a place for what a repeated learning run gives: only its values are kept."""
        return Work(
            self.experiment,
            self.corpora,
            self.registry,
            self.progress,
            self.benches,
            self.failures,
            repeats=True,
        )


def where(system: System, size: Size | None) -> str:
    """Name a system, and its size if it has one, in messages."""
    return f"system {system.name}" + ("" if size is None else f" at size {size}")


def segmenter_of(
    system: System, vocabulary: Vocabulary, registry: Registry
) -> tuple[str, Segmenter]:
    """Give the system's own segmenter, or the one that the vocabulary names."""
    if system.segmenter is not None and system.segmenter_name is not None:
        return system.segmenter_name, system.segmenter
    if "use" not in vocabulary.segmenter:
        raise TokbenchError("its vocabulary names no segmenter: give the system a `segmenter`")
    use = Use.model_validate(dict(vocabulary.segmenter))
    segmenter = registry.build("segmenter", use)
    assert isinstance(segmenter, Segmenter)  # the registry holds only segmenters of that kind
    return use.use, segmenter


def scored(
    system: System,
    segmenter_name: str,
    size: Size | None,
    vocabulary: Vocabulary,
    segmentations: Segmentations,
    work: Work,
    context: Context = "isolated",
    beside: bool = False,
) -> Outcome:
    """Score one size of a system on every corpus that it was cut on."""
    label = "" if size is None else str(size)
    with work.book.measure(system.name, "score", label):
        estimates = {
            bench.corpus.name: score(
                bench,
                work.experiment.metrics,
                segmentations[bench.corpus.name],
                work.failures,
                where(system, size),
                segmentations,
            )
            for bench in work.benches
            if bench.corpus.name in segmentations
        }
    return Outcome(
        system, segmenter_name, size, vocabulary, segmentations, estimates, context, beside
    )
