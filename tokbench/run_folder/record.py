"""What a run was: its config, corpora, systems and metrics, and what went wrong; run.json."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from tokbench.errors import InputError, UsageError

FORMAT = 2


@dataclass(frozen=True)
class CorpusRecord:
    """The training text, or a test corpus of `kind` text, list or gold.

    `running`, `distinct` and `lines` count words and lines, `unseen` running and
    `unseen_distinct` distinct words that the training text does not hold. `words_by` is the
    splitter, `treatment` empty where it is the default one. `unspaced` is True for a text with
    words of a script that puts no spaces between them.
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
    context of the same system is `isolated_copy` its first.
    """

    system: str
    segmenter: str
    size: str
    context: str
    isolated_copy: bool
    vocabulary_size: int
    learned: int | None
    declared: int | None

    @property
    def name(self) -> str:
        """The system's name, as tables that show two contexts of it must spell it."""
        return f"{self.system} (isolated)" if self.isolated_copy else self.system

    @property
    def label(self) -> str:
        """The system with the size that it was asked for, if any: `bpe@4000`."""
        return f"{self.system}@{self.size}" if self.size else self.system


@dataclass(frozen=True)
class MetricRecord:
    """One metric; an end of its `range` that is not bounded is None.

    `interval` is True where values have intervals, `unit` is what is resampled for them.
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


@dataclass(frozen=True)
class FileRecord:
    """A file that an option names."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Cost:
    """One measured step of a run; the size is empty where a step serves every size."""

    system: str
    step: str
    size: str
    seconds: float
    peak_mb: float


@dataclass(frozen=True)
class Record:
    """What a run was; the training text is the first of `corpora`.

    `warnings` are those of config and corpora, `notes` those of the run itself.
    """

    tokbench: str
    name: str
    config: str
    resolved: Mapping[str, Any]
    baseline: str | None
    seed: int
    resamples: int
    corpora: tuple[CorpusRecord, ...]
    systems: tuple[SystemRecord, ...]
    metrics: tuple[MetricRecord, ...]
    outcomes: tuple[OutcomeRecord, ...]
    files: tuple[FileRecord, ...]
    packages: Mapping[str, str]
    cost: tuple[Cost, ...]
    machine: Mapping[str, Any]
    engine: Mapping[str, str]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    failures: tuple[str, ...]

    @property
    def tests(self) -> tuple[CorpusRecord, ...]:
        """The test corpora."""
        return self.corpora[1:]

    @property
    def with_curves(self) -> bool:
        """Whether the config asked for curves."""
        return any(system.curve_to is not None for system in self.systems)

    def to_json(self) -> str:
        """Write the record as JSON."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n"


def read_record(folder: Path) -> Record:
    """Read run.json of a folder.

    Raises UsageError for a folder that is no run, InputError for one that is damaged or of
    another format.
    """
    try:
        if not folder.is_dir():
            what = "is a file, not a run folder" if folder.exists() else "there is no such folder"
            raise InputError(f"{folder}: {what}")
    except OSError as error:  # a name that is too long
        raise InputError(f"{folder}: cannot be read: {error.strerror or error}") from None
    path = folder / "run.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        found = None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: damaged: {error}") from None
    if not isinstance(found, dict) or "tokbench" not in found:
        raise UsageError(f"{folder}: not a run of tokbench (no run.json of ours)")
    if found.get("format") != FORMAT:
        raise InputError(
            f"{folder}: a run of format {found.get('format')!r}, this version reads {FORMAT}"
        )
    try:
        record: Record = _typed(Record, found, "run")
    except ValueError as error:
        raise InputError(f"{path}: damaged: {error}") from None
    if not record.corpora:
        raise InputError(f"{path}: damaged: it names no corpora")
    return record


def _typed(kind: Any, value: Any, where: str) -> Any:
    """Return JSON data as a type of this module; raise ValueError where it is something else."""
    if is_dataclass(kind):
        return _made(kind, value, where)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is tuple and isinstance(value, list):
        return tuple(_typed(inner[0], item, where) for item in value)
    if origin is UnionType:
        return value if value is None else _typed(inner[0], value, where)
    allowed = (int, float) if kind is float else origin or kind
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{where}: found {value!r:.60}")
    return value


def _made(kind: Any, value: Any, where: str) -> Any:
    """Return JSON data as a dataclass, its keys by name."""
    if not isinstance(value, dict):
        raise ValueError(f"{where} is no mapping")
    hints = get_type_hints(kind)
    if missing := [name for name in hints if name not in value]:
        raise ValueError(f"{where} has no {missing[0]!r}")
    return kind(**{name: _typed(hint, value[name], name) for name, hint in hints.items()})
