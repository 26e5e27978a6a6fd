"""The keys of a config, with what each means: the one source of checks, schema and reference."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from unicodedata import category

from pydantic import AfterValidator, Field

from tokbench.api.component import Options, Use
from tokbench.assertions import EXAMPLE
from tokbench.config.experiment import Contexts, Limits
from tokbench.corpora.source import Bands, Generated, GoldSource, Rising, Source, Split

MAX_NAME = 100
MAX_NAME_BYTES = 200
_IN_NAME = " .,+=()-_"
MAX_SIZE = 1_000_000_000
MAX_SEED = 2**32 - 1
MAX_RESAMPLES = 1_000_000
MAX_REPEATS = 100
MAX_TRAINING_SAMPLES = 100


def named(name: str) -> str:
    """Check a name that will stand in file names and tables; raises ValueError."""
    if not _is_name(name):
        raise ValueError(
            f"found {name!r}, expected a name that begins with a letter, digit or _, of at most "
            "100 letters, digits, spaces and any of . , + = ( ) - _"
        )
    if len(name.encode()) > MAX_NAME_BYTES:
        raise ValueError(
            f"found a name of {len(name.encode())} bytes, expected at most {MAX_NAME_BYTES}, since "
            "it will be part of file names"
        )
    return name


def _is_name(name: str) -> bool:
    # The library `regex` would say it in a line, but takes longer to load than all else here.
    kinds = [category(char)[0] for char in name]
    return (
        0 < len(name) <= MAX_NAME
        and all(kind in "LMN" or char in _IN_NAME for kind, char in zip(kinds, name, strict=True))
        and (kinds[0] in "LN" or name[0] == "_")
        and name[-1] not in " ."
    )


def _distinct(numbers: Sequence[int]) -> Sequence[int]:
    for number, times in Counter(numbers).items():
        if times > 1:
            raise ValueError(f"{number} stands {times} times, expected each size once")
    return numbers


TrainingShare = Annotated[float, Field(ge=1e-9, le=1)]
TrainingSamples = Annotated[int, Field(ge=0, le=MAX_TRAINING_SAMPLES)]
Name = Annotated[str, AfterValidator(named)]
Total = Annotated[int, Field(gt=0, le=MAX_SIZE)]
MergeCount = Annotated[int, Field(ge=0, le=MAX_SIZE)]
Totals = Annotated[tuple[Total, ...], Field(min_length=1), AfterValidator(_distinct)]
MergeCounts = Annotated[tuple[MergeCount, ...], Field(min_length=1), AfterValidator(_distinct)]


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


class MergeRange(SizeRange):
    """A range of numbers of learned items, some of which are listed."""

    first: MergeCount | None = FIRST
    last: MergeCount | None = LAST
    listed: MergeCounts | None = Field(
        None,
        alias="list",
        description="the numbers to compare; by default `from`, doubled until `to`, and `to`",
    )


class CorporaKeys(Options):
    """The corpora: one to learn from, the others to score."""

    train: Source | None = Field(
        None, description="the text that all systems learn from; ready-made ones need none"
    )
    test: Source | Split | dict[Name, Source | Split] = Field(
        default_factory=dict,
        description="held-out texts by name; or a single one, whose name is then `test`",
    )
    lists: dict[Name, Source] = Field(
        default_factory=dict, description="word lists by name, `word<TAB>category` a line"
    )
    gold: dict[Name, GoldSource] = Field(
        default_factory=dict,
        description="gold segmentations by name, `word<TAB>un break able[, other]<TAB>category` by "
        "default",
    )
    pairs: dict[Name, Source | Generated] = Field(
        default_factory=dict,
        description="changed words by name, `changed<TAB>original<TAB>kind` a line, or made by a "
        "generator: `{generate: keyboard, of: held-out}`",
    )


class SystemKeys(Options):
    """One tokenizer to compare: a learner, and how its vocabulary is used."""

    learner: Use = Field(description="the component that learns the vocabulary")
    name: Name | None = Field(
        None, description="how results call the system; by default `learner` or `learner+segmenter`"
    )
    segmenter: Use | None = Field(
        None, description="the component that cuts words; by default the learner's own"
    )
    split: Use | None = Field(
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


class ConfigKeys(Options):
    """A tokbench config."""

    corpora: CorporaKeys = Field(description="what is learned from, and what is scored")
    systems: Annotated[tuple[str | SystemKeys, ...], Field(min_length=1)] = Field(
        description="the tokenizers to compare; a learner's name alone will do"
    )
    sizes: Totals | SizeRange | None = Field(
        None, description="the vocabulary sizes to compare, in tokens, alphabet included"
    )
    merges: MergeCounts | MergeRange | None = Field(
        None, description="instead of `sizes`: numbers of learned items (merges for BPE)"
    )
    metrics: Annotated[tuple[Use, ...], Field(min_length=1)] | Literal["all"] | None = Field(
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
    assertions: tuple[str, ...] = Field(
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
    engine: Literal["auto", "compiled", "python"] | None = Field(
        None, description="has no effect any more, and will be removed"
    )
