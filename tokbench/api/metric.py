"""Metrics and analyses: numbers that a segmentation is judged by.

Metrics are counted by unit and scored from the sums, so that intervals and paired tests need no
code per metric: the core resamples the units, adds up their counts again, and scores the new sums.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

from tokbench.api.component import Component
from tokbench.api.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tokbench.api.segmentation import LineTokens, Segmentation
    from tokbench.api.words import Ints, Words

T = TypeVar("T")

Cell = str | int | float | None
Column = Literal["text", "number"]
"""What the cells of a column hold."""


@dataclass(frozen=True, eq=False)
class UsedVocabulary:
    """The vocabulary of a system at one size, and what was done with it.

    `training` and `test` hold how often each id was emitted on the training text and on all test
    texts, None where there is none; one more number is that of all tokens without an id.
    `characters` are those of the training words, or else of the test words, the most frequent ones
    first. `cut` cuts texts as the system does: whole lines `in_context`, else words alone.
    """

    size: str
    vocabulary: Vocabulary
    training: "Ints | None"
    test: "Ints | None"
    characters: str
    in_context: bool
    cut: "Callable[[Sequence[str]], LineTokens]"


class SharesResults:
    """Keeps the results of functions, so that several metrics share them."""

    @cached_property
    def _results(self) -> dict[Any, Any]:
        return {}

    def once(self, function: Callable[[Self], T]) -> T:
        """Return what a function returns for this object; call it only the first time."""
        if function not in self._results:
            self._results[function] = function(self)
        result: T = self._results[function]
        return result


@dataclass(frozen=True, eq=False)
class TrainingLines(SharesResults):
    """The running text that a system learned from, and how the system cuts texts at one size.

    `words` are the scoring words of the text, line by line. `cut` cuts texts as the system does:
    whole lines `in_context`, else words alone; or `pieces` of words, which have the marks then.
    """

    words: "Words"
    cut: "Callable[[Sequence[str]], LineTokens]"
    in_context: bool
    pieces: bool = False


class Analysis(Component):
    """Makes a table of each system's vocabularies. Define `columns` and `rows`.

    The run folder has it as a CSV file of the name under which the analysis is offered.
    """

    columns: ClassVar[Mapping[str, Column]]
    """The columns after `system` and `size`, and what they hold."""

    @abstractmethod
    def rows(self, used: UsedVocabulary) -> Iterable[Mapping[str, Cell]]:
        """Return the rows of one vocabulary, with all columns; a number may be None: undefined."""


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


def quotient(numerator: Any, denominator: Any) -> Any:
    """Divide numbers or arrays, giving NaN wherever the denominator is zero."""
    import numpy as np

    return np.divide(numerator, np.where(np.equal(denominator, 0), np.nan, denominator))


def ones(rows: int) -> Any:
    """Count one a row."""
    import numpy as np

    return np.ones(rows, dtype=np.int64)


class Ratio(AdditiveMetric):
    """The sum of the column `numerator` over the sum of the column `denominator`."""

    numerator: ClassVar[str]
    denominator: ClassVar[str]

    @property
    def events(self) -> tuple[str, ...]:  # type: ignore[override]  # depends on the range
        """Of a share, what it counts."""
        return (self.numerator, self.denominator) if self.range == (0.0, 1.0) else ()

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Divide the two sums; NaN where the denominator is zero."""
        return quotient(sums[self.numerator], sums[self.denominator])
