"""The systems of a config and their sizes: keys, checks, and the systems that come of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from tokbench.api import Size, TextSegmenter
from tokbench.api.component import Options
from tokbench.config.components import Built, Info, component
from tokbench.config.experiment import Contexts, Span, System
from tokbench.config.messages import WrittenAs
from tokbench.config.names import Name, named
from tokbench.config.problems import Problem, WrongValueError, refuse

MAX_SIZE = 1_000_000_000
MAX_TRAINING_SAMPLES = 100


def _distinct(numbers: Sequence[int]) -> Sequence[int]:
    for number, times in Counter(numbers).items():
        if times > 1:
            raise ValueError(f"{number} stands {times} times, expected each size once")
    return numbers


Total = Annotated[int, Field(gt=0, le=MAX_SIZE)]
MergeCount = Annotated[int, Field(ge=0, le=MAX_SIZE)]
Totals = Annotated[tuple[Total, ...], Field(min_length=1), AfterValidator(_distinct)]
MergeCounts = Annotated[tuple[MergeCount, ...], Field(min_length=1), AfterValidator(_distinct)]
TrainingSamples = Annotated[int, Field(ge=0, le=MAX_TRAINING_SAMPLES)]

FIRST: Any = Field(
    None, alias="from", description="where the curve begins; by default the smallest of `list`"
)
LAST: Any = Field(
    None, alias="to", description="where the curve ends; by default the largest of `list`"
)


class SizeRange(Options):
    """A range of vocabulary sizes, some of which are listed."""

    first: Total | None = FIRST
    last: Total | None = LAST
    listed: Totals | None = Field(
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
            written = "from" if self.last is None else "to"
            what = f"`from` is {first}, above `to`, which is {last}"
            raise WrongValueError(Problem((written,), what))
        right = f"expected a number between `from` and `to`: {first} to {last}"
        refuse(
            Problem(("list", position), f"found {number}, {right}")
            for position, number in enumerate(listed)
            if not first <= number <= last
        )
        completed = {"first": first, "last": last, "listed": listed or doubled(first, last)}
        return self.model_copy(update=completed)


class MergeRange(SizeRange):
    """A range of numbers of learned items, some of which are listed."""

    first: MergeCount | None = FIRST
    last: MergeCount | None = LAST
    listed: MergeCounts | None = Field(
        None,
        alias="list",
        description="the numbers to compare; by default `from`, doubled until `to`, and `to`",
    )


def doubled(first: int, last: int) -> tuple[int, ...]:
    """List `first`, doubled until `last`, and `last`; 1 comes after 0."""
    numbers = []
    while first < last:
        numbers.append(first)
        first = max(1, 2 * first)
    return (*numbers, last)


Written = tuple[int, ...] | SizeRange | None


def only_one(merges: Written, info: Info) -> Written:
    """Refuse `merges` beside `sizes`."""
    if merges is not None and info.data.get("sizes") is not None:
        what = "`sizes` and `merges` exclude each other: keep one of them"
        raise WrongValueError(Problem((), what, at_key=True))
    return merges


@dataclass(frozen=True)
class SizeList:
    """The listed sizes, the range around them where one is written, and the JSON form of both."""

    listed: tuple[Size, ...] = ()
    span: Span | None = None
    plain: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, sizes: Written, merges: Written) -> Self:
        """Return the sizes that are written under one of two keys; none if neither is written."""
        key, written = ("merges", merges) if sizes is None else ("sizes", sizes)
        if written is None:
            return cls()

        def as_sizes(numbers: Sequence[int]) -> tuple[Size, ...]:
            kind = "total" if key == "sizes" else "learned"
            return tuple(Size(**{kind: number}) for number in numbers)

        if not isinstance(written, SizeRange):
            return cls(as_sizes(written), plain={key: [*written]})
        plain = written.model_dump(mode="json", by_alias=True)
        first, last = as_sizes((plain["from"], plain["to"]))
        return cls(as_sizes(plain["list"]), Span(first, last, written.curve), {key: plain})


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
    sizes: Totals | SizeRange | None = Field(
        None, description="this system's own sizes, instead of the config's"
    )
    merges: MergeCounts | MergeRange | None = Field(
        None, description="this system's own `merges`, instead of the config's"
    )

    _only_one = field_validator("merges")(only_one)

    @property
    def title(self) -> str:
        """Its name, written or made from its parts."""
        parts = [self.learner.name, *([self.segmenter.name] if self.segmenter else [])]
        return self.name or "+".join(parts)

    def sizes_of(self, shared: SizeList) -> SizeList:
        """Return its own sizes, or the shared ones; none if its learner takes none."""
        if not self.learner.sized:
            return SizeList()
        own = SizeList.of(self.sizes, self.merges)
        return own if own.listed else shared

    @model_validator(mode="after")
    def _name_fits(self) -> Self:
        try:
            named(self.title)
        except ValueError:
            what = f"'{self.title}' can't be part of file names: give the system a `name`"
            raise ValueError(what) from None
        return self

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        refuse(self._misfits())
        return self

    def _misfits(self) -> Iterator[Problem]:
        """Refuse parts that cut words, where whole lines are to be read or cut."""
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


def _read(value: str | SystemKeys, info: Info) -> SystemKeys:
    """Return a system, which may be written as the name of its learner alone."""
    if isinstance(value, SystemKeys):
        return value
    return SystemKeys.model_validate({"learner": value}, context=info.context)


SystemList = Annotated[
    tuple[Annotated[SystemKeys, WrittenAs(str | SystemKeys, _read)], ...], Field(min_length=1)
]
