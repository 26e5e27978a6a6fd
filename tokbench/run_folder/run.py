"""A run as plain data: what an experiment found, from memory or from a run folder alike."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import ValidationError

from tokbench.api import Size, Vocabulary
from tokbench.api.arrays import Segmentation, Words
from tokbench.api.output import Additions
from tokbench.api.vocabulary import SystemSize
from tokbench.errors import LONGEST_SHOWN, InputError, TokbenchError, UsageError
from tokbench.printing import cell
from tokbench.run_folder.arrays import Arrays, Lazy, opened, states_of, words_of
from tokbench.run_folder.layout import RECORD
from tokbench.run_folder.lock import settle
from tokbench.run_folder.record import OutcomeRecord, Record
from tokbench.run_folder.seal import SealedFolder, refuse
from tokbench.run_folder.tables import (
    CURVE_COLUMNS,
    AdviceRow,
    AnalysisRow,
    ComparisonRow,
    CoverageRow,
    CurveSteps,
    GrowthRow,
    Row,
    SignatureRow,
    SizeStatistics,
    UnseenRow,
    cells,
    column_kinds,
    read_analysis,
    read_curves,
    read_table,
    row_of,
)

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

TABLES: Mapping[str, tuple[str, type[Any]]] = {
    "results": ("rows", Row),
    "comparisons": ("comparisons", ComparisonRow),
    "coverage": ("coverage", CoverageRow),
    "advice": ("advice", AdviceRow),
    "sizes": ("sizes", SizeStatistics),
    "unseen": ("unseen", UnseenRow),
    "growth": ("growth", GrowthRow),
    "signatures": ("signatures", SignatureRow),
}
"""By the name of a table, where a run holds its rows, and their type."""

QUOTED = re.compile(
    r"""(?:(?<!\w)|(?<=\bb))(['"])(?:\\.|(?!\1).)*(?:\1|$)|U\+[0-9A-F]{4,6}""", re.DOTALL
)
"""A quotation, also one that was cut off, and a code point."""
RAISED = re.compile(r"(^|: )([A-Z]\w*): .*?( \(\S+:\d+\))?( \(system [^()]*\))?$", re.DOTALL)
"""An error that is not ours, as messages spell it: its type, its message, and its places."""


@dataclass(frozen=True, eq=False)
class Run:
    """All that a run found, as plain data; numbers have the digits of its files.

    `curves` is None where none was asked for. `learned` holds the vocabulary of each learning
    run: by system, or by `system@size` where each size was learned by itself; `%0.1` stands behind
    the system where it learned from that share of the training text. `texts` holds the
    words of each test corpus. `states` holds the arrays of segmentations by system; see
    `run_folder.arrays`. Both are empty where the config says `samples: none`. `added` is what
    plugins add to its views; it is no part of the run.
    """

    record: Record
    rows: tuple[Row, ...]
    comparisons: tuple[ComparisonRow, ...]
    coverage: tuple[CoverageRow, ...]
    curves: tuple[CurveSteps, ...] | None
    advice: tuple[AdviceRow, ...]
    sizes: tuple[SizeStatistics, ...]
    unseen: tuple[UnseenRow, ...]
    growth: tuple[GrowthRow, ...]
    signatures: tuple[SignatureRow, ...]
    analyses: tuple[AnalysisRow, ...]
    learned: Mapping[str, Vocabulary]
    texts: Mapping[str, Words]
    states: Mapping[str, Arrays]
    added: Additions = field(default_factory=Additions)

    @classmethod
    def load(cls, folder: Path | str, tell_changed: Callable[[str], None] = refuse) -> Self:
        """Read a run folder, without any plugin; vocabularies and tokens when they are asked for.

        `tell_changed` is called with a message about each table that was changed since the run; it
        is then read as it is. Raises UsageError for a folder that is no run, InputError for files
        that are missing, changed, or of another format.
        """
        settle(Path(folder))
        files = SealedFolder.open(Path(folder), tell_changed)
        layout, sealed = files.layout, files.digests

        def read(name: str, parse: Callable[[bytes], T]) -> T:
            with _undamaged(files.folder / name):
                return parse(files.read(name))

        with _undamaged(files.folder / RECORD):
            record = Record.of(files.document)
            for table in record.analyses:  # a name such as ../x would be read outside the folder
                if not PurePath(table).name == table:
                    raise ValueError(f"{table!r} is no name of a table")
            systems = [system.name for system in record.systems]
            with_tokens = [name for name in systems if layout.segmentation(name) in sealed]

        def rows(table: str, parse: Callable[[bytes], Sequence[T]]) -> tuple[T, ...]:
            path = layout.table(table)
            return tuple(read(path, parse)) if path in sealed else ()

        tables: dict[str, Any] = {
            name: rows(table, partial(read_table, kind=kind))
            for table, (name, kind) in TABLES.items()
        }
        analyses = [
            row
            for name, kinds in record.analyses.items()
            for row in rows(name, partial(read_analysis, name, kinds))
        ]

        def vocabulary(name: str) -> Vocabulary:
            file = layout.vocabulary(name)
            where = str(files.folder / file)
            return read(file, lambda data: Vocabulary.from_json(data.decode("utf-8"), where))

        def arrays(name: str) -> Arrays:
            file = layout.segmentation(name)
            return read(file, partial(opened, where=str(files.folder / file)))

        def words(corpus: str) -> Words:
            with _undamaged(files.folder / layout.words):
                return words_of(arrays_of_words(), corpus)

        names = filter(None, map(layout.vocabulary_name, sealed))
        arrays_of_words = cache(lambda: read(layout.words, opened))
        corpora = [test.name for test in record.tests if layout.words in sealed]
        return cls(
            record=record,
            **tables,
            analyses=tuple(analyses),
            curves=rows("curves", read_curves) if record.with_curves else None,
            learned=Lazy(in_config_order(names, record), vocabulary),
            texts=Lazy(corpora, words),
            states=Lazy(with_tokens, arrays),
        )

    def __repr__(self) -> str:
        """Name the run, and count what it holds."""
        record = self.record
        systems = f"{len(record.systems)} system{'s' * (len(record.systems) != 1)}"
        tests = f"{len(record.tests)} test {'corpus' if len(record.tests) == 1 else 'corpora'}"
        return f"<Run {record.name}: {systems}, {tests}, {len(self.rows):,} rows of results>"

    def signature(self, row: "Row | pd.Series[Any] | Mapping[str, Any] | tuple[Any, ...]") -> str:
        """Return the signature of a number: what someone else needs to get it again.

        `row` is a row of `frame()`, a mapping with at least its system, size, corpus, context and
        metric, or a tuple of all its cells. Empty for a row that says why there is no number.
        Raises UsageError for any other row, and for a system, size, corpus or metric that the run
        lacks.
        """
        row = row if isinstance(row, Row) else row_of(row)
        if row.metric and row.metric not in self.record.better:
            names = ", ".join(self.record.better)
            raise UsageError(f"the run has no metric {row.metric!r}; there are: {names}")
        return self.signed(row, row.metric) if row.metric else ""

    def signed(self, row: Row | CoverageRow, metric: str) -> str:
        """Return the signature that a metric has on the corpus of a row, at its size."""
        for place in ((row.system, row.size, ""), ("", "", row.corpus)):
            if place not in self._parts:
                what = f"system {row.system!r} at size {row.size!r} on corpus {row.corpus!r}"
                raise UsageError(f"the run has no results of {what}")
        of_system = self._parts[row.system, row.size, ""]
        conditions = ["in-context"] if row.context == "in-context" else []
        if isinstance(row, Row) and row.training_share != 1:
            conditions.append(f"training-share={row.training_share:g}")
        corpus = self._parts["", "", row.corpus].beginning
        return "|".join([of_system.beginning, corpus, *conditions, metric, of_system.end])

    def loses_word_ends(self, row: Row | CoverageRow | ComparisonRow) -> bool:
        """Return whether the tokens of a row's system do not tell where words begin or end."""
        outcome = self._outcomes.get((row.system, row.size))
        return outcome is not None and outcome.loses_word_ends(row.context)

    def vocabulary(self, system: str, size: str | int = "") -> Vocabulary:
        """Return the vocabulary of a system, cut to a size as the results show it."""
        return self._cut_once(system, str(size))

    @cached_property  # each run has a cache of its own
    def _cut_once(self) -> Callable[[str, str], Vocabulary]:
        return cache(self._cut)

    def _cut(self, system: str, size: str) -> Vocabulary:
        of_size = self.learned.get(str(SystemSize(system, size)))
        if of_size is not None:
            return of_size
        if system not in self.learned:
            names = ", ".join(self.learned) or "none"
            what = f"{str(SystemSize(system, size))!r}"
            raise UsageError(f"the run has no vocabulary of {what}; there are: {names}")
        vocabulary, asked = self.learned[system], {o.size for o in self.record.outcomes}
        if not size:
            return vocabulary
        try:
            if size not in asked and (Size.parse(size).total or 0) > vocabulary.size:
                raise ValueError(f"{system} has {vocabulary.size} tokens, not {size}")
            return vocabulary.cut(Size.parse(size))
        except ValueError as error:
            raise UsageError(f"the size of a vocabulary: {error}") from None

    def words(self, corpus: str) -> Words:
        """Return the words of a test corpus."""
        if corpus not in self.texts:
            has_no = "kept no text of" if self.is_without_text else "has no"
            raise UsageError(f"the run {has_no} test corpus {corpus!r}")
        return self.texts[corpus]

    @property
    def is_without_text(self) -> bool:
        """Whether it kept no words and tokens of the test corpora, as with `samples: none`."""
        return not self.texts

    def without_text(self) -> Self:
        """Return it as with `samples: none`: without any word or line of the test corpora."""
        record = replace(
            self.record,
            corpora=tuple(replace(corpus, samples=()) for corpus in self.record.corpora),
            warnings=(*map(without_quotes, self.record.warnings),),
            notes=_each_once(self.record.notes),
            failures=_each_once(self.record.failures),
        )
        rows = tuple(replace(row, status=without_text(row.status)) for row in self.rows)
        # Ids of tokens and the order of words would spell the lines.
        return replace(self, record=record, rows=rows, texts={}, states={})

    def segmentation(
        self, system: str, corpus: str, size: str | int = "", context: str | None = None
    ) -> Segmentation:
        """Return the tokens of all distinct words of a corpus.

        Without a `context`, that of the system itself, where it was scored in two.
        """
        for outcome in self.record.outcomes if corpus in self.texts else ():
            same_size = (outcome.system, outcome.size) == (system, str(size))
            if same_size and context in (None, outcome.context):
                arrays = self.states.get(system, {})
                is_timeline = f"{corpus}/since" in arrays  # one replay gave all sizes
                prefix = corpus if is_timeline else outcome.prefix(corpus)
                if f"{prefix}/ids" in arrays:  # of lists there is no isolated copy
                    vocabulary, words = self.vocabulary(system, size), self.words(corpus)
                    with _undamaged(arrays.where) if isinstance(arrays, Lazy) else nullcontext():
                        if not is_timeline:
                            return states_of(arrays, prefix, words, vocabulary)
                        all_sizes = self._states_once(system, corpus)
                        return all_sizes.at(len(vocabulary.learned), vocabulary)
        what = f"system {system!r} on corpus {corpus!r} at size {str(size)!r}"
        raise UsageError(f"the run has no tokens of {what}" + (f", {context}" if context else ""))

    @cached_property  # of the last system only: the states of all would fill the memory
    def _states_once(self) -> Callable[[str, str], Segmentation]:
        return lru_cache(1)(
            lambda system, corpus: states_of(
                self.states[system], corpus, self.words(corpus), self.vocabulary(system)
            )
        )

    def frame(self, table: str = "results") -> "pd.DataFrame":
        """Return a table (`results`, `coverage`, `curves`, ...) as a pandas data frame.

        Its columns are those of the CSV file, with underscores in place of hyphens. Names and sizes
        are text, also where they look like numbers or like `NA`, and empty where there is none; all
        else is numbers, NaN where undefined, or whole numbers (`Int64`), NA where absent. A table
        that the run did not need has no rows.
        """
        import pandas as pd

        kinds, lines = self.lines(table)
        frame = pd.DataFrame([*lines], columns=list(kinds), dtype=str)
        for column, kind in kinds.items():
            if kind != "text":
                with _undamaged(f"the column {column} of {table}"):
                    numbers = pd.to_numeric(frame[column].mask(frame[column] == ""))
                    frame[column] = numbers.astype("Int64" if kind == "integer" else "float64")
        return frame.rename(columns=lambda column: column.replace("-", "_"))

    def lines(self, table: str) -> tuple[Mapping[str, str], Iterable[Sequence[str]]]:
        """Return the columns of a table, each with what it holds, and its lines of cells.

        A column holds `text`, `number` or `integer`. Raises UsageError for a name that no table of
        the run has.
        """
        if table == "curves":
            lines = (line for curve in self.curves or () for line in curve.lines())
            return {c: "number" if c == "value" else "text" for c in CURVE_COLUMNS}, lines
        if table in TABLES:
            name, kind = TABLES[table]
            return column_kinds(kind), map(cells, getattr(self, name))
        if table in self.record.analyses:
            rows = (row for row in self.analyses if row.analysis == table)
            return (
                {"system": "text", "size": "text", **self.record.analyses[table]},
                ([row.system, row.size, *map(cell, row.cells.values())] for row in rows),
            )
        names = [*TABLES, "curves", *self.record.analyses]
        raise UsageError(f"the run has no table {table!r}; there are: {', '.join(names)}")

    @cached_property
    def by_metric(self) -> Mapping[str, Sequence[Row]]:
        """The rows of each metric: of many systems, a search in all rows is slow."""
        rows: dict[str, list[Row]] = {}
        for row in self.rows:
            rows.setdefault(row.metric, []).append(row)
        return rows

    @cached_property
    def _outcomes(self) -> dict[tuple[str, str], OutcomeRecord]:
        return {(outcome.system, outcome.size): outcome for outcome in self.record.outcomes}

    @cached_property
    def _parts(self) -> dict[tuple[str, str, str], SignatureRow]:
        return {(part.system, part.size, part.corpus): part for part in self.signatures}


def without_quotes(message: str) -> str:
    """Return a message without what it quotes, which may be a text.

    >>> without_quotes("the tokens ['a', 'b'] of 'abc' do not cover it")
    "the tokens ['…', '…'] of '…' do not cover it"
    """
    return QUOTED.sub(lambda match: f"{match[1] or ''}…{match[1] or ''}", message)


def without_text(cause: str) -> str:
    """Return the cause of a failure without what may be text: quotations, and words of plugins.

    >>> without_text("segmenter mine: KeyError: no token for abc (mine.py:12)")
    'segmenter mine: KeyError: … (mine.py:12)'
    """
    return RAISED.sub(
        lambda match: f"{match[1]}{match[2]}: …{match[3] or ''}{match[4] or ''}",
        without_quotes(cause),
    )


def _each_once(messages: Iterable[str]) -> tuple[str, ...]:
    return (*dict.fromkeys(map(without_text, messages)),)


@contextmanager
def _undamaged(place: Path | str) -> Iterator[None]:
    """Say of whatever is raised inside that a file is damaged; errors of ours pass."""
    try:
        yield
    except (MemoryError, TokbenchError):
        raise
    except (KeyError, ValidationError) as error:
        what = f"missing: {error}"
        if isinstance(error, ValidationError):
            details = error.errors()[0]
            what = ": ".join(filter(None, (".".join(map(str, details["loc"])), details["msg"])))
        raise InputError(f"{place}: damaged, or written by another version: {what}") from error
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())[:LONGEST_SHOWN]
        raise InputError(f"{place}: damaged: {what}") from error


def in_config_order(vocabularies: Iterable[str], record: Record) -> list[str]:
    """Sort the names of vocabularies as the config has systems and sizes; shares come last."""
    systems = {system.name: number for number, system in enumerate(record.systems)}

    def key(name: str) -> tuple[int, str, int]:
        stem, _, size = name.partition("@")
        system, _, share = stem.partition("%")
        sizes = record.systems[systems[system]].sizes if system in systems else ()
        return systems.get(system, -1), share, sizes.index(size) if size in sizes else -1

    return sorted(vocabularies, key=key)
