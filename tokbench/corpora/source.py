"""A corpus as a config describes it: where it is and how it is treated."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from tokbench.api import GoldReader, PairGenerator, Splitter
from tokbench.api.component import Options, Use, compact
from tokbench.api.files import not_an_address

MAX_COUNT = 10**15
"""More than any text holds; in 64 bits."""

Count = Annotated[int, Field(ge=1, le=MAX_COUNT)]

TextForm = Literal["lowercase", "nfc", "nfd", "nfkc", "nfkd"]


class Remove(Options):
    r"""Delete every match of a regular expression from a line: `{remove: '[^a-z\s]'}`."""

    remove: str = Field(description="a regular expression (the `regex` library's)")

    @field_validator("remove")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        import regex  # a config that removes nothing does not wait for it

        try:
            regex.compile(pattern)
        except regex.error as error:
            raise ValueError(f"not a regular expression: {error}") from None
        except (RecursionError, MemoryError, OverflowError):
            raise ValueError("a regular expression too large to be compiled") from None
        return pattern


class Source(Options):
    """A corpus from one or several files, or from the catalogue; paths alone will do."""

    normalise: tuple[TextForm | Remove, ...] = Field(
        (), description="applied to each line, in order"
    )
    words: Use = Field(Use(use="words"), description="the splitter that finds the scoring words")
    errors: Literal["strict", "replace", "skip-line"] = Field(
        "strict", description="what to do with invalid UTF-8"
    )
    documents: Literal["file", "blocks"] = Field(
        "file", description="a document is a file or record, or a block between blank lines"
    )
    lines: Literal["apart", "joined", "spaces"] = Field(
        "apart",
        description="test texts only: tokenizers cut each line alone, or each document whole, with"
        " its line ends (`joined`) or spaces in their place; then a document counts as one line",
    )
    format: Literal["text", "counts", "words"] = Field(
        "text", description="running text, `word<TAB>count` lines, or one word a line"
    )
    min_word_count: Count = Field(
        1, description="training text only: leave out words that occur less often than this"
    )
    field: str | None = Field(
        None, description="the field of records, or the column of a table, that holds the text"
    )
    path: tuple[Path, ...] = Field(
        (), description="a file, a folder, a pattern such as `texts/*.txt`, or a list of these"
    )
    catalog: str | None = Field(None, description="a name of `tokbench corpora list`")

    @model_validator(mode="before")
    @classmethod
    def _path_alone(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str | Path | list) else value

    @field_validator("path", mode="before")
    @classmethod
    def _no_addresses(cls, paths: Any) -> Any:
        several = (paths,) if isinstance(paths, str | Path) else paths
        for path in several if isinstance(several, list | tuple) else ():
            if isinstance(path, str):
                not_an_address(path)
        return several

    @model_validator(mode="after")
    def _one_place(self) -> "Source":
        if bool(self.path) == bool(self.catalog):
            raise ValueError("a corpus needs either `path` or `catalog`")
        return self


class GoldSource(Source):
    """Gold segmentations, in any format that a plugin reads."""

    format: Use = Field(  # type: ignore[assignment]  # not as other texts
        Use(use="tsv"),
        description="what reads the file, such as `tsv`, `sigmorphon` or `unimorph`; without the"
        " key, the name and the rows of the file tell",
    )
    mismatch: Literal["refuse", "skip"] = Field(
        "refuse",
        description="`refuse` words whose segments do not join to them, or `skip` their boundaries",
    )


class Split(Options):
    """A share of another corpus, taken out by the config's seed: `{split: 0.1, of: train}`."""

    split: float = Field(gt=0, lt=1, description="the share of lines or documents taken out")
    of: Literal["train"] = Field("train", description="the corpus that it is taken from")
    by: Literal["line", "document"] = Field("line", description="what is drawn as a whole")


class Generated(Options):
    """Pairs made from a test text: `{generate: keyboard, of: held-out}`."""

    generate: Use = Field(description="the pair generator that changes its words")
    of: str = Field(min_length=1, description="the test text")


def _rising(bounds: tuple[float, ...]) -> tuple[float, ...]:
    for low, high in pairwise(bounds):
        if not low < high:
            raise ValueError(f"{high:.15g} stands after {low:.15g}, expected numbers that rise")
    return bounds


Rising = AfterValidator(_rising)
Rate = Annotated[float, Field(gt=0, le=1_000_000)]


class PerMillion(Options):
    """Bands of words by their occurrences in a million training words: `{per-million: [1, 10]}`."""

    per_million: Annotated[tuple[Rate, ...], Field(min_length=1), Rising] = Field(
        description="where each band begins"
    )


Bands = Annotated[tuple[Count, ...], Rising] | PerMillion


_NO_TREATMENT = {"path", "catalog", "words"}


@dataclass(frozen=True)
class DescribedCorpus:
    """Where a corpus is, how it is treated, and the splitter that finds its scoring words.

    `splitter_name` holds the options that differ from the default. A split's splitter is that of
    the training corpus. `gold` reads the lines of gold segmentations. `generator` makes pairs of
    the words of another text; `generated_by` is its name, again with such options. `looks` says
    which file looks like a vocabulary. `plain` is the JSON form of a corpus of a config.
    """

    source: Source | Split | Generated
    splitter_name: str
    splitter: Splitter
    gold: GoldReader | None = None
    generator: PairGenerator | None = None
    generated_by: str = ""
    looks: tuple[str, ...] = ()
    plain: Mapping[str, Any] = field(default_factory=dict)

    @property
    def treatment(self) -> str:
        """How the corpus is treated, where that is not the default: `errors=replace`."""
        if isinstance(self.source, Generated):
            return f"generate={self.generated_by},of={self.source.of}"
        options = self.source.model_dump(
            mode="json", by_alias=True, exclude_defaults=True, exclude=_NO_TREATMENT
        )
        return ",".join(f"{key}={compact(value)}" for key, value in options.items())
