"""Metrics: numbers that a segmentation is judged by, counted by unit and scored from the sums.

Counting and scoring are separate, so that intervals and paired tests need no code per metric: the
core resamples the units, adds up their counts again, and scores the new sums.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tokbench.api.analysis import Cell, Column, TrainingLines
from tokbench.api.component import Component

if TYPE_CHECKING:
    from tokbench.api.segmentation import Segmentation

Better = Literal["higher", "lower", "neither"]
Need = Literal["context", "gold", "lines", "pairs", "system", "training", "training-lines"]


class Metric(Component):
    """The declarations of every metric; subclass AdditiveMetric or WholeMetric, not this."""

    better: ClassVar[Better] = "neither"
    family: ClassVar[Literal["oov", "segmentation", "boundaries", "noise"]] = "segmentation"
    """The section of the report that shows it."""

    formula: ClassVar[str]
    range: ClassVar[tuple[float, float]]
    source: ClassVar[str] = ""
    evidence: ClassVar[str] = ""
    """One sentence: what is known, for and against, about its predicting how good a model is."""

    chance: ClassVar[str | None] = None
    """The metric that shows what chance alone gives; it is scored too, and shown beside."""

    beside: ClassVar[tuple[str, ...]] = ()
    """Other metrics to read it with; they are scored too, with the same options."""

    needs: ClassVar[frozenset[Need]] = frozenset()
    """The data that it needs: `gold` boundaries, words that are cut in `context`, the `lines` of
    the text that a corpus translates, `pairs` of words (then subclass PairMetric), the tokens of
    another `system`, counts of words in a `training` text, or its running text, the
    `training-lines` (then subclass TrainingMetric).

    For `lines` and `system` subclass AdditiveMetric: it counts per line, and its `count` is given
    the segmentation to compare with as `reference`. For `lines` it has the options `reference`,
    the name of the test text that others translate, and `texts`, the names of those that do (None
    for all others). For `system` it has the option `of`, which names the system, as `name@size` if
    it has sizes."""

    gated: ClassVar[bool] = False
    """Whether it is a length or a compression, which text that is unknown or lost makes look
    better: above the config's `gate` it is marked, not compared, and left out of advice."""

    gated_by: ClassVar[str | None] = None
    """Of `beside`, the share that decides about this in place of the unknown and lost words."""

    across_sizes: ClassVar[bool] = True
    """Whether values at different sizes compare; if not, it enters no advice about sizes."""

    texts_only: ClassVar[bool] = False
    """Whether it describes running text, so that lists and gold words are left out."""

    unit: ClassVar[Literal["line", "word"]] = "line"
    """`line`: weighted by running text, lines are resampled; `word`: each distinct word once."""


class AdditiveMetric(Metric):
    """A metric that is a function of summed counts. Define `count` and `score`."""

    per: ClassVar[Literal["word", "line", "pair", "place"]] = "word"
    """Whether `count` gives one row a state (a segmented word), a line, a pair of words, or a
    place: a running word, which what stands around it decides about."""

    interval: ClassVar[bool] = True
    """False where resampling is biased, as for all that depends on the number of types seen."""

    denominator: ClassVar[str | None] = None
    """The column whose sum is shown as `n`."""

    events: ClassVar[tuple[str, ...]] = ()
    """The column that counts events, and the one that counts what they are a share of, if any.

    Of events and what is no event the rarer counts: where it occurs in too few units, resamples
    would mislead, and there is no interval."""

    @abstractmethod
    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Return named columns: an array with one number a row, or a `CountTable`."""

    def count_states(self, segmentation: "Segmentation") -> Mapping[str, Any] | None:
        """Return the columns that `score` reads with one number a state, where words alone decide.

        Curves add these up over all states that a word has while the vocabulary grows. None (the
        default but for `per: word`) where a value is no plain sum over words.
        """
        return self.count(segmentation) if self.per == "word" else None

    @abstractmethod
    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Return the value for the summed columns; NaN (or a division by zero) where undefined.

        Each sum is a number, or an array with one number a resample (bins along the last axis):
        write the formula with arithmetic and NumPy functions, which serve both. For a curve the
        vocabulary size is an array too, with one number a sum.
        """


class PairMetric(AdditiveMetric):
    """A metric of pairs: how the tokens of changed words differ from those of the originals.

    Define `count`, with one number for each of `segmentation.words.pairs`, and `score`. All words
    of pairs are cut alone: state `w` of the segmentation is that of word `w`.
    """

    family = "noise"
    per = "pair"
    needs = frozenset({"pairs"})


class TrainingMetric(AdditiveMetric):
    """A metric of running words that learns from the training text, cut as the system cuts.

    Define `score`, and `count`, which is given the `training` text too and has one number a running
    word. A table of its own has `columns` after system and size: `rows` returns them, and the run
    folder has it as a CSV file of the metric's name.
    """

    per = "place"
    across_sizes = False
    texts_only = True
    needs = frozenset({"training-lines"})
    columns: ClassVar[Mapping[str, Column]] = {}

    def rows(self, training: TrainingLines) -> Iterable[Mapping[str, Cell]]:
        """Return the rows of its own table at one size, with all columns."""
        return ()


class WholeMetric(Metric):
    """A metric of the whole segmentation, without an interval. Define `measure`."""

    @abstractmethod
    def measure(self, segmentation: "Segmentation") -> float:
        """Return the value, NaN where it is undefined."""
