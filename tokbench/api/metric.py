"""Metrics and analyses.

A metric counts by unit (line, word or pair) and computes its value from the sums. So intervals and
paired tests need no code of their own: the core resamples the units, and scores the new sums.
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
"""The type of the cells of a column."""


@dataclass(frozen=True, eq=False)
class UsedVocabulary:
    """The vocabulary of a system at one size, and how it was used.

    `training` and `test` hold how often each id occurs among the tokens of the training text and of
    all test texts, and last how many tokens have no id; None without such a text. `characters` are
    those of the training words (or else of the test words), the most frequent first. `cut` cuts
    texts as the system does: whole lines if `in_context`, else words alone. `proofs` is that of the
    segmenter, without `prepared`; None in context, and where a splitter cuts words first.
    """

    size: str
    vocabulary: Vocabulary
    training: "Ints | None"
    test: "Ints | None"
    characters: str
    in_context: bool
    cut: "Callable[[Sequence[str]], LineTokens]"
    proofs: "Callable[[Sequence[int]], Sequence[str | None] | None] | None" = None


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
    """The running text that a system learned from, and the system's way of cutting texts.

    `words` are the scoring words of the text, line by line. `cut` cuts texts as the system does at
    one size: whole lines if `in_context`, else words alone. With `pieces`, the system's splitter
    cuts words first, and the pieces carry the marks.
    """

    words: "Words"
    cut: "Callable[[Sequence[str]], LineTokens]"
    in_context: bool
    pieces: bool = False


class Analysis(Component):
    """Makes a table about the vocabularies of each system. Define `columns` and `rows`.

    In the run folder it is a CSV file with the name under which the analysis is offered.
    """

    columns: ClassVar[Mapping[str, Column]]
    """The columns after `system` and `size`, with their types."""

    @abstractmethod
    def rows(self, used: UsedVocabulary) -> Iterable[Mapping[str, Cell]]:
        """Return the rows of one vocabulary, with all columns; an undefined number is None."""


Better = Literal["higher", "lower", "neither"]
Need = Literal["context", "gold", "lines", "pairs", "system", "training", "training-lines"]


class Metric(Component):
    """A metric that is a function of sums of counts. Define `count` and `score`."""

    label: ClassVar[str] = ""
    """The name that tables show to people, such as `tokens per word`; without it, the name that
    programs use."""

    better: ClassVar[Better] = "neither"
    family: ClassVar[Literal["oov", "segmentation", "boundaries", "noise"]] = "segmentation"
    """The section of the report that shows it."""

    formula: ClassVar[str]
    range: ClassVar[tuple[float, float]]
    source: ClassVar[str] = ""
    evidence: ClassVar[str] = ""
    """One sentence on the evidence, for and against, that it predicts how good a model will be."""

    chance: ClassVar[str | None] = None
    """The metric that measures the value of chance alone; it is also scored, and shown beside."""

    beside: ClassVar[tuple[str, ...]] = ()
    """Other metrics to read together with it; they are also scored, with the same options."""

    needs: ClassVar[frozenset[Need]] = frozenset()
    """The data that it needs:

    - `gold`: gold boundaries
    - `context`: words that are cut in their lines
    - `lines`: the lines of the text that a corpus translates
    - `pairs`: pairs of words; subclass PairMetric
    - `system`: the tokens of another system
    - `training`: the counts of words in a training text
    - `training-lines`: the running training text; subclass TrainingMetric

    For `lines` and `system`, count per line: `count` is called with the segmentation to compare
    with as the keyword `reference`. With `lines`, declare the options `reference`, the name of the
    test text that others translate, and `texts`, the names of these (None for all others). With
    `system`, declare the option `of`, which names the other system (`name@size` if it has sizes).
    """

    gated: ClassVar[bool] = False
    """Whether it is a length or compression, which looks better if text is unknown or lost. If more
    than the config's `gate` is, the value is marked, not compared, and left out of advice."""

    gated_by: ClassVar[str | None] = None
    """The metric of `beside` that decides about this, instead of the unknown and lost words."""

    across_sizes: ClassVar[bool] = True
    """Whether values at different sizes can be compared; if not, it has no advice about sizes."""

    texts_only: ClassVar[bool] = False
    """Whether it describes running text only, so that lists and gold words are left out."""

    unit: ClassVar[Literal["line", "word"]] = "line"
    """`line`: running words count, and lines are drawn in blocks; `word`: distinct words count."""

    per: ClassVar[Literal["word", "line", "pair", "place"]] = "word"
    """What each row of `count` belongs to: a `word` (a state of the segmentation), a `line`, a
    `pair` of words, or a `place`: a running word, whose neighbours matter."""

    interval: ClassVar[bool] = True
    """Whether it has an interval. Resampling biases whatever depends on the number of types."""

    denominator: ClassVar[str | None] = None
    """The column whose sum is shown as `n`."""

    events: ClassVar[tuple[str, ...]] = ()
    """The column that counts events and, for a share, the column that counts all cases.

    There is no interval if events, or cases without the event, occur in too few units: resamples
    would be misleading."""

    @abstractmethod
    def count(self, segmentation: "Segmentation") -> Mapping[str, Any]:
        """Return columns by name: each an array with one number for each row, or a `CountTable`.

        A metric that counts a `CountTable` has no interval and no curve.
        """

    def count_states(self, segmentation: "Segmentation") -> Mapping[str, Any] | None:
        """Return the columns that `score` reads with one number for each state, or None.

        Curves add these up over all states that words have while the vocabulary grows. None (the
        default unless `per` is `word`) means that the value is no plain sum over words.
        """
        return self.count(segmentation) if self.per == "word" else None

    @abstractmethod
    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Return the value from the sums of columns; NaN or a division by zero if undefined.

        Each sum is a number, or an array with one number for each resample; that of a `CountTable`
        is an array with one number for each item. Write the formula with arithmetic and NumPy
        functions, which serve both. For a curve `vocabulary_size` is an array, too.
        """


class PairMetric(Metric):
    """A metric of pairs of words: how the tokens of changed words differ from the originals'.

    Define `count`, with one number for each of `segmentation.words.pairs`, and `score`. Words are
    cut alone: state `w` of the segmentation is that of word `w`.
    """

    family = "noise"
    per = "pair"
    needs = frozenset({"pairs"})


class TrainingMetric(Metric):
    """A metric of running words that learns from the training text, as the system cuts it.

    Define `score`, and `count(segmentation, training)`, with one number for each running word. For
    a table of its own, define `columns` (after system and size) and `rows`; in the run folder it is
    a CSV file with the metric's name.
    """

    per = "place"
    across_sizes = False
    texts_only = True
    needs = frozenset({"training-lines"})
    columns: ClassVar[Mapping[str, Column]] = {}

    def rows(self, training: TrainingLines) -> Iterable[Mapping[str, Cell]]:
        """Return the rows of the table at one size, with all columns."""
        return ()


def quotient(numerator: Any, denominator: Any) -> Any:
    """Divide numbers or arrays; the result is NaN wherever the denominator is zero."""
    import numpy as np

    return np.divide(numerator, np.where(np.equal(denominator, 0), np.nan, denominator))


def ones(rows: int) -> Any:
    """Return an array of ones, which counts each row once."""
    import numpy as np

    return np.ones(rows, dtype=np.int64)


class Ratio(Metric):
    """The sum of the column `numerator` over the sum of the column `denominator`."""

    numerator: ClassVar[str]
    denominator: ClassVar[str]

    @property
    def events(self) -> tuple[str, ...]:  # type: ignore[override]  # depends on the range
        """The two columns, if the ratio is a share."""
        return (self.numerator, self.denominator) if self.range == (0.0, 1.0) else ()

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        """Divide the two sums; NaN if the denominator is zero."""
        return quotient(sums[self.numerator], sums[self.denominator])
