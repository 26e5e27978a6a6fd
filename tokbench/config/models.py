"""The keys of a config, with what each means: the one source of checks, schema and reference."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from tokbench.api.component import Options
from tokbench.api.engine import EngineName
from tokbench.assertions import EXAMPLE, Assertion, AssertionTextError
from tokbench.config.components import Built, component
from tokbench.config.corpora import CorporaKeys
from tokbench.config.experiment import Limits
from tokbench.config.messages import WrittenAs
from tokbench.config.names import Name
from tokbench.config.problems import Problem, WrongValueError
from tokbench.config.systems import (
    MergeCounts,
    MergeRange,
    SizeList,
    SizeRange,
    SystemList,
    Totals,
    TrainingSamples,
    only_one,
)
from tokbench.corpora.source import Bands, Rising

MAX_SEED = 2**32 - 1
MAX_RESAMPLES = 1_000_000
MAX_REPEATS = 100

_Metrics = Annotated[tuple[Annotated[Built, component("metric")], ...], Field(min_length=1)]
TrainingShare = Annotated[float, Field(ge=1e-9, le=1)]


def _assertion(text: str, _: object) -> Assertion:
    try:
        return Assertion.parse(text)
    except AssertionTextError as error:
        raise WrongValueError(Problem((), str(error), column=error.column)) from None


class ConfigKeys(Options):
    """A tokbench config."""

    corpora: CorporaKeys = Field(description="what is learned from, and what is scored")
    systems: SystemList = Field(
        description="the tokenizers to compare; a learner's name alone will do"
    )
    sizes: Totals | SizeRange | None = Field(
        None, description="the vocabulary sizes to compare, in tokens, alphabet included"
    )
    merges: MergeCounts | MergeRange | None = Field(
        None, description="instead of `sizes`: numbers of learned items (merges for BPE)"
    )
    metrics: _Metrics | Literal["all"] | None = Field(
        None,
        description="the metrics, or `all` whose needs are met; by default a core of "
        "twelve, with pairs five more",
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
        "0, 1, 2-5, 6-50 and 51+; `{per-million: [1, 10, 100]}` takes shares, `[]` makes none",
    )
    resample_by: Literal["line", "document"] = Field(
        "line", description="what is drawn of a test text: lines, or documents (30 or more)"
    )
    assertions: tuple[Annotated[Assertion, WrittenAs(str, _assertion)], ...] = Field(
        (),
        alias="assert",
        description="what must hold of the results, such as"
        f" `{EXAMPLE}`; where it does not, the run ends with code 5",
    )
    isolation: Literal["foreign", "all", "none"] | None = Field(
        None, description="has no effect any more, and will be removed"
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
    engine: EngineName = Field(
        "auto",
        description="`compiled` or `python` code for counting, learning, segmenting and scoring;"
        " changes no result; `auto` takes compiled code where it is built",
    )

    _only_one = field_validator("merges")(only_one)

    @property
    def shared_sizes(self) -> SizeList:
        """The sizes of all systems that have none of their own."""
        return SizeList.of(self.sizes, self.merges)
