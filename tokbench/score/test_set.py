"""A test corpus made ready for scoring: its subsets, and the resamples that all systems share."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from tokbench.api import Metric
from tokbench.api.arrays import CountTable, Segmentation, Words
from tokbench.api.words import KIND, PERTURBED, Flags, Ints, Subset
from tokbench.corpora.load import TestCorpus
from tokbench.score.resample import Floats, Weights, block_length, draw, groups, understated
from tokbench.significance import MINIMUM_UNITS

Unit = Literal["line", "word"]
UNITS: tuple[Unit, Unit] = ("line", "word")
MINIMUM_DOCUMENTS = 30
LEAST_BLOCKS = 20


ResampleBy = Literal["block", "line", "document"]


class Drawing(NamedTuple):
    """What is drawn of a corpus: blocks of lines, single lines, documents or words.

    A block is `length` units long, and a `fitting` one is as long as the units depend on each
    other. A text has to hold 20 blocks, so that in a short one they are shorter than that. So many
    blocks of a resample are drawn `twice` that it varies as much as the text does.
    """

    by: ResampleBy | Literal["word"]
    length: int = 1
    fitting: int = 1
    twice: int = 0

    @classmethod
    def of_blocks(cls, series: Sequence[Floats], length: int | None = None) -> "Drawing":
        """Choose blocks for the lines of a text by series of it, or those of a length."""
        lines = len(series[0])
        fitting = length or max(map(block_length, series))
        shorter = min(fitting, lines // LEAST_BLOCKS)
        # Two equal blocks vary as four that differ do.
        excess = max(understated(column, shorter) for column in series) - 1
        blocks = -(-lines // shorter)
        return cls("block", shorter, fitting, min(math.ceil(excess * blocks / 2), blocks // 2))

    @property
    def is_short(self) -> bool:
        """Whether intervals may be too narrow, since the text is too short for fitting blocks."""
        return self.length < self.fitting

    def __str__(self) -> str:
        return f"{self.by}:{self.length}" if self.by == "block" else self.by


@dataclass(frozen=True, eq=False)
class TestSet:
    """One test corpus made ready for scoring.

    Groups of units are resampled, of one unit each unless there are more than 10,000: `groups`
    holds for each unit where its groups begin and end, `weights` how often each group counts in the
    text, which is once, and then in each resample. `drawing` is what is drawn of its lines. A
    subset is a table of groups x distinct words, or pairs, which holds how often each group has
    each of them.
    """

    __test__ = False  # else pytest would take it for tests

    corpus: TestCorpus
    subsets: tuple[str, ...]
    drawing: Drawing
    groups: Mapping[Unit, Ints]
    tables: Mapping[tuple[Unit, str], CountTable]
    weights: Mapping[Unit, Weights]

    @classmethod
    def prepare(
        cls,
        corpus: TestCorpus,
        resamples: int,
        seed: int,
        by: ResampleBy | Drawing = "block",
        length: int | None = None,
    ) -> "TestSet":
        """Draw the weights of a corpus, once for all systems.

        Of texts, blocks of lines of a `length`, or of one that fits the text, are resampled, or
        single lines, or whole documents where there are 30. What a run drew is drawn again.
        """
        words, masks = corpus.words, subsets(corpus.words)
        items, order = len(words), words.order
        if words.pairs is not None:  # they are counted in place of words
            items, order = len(words.pairs), words.pairs.order
        units_drawn = by.by if isinstance(by, Drawing) else by
        by_document = units_drawn == "document" and has_documents(corpus)
        begins: dict[Unit, Ints] = {
            "line": _documents(corpus) if by_document else np.arange(len(words.lines)),
            "word": np.arange(items + 1),
        }
        grouped = {unit: units[groups(len(units) - 1)] for unit, units in begins.items()}
        undivided: dict[Unit, CountTable] = {
            "line": CountTable(order, words.lines[grouped["line"]], items),
            "word": CountTable(np.arange(items), grouped["word"], items),
        }
        tables = {
            (unit, subset): table.where(mask)
            for unit, table in undivided.items()
            for subset, mask in masks.items()
        }
        drawing = by if isinstance(by, Drawing) else _drawing(corpus, by, length, tables)
        weights: dict[Unit, Weights] = {}
        for unit, ends in grouped.items():
            drawn = len(ends) - 1
            # Fewer than so many blocks are never resampled, nor the distinct words of a text.
            never = drawn < MINIMUM_UNITS or (unit == "word" and corpus.kind == "text")
            blocks = (drawing.length, drawing.twice) if unit == "line" else (1, 0)
            name = f"{corpus.name}/{unit}"
            weights[unit] = draw(drawn, 0 if never else resamples, seed, name, *blocks)
        # Lists and gold words have categories, which say more of them than kinds; and pairs of one
        # kind are all of their corpus.
        scored = tuple(
            name for name in masks if corpus.kind == "text" or Subset.parse(name).family != KIND
        )
        if sum(Subset.parse(name).family == PERTURBED for name in scored) == 1:
            scored = scored[1:]
        return cls(corpus, scored, drawing, grouped, tables, weights)

    def is_resampled(self, unit: Unit, subset: str) -> bool:
        """Return whether numbers have intervals: there are enough units, and more would be alike.

        How often each distinct word of a text occurs depends on the length of the text, which a
        resample of the words does not vary.
        """
        distinct_words = unit == "word" and self.corpus.kind == "text"
        return not distinct_words and self.units[unit, subset] >= MINIMUM_UNITS

    @property
    def main_subsets(self) -> tuple[str, ...]:
        """The subsets without the groups, which are many: those that have curves."""
        return tuple(name for name in self.subsets if name not in self.corpus.words.groups)

    @property
    def undivided(self) -> tuple[str, ...]:
        """The subsets that are no parts: no kinds, bands, categories or perturbations."""
        return tuple(name for name in self.subsets if ":" not in name)

    def without_resamples(self) -> "TestSet":
        """Return the same for values alone, without intervals."""
        return replace(self, weights={unit: rows[:1] for unit, rows in self.weights.items()})

    @cached_property
    def totals(self) -> Mapping[tuple[Unit, str], Floats]:
        """How often each distinct word stands in all groups of a unit and subset."""
        return {key: table.totals() for key, table in self.tables.items()}

    @cached_property
    def units(self) -> Mapping[tuple[Unit, str], int]:
        """How many groups hold any word of a subset; of pairs, how many originals if fewer."""
        units = {key: int((np.diff(table.ends) > 0).sum()) for key, table in self.tables.items()}
        if self.corpus.words.pairs is not None:
            for (unit, subset), groups in units.items():
                of_subset = self.totals["word", subset] > 0
                originals = len(np.unique(self.corpus.words.pairs.original[of_subset]))
                units[unit, subset] = min(groups, originals)
        return units

    def applies(self, metric: Any, subset: str) -> bool:
        """Return whether a metric has a value on this corpus and subset."""
        name, is_text = self.corpus.name, self.corpus.kind == "text"
        if "gold" in metric.needs and self.corpus.words.gold is None:
            return False
        if ("pairs" in metric.needs) != (self.corpus.kind == "pairs"):
            return False
        if "lines" in metric.needs and (
            name == metric.reference or (metric.texts is not None and name not in metric.texts)
        ):
            return False
        if metric.per == "line":
            return subset == "all" and is_text
        return is_text or not metric.texts_only


@dataclass(frozen=True, eq=False)
class CutTestSet:
    """A test set with one segmentation: its subsets as tables over what metrics count."""

    test: TestSet
    segmentation: Segmentation

    def table(self, metric: Metric, subset: str) -> CountTable:
        """Return the table of groups x the rows of a metric's columns: states, lines, places."""
        if metric.per == "line":
            ends = self.test.groups["line"]
            return CountTable(np.arange(ends[-1]), ends, int(ends[-1]))
        if metric.per == "place":
            of_subset = self.test.totals["word", subset] > 0
            order = self.segmentation.words.order
            places, lines = np.arange(len(order)), self.segmentation.words.lines
            table = CountTable(places, lines[self.test.groups["line"]], len(order))
            return table.where(of_subset[order])
        if self.segmentation.context is None:
            return self.test.tables[metric.unit, subset]  # alone, each word has one state
        of_subset = self.test.totals["word", subset] > 0
        return self._in_context[metric.unit].where(of_subset[self.segmentation.word])

    @cached_property
    def _in_context(self) -> Mapping[Unit, CountTable]:
        """The states that lines hold, and those of each distinct word by their share of it."""
        assert self.segmentation.context is not None
        groups, words, word = self.test.groups, self.segmentation.words, self.segmentation.word
        by_word = np.argsort(word, kind="stable")
        ends = np.searchsorted(word[by_word], groups["word"])
        shares = (self.segmentation.count / words.count[word])[by_word]
        order, lines = self.segmentation.context.order, words.lines[groups["line"]]
        return {
            "line": CountTable(order, lines, len(word)),
            "word": CountTable(by_word, ends, len(word), shares),
        }


def has_documents(corpus: TestCorpus) -> bool:
    """Return whether a corpus is a text of enough documents to be resampled by them."""
    return corpus.kind == "text" and len(_documents(corpus)) > MINIMUM_DOCUMENTS


def _documents(corpus: TestCorpus) -> Ints:
    """Return the line at which each document of a text begins, and the number of lines."""
    documents = corpus.words.documents
    return np.append(np.flatnonzero(np.diff(documents, prepend=-1)), len(documents))


def _drawing(
    corpus: TestCorpus,
    by: ResampleBy,
    length: int | None,
    tables: Mapping[tuple[Unit, str], CountTable],
) -> Drawing:
    """Choose what is drawn of a corpus; only its words decide, so that all systems share it."""
    if corpus.kind != "text":
        return Drawing("word")
    if by == "line" or (by == "document" and has_documents(corpus)):
        return Drawing(by)
    words = np.diff(tables["line", "all"].ends).astype(np.float64)
    if len(words) < MINIMUM_UNITS:  # they are not drawn
        return Drawing("block")
    series = [words]
    if unseen := tables.get(("line", "unseen")):
        of_line = np.diff(unseen.ends)
        # A share of all words is a ratio: this is how much each line moves it.
        series.append(of_line - of_line.sum() / max(words.sum(), 1) * words)
    return Drawing.of_blocks(series, length)


def subsets(words: Words) -> dict[str, Flags]:
    """Return the subsets of distinct words: all, unseen ones, the groups, and each category.

    Without a training text there is no subset of unseen words.
    """
    masks = {"all": np.ones(len(words if words.pairs is None else words.pairs), dtype=bool)}
    if words.train_count is not None:
        masks["unseen"] = words.unseen
    masks |= words.groups
    if words.category is not None:
        categories = np.array(words.category, dtype=object)
        for name in sorted(set(words.category) - {""}):
            masks[f"category:{name}"] = categories == name
    return masks
