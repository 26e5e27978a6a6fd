"""The keys of a config, with what each means: the one source of checks, schema and reference.

Each key is checked for itself by the model that has it; `load.py` checks that keys fit each other.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from tokbench.api import Size, TextSegmenter
from tokbench.api.component import Options
from tokbench.assertions import EXAMPLE, Assertion
from tokbench.config.components import Built, Info, Name, component, named
from tokbench.config.corpora import CorporaKeys
from tokbench.config.experiment import (
    WITHOUT_EFFECT,
    Contexts,
    LanguageModel,
    Limits,
    Recommend,
    Span,
    System,
)
from tokbench.config.problems import Problem, WrittenAs, WrongValueError, refuse
from tokbench.corpora.source import Bands, Rising

MAX_SIZE = 1_000_000_000
MAX_SEED = 2**32 - 1
MAX_RESAMPLES = 1_000_000
MAX_REPEATS = 100
MAX_TRAINING_SAMPLES = 100


def _distinct(numbers: Sequence[int]) -> Sequence[int]:
    for number, times in Counter(numbers).items():
        if times > 1:
            raise ValueError(f"{number} stands {times} times, expected each size once")
    return numbers


Total = Annotated[int, Field(gt=0, le=MAX_SIZE)]
MergeCount = Annotated[int, Field(ge=0, le=MAX_SIZE)]
N = TypeVar("N", bound=int)
DistinctNumbers = Annotated[tuple[N, ...], Field(min_length=1), AfterValidator(_distinct)]
TrainingSamples = Annotated[int, Field(ge=0, le=MAX_TRAINING_SAMPLES)]


class _Range(Options, Generic[N]):
    """A range of numbers, some of which are listed."""

    first: N | None = Field(
        None, alias="from", description="where the curve begins; by default the smallest of `list`"
    )
    last: N | None = Field(
        None, alias="to", description="where the curve ends; by default the largest of `list`"
    )
    listed: DistinctNumbers[N] | None = Field(
        None,
        alias="list",
        description="the sizes to compare; by default `from`, doubled until `to`, and `to`",
    )
    curve: bool = Field(False, description="whether to measure every size from `from` to `to` too")

    @model_validator(mode="after")
    def _completed(self) -> Self:
        """Return the range with both ends and a list, if they agree."""
        listed = self.listed or ()
        if not listed and None in (self.first, self.last):
            raise ValueError("names no sizes: write `list`, or `from` and `to`")
        first = min(listed) if self.first is None else self.first
        last = max(listed) if self.last is None else self.last
        if first > last:
            key = "from" if self.last is None else "to"
            what = f"`from` is {first}, above `to`, which is {last}"
            raise WrongValueError(Problem((key,), what))
        right = f"expected a number between `from` and `to`: {first} to {last}"
        refuse(
            Problem(("list", position), f"found {number}, {right}")
            for position, number in enumerate(listed)
            if not first <= number <= last
        )
        completed = {"first": first, "last": last, "listed": listed or doubled(first, last)}
        return self.model_copy(update=completed)


class SizeRange(_Range[Total]):
    """A range of vocabulary sizes, some of which are listed."""


class MergeRange(_Range[MergeCount]):
    """A range of numbers of learned items, some of which are listed."""


def doubled(first: int, last: int) -> tuple[int, ...]:
    """List `first`, doubled until `last`, and `last`; 1 comes after 0."""
    numbers = []
    while first < last:
        numbers.append(first)
        first = max(1, 2 * first)
    return (*numbers, last)


@dataclass(frozen=True)
class SizeList:
    """The listed sizes, the range around them where one is written, and the JSON form of both."""

    listed: tuple[Size, ...] = ()
    span: Span | None = None
    plain: dict[str, Any] = field(default_factory=dict)


def _sizes(kind: str, written: tuple[int, ...] | _Range[int], _: Info) -> SizeList:
    """Return the sizes that are written under `sizes` ("total") or `merges` ("learned")."""
    key = "sizes" if kind == "total" else "merges"

    def as_sizes(numbers: Sequence[int]) -> tuple[Size, ...]:
        return tuple(Size(**{kind: number}) for number in numbers)

    if not isinstance(written, _Range):
        return SizeList(as_sizes(written), plain={key: [*written]})
    plain = written.model_dump(mode="json", by_alias=True)
    first, last = as_sizes((plain["from"], plain["to"]))
    return SizeList(as_sizes(plain["list"]), Span(first, last, written.curve), {key: plain})


_Sizes = Annotated[
    SizeList, WrittenAs(DistinctNumbers[Total] | SizeRange, partial(_sizes, "total"))
]
_Merges = Annotated[
    SizeList, WrittenAs(DistinctNumbers[MergeCount] | MergeRange, partial(_sizes, "learned"))
]


def _only_one(merges: SizeList | None, info: Info) -> SizeList | None:
    """Refuse `merges` beside `sizes`."""
    if merges is not None and info.data.get("sizes") is not None:
        what = "`sizes` and `merges` exclude each other: keep one of them"
        raise WrongValueError(Problem((), what, at_key=True))
    return merges


class SystemKeys(Options):
    """One tokenizer to compare: a learner, and how its vocabulary is used."""

    learner: Annotated[Built, component("learner")] = Field(
        description="the component that learns the vocabulary"
    )
    name: Name | None = Field(
        None, description="how results call the system; by default `learner` or `learner+segmenter`"
    )
    segmenter: Annotated[Built, component("segmenter")] | None = Field(
        None, description="the component that cuts words; by default the learner's own"
    )
    split: Annotated[Built, component("splitter")] | None = Field(
        None, description="a splitter that cuts the scoring words further before learning"
    )
    context: Contexts | None = Field(
        None,
        description="how words are cut: `in-context`, whole lines at once, `isolated`, each word"
        " alone, or `both`, to show the difference; by default in context where the segmenter can",
    )
    training_samples: TrainingSamples | None = Field(
        None, description="this system's own number, instead of the config's"
    )
    sizes: _Sizes | None = Field(
        None, description="this system's own sizes, instead of the config's"
    )
    merges: _Merges | None = Field(
        None, description="this system's own `merges`, instead of the config's"
    )

    _merges = field_validator("merges")(_only_one)

    @property
    def title(self) -> str:
        """Its name, written or made from its parts."""
        parts = [self.learner.name, *([self.segmenter.name] if self.segmenter else [])]
        return self.name or "+".join(parts)

    def sizes_of(self, shared: SizeList) -> SizeList:
        """Return its own sizes, or the shared ones; none if its learner takes none."""
        return (self.sizes or self.merges or shared) if self.learner.sized else SizeList()

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        refuse(self._misfits())
        return self

    def _misfits(self) -> Iterator[Problem]:
        """Refuse an unusable name, and parts that cut words where whole lines are asked for."""
        try:
            named(self.title)
        except ValueError:
            what = f"'{self.title}' can't be part of file names: give the system a `name`"
            yield Problem((), what)
        learner, segmenter = self.learner, self.segmenter
        if self.split and learner.component.reads == "lines":
            what = f"`split` cuts words, but {learner.name} reads whole lines: leave it out"
            yield Problem(("split",), what)
        if self.context in (None, "isolated"):
            return
        why = "`split` cuts words" if self.split else ""
        # Which segmenter a vocabulary names is known later.
        if not why and segmenter and not isinstance(segmenter.component, TextSegmenter):
            why = f"the segmenter {segmenter.name} cuts words"
        if why:
            asked = f"`{self.context}` asks for whole lines"
            yield Problem(("context",), f"{asked}, but {why}: write `isolated`, or leave it out")

    def system(self, shared: SizeList, training_samples: int) -> System:
        """Return the system, with what the config says of all systems."""
        sizes = self.sizes_of(shared)
        samples = training_samples if self.training_samples is None else self.training_samples
        segmenter, split = self.segmenter, self.split
        return System(
            name=self.title,
            learner_name=self.learner.name,
            learner=self.learner.component,
            segmenter_name=segmenter.name if segmenter else None,
            segmenter=segmenter.component if segmenter else None,
            splitter_name=split.name if split else None,
            splitter=split.component if split else None,
            sizes=sizes.listed,
            span=sizes.span,
            context=self.context,
            training_samples=samples if self.learner.component.reads != "nothing" else 0,
        )

    def plain(self, shared: SizeList) -> dict[str, Any]:
        """Return the JSON form of the system."""
        return {
            "name": self.title,
            "learner": self.learner.plain,
            "segmenter": self.segmenter.plain if self.segmenter else None,
            "split": self.split.plain if self.split else None,
            "context": self.context,
            "training-samples": self.training_samples,
            **self.sizes_of(shared).plain,
        }


def _learner_alone(value: Any) -> Any:
    """Return a system as a mapping, where only the name of its learner is written."""
    return {"learner": value} if isinstance(value, str) else value


def _assertion(text: str, _: Info) -> Assertion:
    try:
        return Assertion.parse(text)
    except ValueError as error:
        raise WrongValueError(Problem((), str(error))) from None


_System = Annotated[
    SystemKeys, BeforeValidator(_learner_alone, json_schema_input_type=str | SystemKeys)
]
_Metric = Annotated[Built, component("metric")]
_Assertion = Annotated[Assertion, WrittenAs(str, _assertion)]
TrainingShare = Annotated[float, Field(ge=1e-9, le=1)]


class ConfigKeys(Options):
    """A tokbench config."""

    corpora: CorporaKeys = Field(description="what is learned from, and what is scored")
    systems: Annotated[tuple[_System, ...], Field(min_length=1)] = Field(
        description="the tokenizers to compare; a learner's name alone will do"
    )
    sizes: _Sizes | None = Field(
        None, description="the vocabulary sizes to compare, in tokens, alphabet included"
    )
    merges: _Merges | None = Field(
        None, description="instead of `sizes`: numbers of learned items (merges for BPE)"
    )
    metrics: Annotated[tuple[_Metric, ...], Field(min_length=1)] | Literal["all"] | None = Field(
        None,
        description="the metrics, or `all` whose needs are met; by default a core of "
        "thirteen, with pairs five more",
    )
    baseline: Name | None = Field(
        None, description="the system that the others are compared with; by default the first"
    )
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = Field(
        0, description="the seed of everything random: splits, resampling, components"
    )
    repeats: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = Field(
        3, description="how often a learner that is not deterministic is run"
    )
    training_samples: TrainingSamples = Field(
        0,
        description="how often each system is learned again, from documents of the training text"
        " drawn with replacement: `training-sd` shows how much a value varies with them",
    )
    training_shares: Annotated[tuple[TrainingShare, ...], Rising] = Field(
        (),
        description="the shares of the training text, such as `[0.01, 0.1, 1.0]`, from which each"
        " system is learned again: `training-share` shows how values grow with it",
    )
    resamples: Annotated[int, Field(ge=1, le=MAX_RESAMPLES)] = Field(
        1000, description="the bootstrap resamples behind intervals and p-values"
    )
    gate: Annotated[float, Field(ge=0, le=1)] = Field(
        0.01,
        description="the share of a corpus's words that may be unknown or lossy; above it, lengths"
        " and compression are marked, not compared, and left out of advice",
    )
    bands: Bands = Field(
        (1, 2, 6, 51),
        description="the counts in the training text at which bands of words begin, scored apart: "
        "1, 2-5, 6-50 and 51+; `{per-million: [1, 10, 100]}` takes shares, `[]` makes none",
    )
    resample_by: Literal["block", "line", "document"] = Field(
        "block",
        description="what is drawn of a test text: blocks of lines, lines that do not depend on "
        "each other, or documents (blocks where there are fewer than 30)",
    )
    block_length: Annotated[int, Field(ge=1)] | Literal["auto"] = Field(
        "auto",
        description="how many lines (above 10,000, groups of lines) a block has, at most a "
        "twentieth of the text; `auto`: as many as its lines depend on each other. Where documents "
        "are drawn, it counts for texts with too few of them",
    )
    recommend: Recommend | None = Field(
        None,
        description="what the recommendation at the top of a report looks at",
    )
    model: LanguageModel | None = Field(
        None, description="the model that the vocabulary is for: reports say what each size costs"
    )
    samples: Literal["lines", "none"] = Field(
        "lines",
        description="`none` keeps the words and lines of all texts out of the run folder and its"
        " pages, for text that must not be sent; vocabularies still hold pieces of the training"
        " text",
    )
    assertions: tuple[_Assertion, ...] = Field(
        (),
        alias="assert",
        description="what must hold of the results, such as"
        f" `{EXAMPLE}`; where it does not, the run ends with code 5",
    )
    limits: Limits | None = Field(
        None,
        description="what one call of a plugin or a wrapped library may take, else its process is"
        " ended",
    )
    jobs: Annotated[int, Field(ge=1)] = Field(
        1,
        description="how many systems are learned and scored side by side, each in a process of its"
        " own; changes no result",
    )
    isolation: Any = WITHOUT_EFFECT
    engine: Any = WITHOUT_EFFECT

    _merges = field_validator("merges")(_only_one)

    @property
    def shared_sizes(self) -> SizeList:
        """The sizes of all systems that have none of their own."""
        return self.sizes or self.merges or SizeList()
