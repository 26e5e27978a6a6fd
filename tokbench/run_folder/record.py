"""The record of a run: its config, corpora, systems and metrics, and what went wrong."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from tokbench.api.vocabulary import SystemSize


@dataclass(frozen=True)
class SampleLine:
    """A line of a text to look at; `line` is its number among the lines with words, from 0."""

    line: int
    text: str


@dataclass(frozen=True)
class FileRecord:
    """A file that the config names: its path from the config's folder, or an absolute one.

    `sha256` and `bytes` are those of its content, unpacked.
    """

    name: str
    sha256: str
    bytes: int = 0


@dataclass(frozen=True)
class CorpusRecord:
    """The training text, or a test corpus of `kind` text, list or gold.

    `running`, `distinct` and `lines` count words and lines, `unseen` running and
    `unseen_distinct` distinct words that the training text does not hold. `words_by` is the
    splitter, `treatment` empty where it is the default one. `unspaced` is True for a text with
    words of a script that puts no spaces between them. `drawn_by` is what resamples draw of it:
    `block:8` (lines), `line`, `document` or `word`, and `fitting_length` how long blocks should be,
    more than they are in a short text; of each resample `drawn_twice` blocks count twice, so that
    intervals are as wide as the text varies. `between_parts` is the mean share of the
    words in a tenth of the training text that the other tenths lack; None where no test text has
    so many unseen words that one asks for it. `samples` are a few lines of the first test text.
    `files` are those that its `path` names, or those of the text from which it was made.
    """

    name: str
    kind: str
    sha256: str
    words_by: str
    treatment: str
    running: int
    distinct: int
    lines: int | None = None
    unseen: int | None = None
    unseen_distinct: int | None = None
    gold: bool = False
    categories: tuple[str, ...] = ()
    unspaced: bool = False
    between_parts: float | None = None
    drawn_by: str = ""
    fitting_length: int | None = None
    drawn_twice: int | None = None
    samples: tuple[SampleLine, ...] = ()
    files: tuple[FileRecord, ...] = ()

    @property
    def block_length(self) -> int | None:
        """The length of the blocks of lines that are drawn of it, if blocks are."""
        length = self.drawn_by.partition(":")[2]
        return int(length) if length else None

    @property
    def counts_punctuation(self) -> bool:
        """Whether its words are those of the splitter `words`, runs of punctuation included."""
        return self.words_by.partition(".")[0] == "words"

    @property
    def is_short(self) -> bool:
        """Whether its intervals may be too narrow, since it is too short for fitting blocks."""
        return (self.block_length or 0) < (self.fitting_length or 0)


@dataclass(frozen=True)
class SystemRecord:
    """One system of the config; `sizes` are those that it was asked for.

    `components` describes its parts with the options that differ from their defaults. `reads` is
    what its learner reads: `words`, `lines` or `nothing`. `curve_to` is the end of the range of
    sizes where a curve was asked for.
    """

    name: str
    learner: str
    segmenter: str | None
    components: str
    reads: str
    sizes: tuple[str, ...]
    curve_to: int | None


@dataclass(frozen=True)
class OutcomeRecord:
    """One system at one size, in one context.

    `learned` is the number of learned items, None where the vocabulary does not say how it was
    learned, `declared` the size that the library of a ready-made tokenizer itself gives. A second
    context of the same system is `isolated_copy` its first. `told_edge` is the edge of each scored
    word that tokens tell where words are cut alone: `beginning`, `end`, `both` or `none`; empty in
    runs of earlier versions, which did not look. `merges_words` is True if many of its tokens hold
    the space between two words, so that words have no lengths.
    """

    system: str
    segmenter: str
    size: str
    context: str
    isolated_copy: bool
    vocabulary_size: int
    learned: int | None
    declared: int | None
    told_edge: str = ""
    merges_words: bool = False

    def loses_word_ends(self, context: str = "") -> bool:
        """Return whether its tokens do not tell where scored words begin or end.

        They do in context, where tokens write the text between words too; `context` is by default
        its own.
        """
        return self.told_edge == "none" and (context or self.context) == "isolated"

    @property
    def name(self) -> str:
        """The system's name, as tables that show two contexts of it must spell it."""
        return f"{self.system} (isolated)" if self.isolated_copy else self.system

    @property
    def label(self) -> str:
        """The system with the size that it was asked for, if any: `bpe@4000`."""
        return str(SystemSize(self.system, self.size))

    def prefix(self, corpus: str) -> str:
        """Return where the arrays of its tokens stand, unless one replay gave all sizes."""
        return "/".join(filter(None, (corpus, self.size, "isolated" * self.isolated_copy)))


@dataclass(frozen=True)
class MetricRecord:
    """One metric; an end of its `range` that is not bounded is None.

    `interval` is True where values have intervals, `unit` is what is resampled for them. `evidence`
    says what is known about its predicting anything, `chance` names the metric of chance alone.
    `across_sizes` is False where values at different sizes do not compare, `listed` is True where
    the config names the metric. `is_length` is True for a length or compression, which is compared
    only between systems that both tell word ends, or both do not. `label` is its name for people,
    with the options that differ from the default; empty where it has none, and in runs of earlier
    versions.
    """

    name: str
    family: str
    meaning: str
    formula: str
    range: tuple[float | None, ...]
    better: str
    unit: str
    source: str
    interval: bool
    evidence: str
    chance: str | None
    across_sizes: bool = True
    listed: bool = False
    is_length: bool = False
    label: str = ""


class Labels(dict[str, str]):
    """The names of metrics for people, by their names; a metric without a label keeps its name."""

    def __missing__(self, name: str) -> str:
        """Return the name itself."""
        return name


@dataclass(frozen=True)
class Cost:
    """One measured step of a run; the size is empty where a step serves every size.

    It is `cached` if its result, or a part of it, was taken from the cache. Windows tells no peak.
    """

    system: str
    step: str
    size: str
    seconds: float
    peak_mb: float | None
    cached: bool = False


@dataclass(frozen=True)
class Speed:
    """How fast a system cuts at its largest size: seconds of five repetitions, and bytes of each.

    The bytes are those of the UTF-8 of the text that was cut, of words if these stand alone, and of
    one short request, of which lists have none.
    """

    system: str
    size: str
    cut_bytes: int
    cut_seconds: tuple[float, ...]
    request_bytes: int | None
    request_seconds: tuple[float, ...]


@dataclass(frozen=True)
class Record:
    """The record of a run; the training text, if there is one, is the first of `corpora`.

    `path` names the config as the command did, empty where it was no file.
    `analyses` has the columns of each, and whether these hold text or numbers. `warnings` are those
    of config and corpora, `notes` those of the run itself, but for the sizes that were `unreached`,
    which tables show.
    """

    tokbench: str
    name: str
    config: str
    resolved: Mapping[str, Any]
    baseline: str | None
    seed: int
    resamples: int
    resample_by: str
    gate: float
    corpora: tuple[CorpusRecord, ...]
    systems: tuple[SystemRecord, ...]
    metrics: tuple[MetricRecord, ...]
    outcomes: tuple[OutcomeRecord, ...]
    analyses: Mapping[str, Mapping[str, str]]
    files: tuple[FileRecord, ...]
    packages: Mapping[str, str]
    cost: tuple[Cost, ...]
    machine: Mapping[str, Any]
    engine: Mapping[str, str]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    failures: tuple[str, ...]
    path: str = ""
    unreached: tuple[str, ...] = ()
    speeds: tuple[Speed, ...] = ()

    @property
    def tests(self) -> tuple[CorpusRecord, ...]:
        """The test corpora."""
        return tuple(corpus for corpus in self.corpora if corpus.kind != "training")

    @property
    def files_by_name(self) -> Mapping[str, FileRecord]:
        """All files that the config names, those of corpora first."""
        of_corpora = (file for corpus in self.corpora for file in corpus.files)
        return {file.name: file for file in (*of_corpora, *self.files)}

    @property
    def baseline_first(self) -> tuple[str, ...]:
        """The names of the systems, the baseline before all others."""
        names = [system.name for system in self.systems]
        return tuple(sorted(names, key=lambda name: name != self.baseline))

    @property
    def better(self) -> Mapping[str, str]:
        """The direction of each metric: `higher`, `lower` or `neither`."""
        return {metric.name: metric.better for metric in self.metrics}

    @property
    def labels(self) -> Labels:
        """The names of metrics for people; two with one label have their names behind it."""
        metrics_with = Counter(metric.label for metric in self.metrics)
        return Labels(
            {
                m.name: m.label if metrics_with[m.label] == 1 else f"{m.label} ({m.name})"
                for m in self.metrics
                if m.label
            }
        )

    @property
    def lengths(self) -> frozenset[str]:
        """The metrics that are a length or compression."""
        return frozenset(metric.name for metric in self.metrics if metric.is_length)

    @property
    def advising(self) -> Mapping[str, str]:
        """The direction of each metric as advice about sizes takes it: those that compare."""
        return {m.name: m.better if m.across_sizes else "neither" for m in self.metrics}

    @property
    def with_curves(self) -> bool:
        """Whether the config asked for curves."""
        return any(system.curve_to is not None for system in self.systems)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Record":
        """Return the record that run.json holds; what later versions add to it is left out."""
        return TypeAdapter(cls).validate_python(document)
