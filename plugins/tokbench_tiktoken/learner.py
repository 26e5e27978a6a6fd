"""The ready-made tokenizer `tiktoken`: a rank file and the pattern that splits text before it."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator
from tokbench_bpe.merging import recovered

from tokbench.api import InputError, InputFile, Learner, Options, Reads, Vocabulary
from tokbench_tiktoken.published import FILES, PATTERNS, PatternName
from tokbench_tiktoken.ranks import read_ranks

EXTRA = "tokbench[tiktoken]"
MODULES = ("tiktoken",)
VERSION = {"tiktoken": "0.13"}
"""Before 0.13 the time for one long run of letters grew with the square of its length."""


class Pattern(Options):
    """A split pattern of one's own."""

    regex: str = Field(min_length=1, description="the pattern, in the syntax of tiktoken")


class Tiktoken(Learner):
    """Load byte-level BPE from a rank file (`.tiktoken`) on disk; nothing is downloaded.

    The file does not say how text is split before merging, so a config names the pattern too. A
    file that OpenAI published is recognised by its digest, and needs no pattern. Special tokens are
    never produced and are not part of |V|. `declared` counts those that were published with a file:
    it is the library's own `n_vocab`.
    """

    requires: ClassVar[str | None] = EXTRA
    requires_modules: ClassVar[tuple[str, ...]] = MODULES
    requires_version: ClassVar[Mapping[str, str]] = VERSION

    path: InputFile = Field(description="the rank file: on each line a token in base64 and a rank")
    pattern: PatternName | Pattern | None = Field(
        None,
        description="how text is split before merging: `r50k`, `p50k`, `cl100k` or `o200k`, or"
        " `{regex: ...}`; by default that of the published file",
    )
    merges: bool = Field(
        False,
        description="find the two parts of every token, so that the segmenter `bpe` can use them"
        " (about a second for 100,000 tokens)",
    )

    @model_validator(mode="after")
    def _pattern_known(self) -> Self:
        if self.pattern is None and self.path.digest not in FILES:
            raise ValueError(
                f"{self.path.written} is none of the published rank files (its SHA-256 begins with"
                f" {self.path.digest[:12]}): name its split pattern, `pattern:"
                f" {' | '.join(PATTERNS)}`, or give it, `pattern: {{regex: ...}}`"
            )
        return self

    @property
    def reads(self) -> Reads:
        """It is ready-made."""
        return "nothing"

    @property
    def regex(self) -> str:
        """The split pattern."""
        if isinstance(self.pattern, Pattern):
            return self.pattern.regex
        return PATTERNS[self.pattern or FILES[self.path.digest].pattern]

    def load(self) -> Vocabulary:
        """Read the ranks; a token's rank is its id.

        Raises InputError, with file and line, for a damaged or foreign file, and for a pattern
        that tiktoken cannot read.
        """
        # The library is imported only when it has work to do.
        from tokbench_tiktoken.encoding import check_pattern

        check_pattern(self.regex)
        published = FILES.get(self.path.digest)
        special = {i: text for text, i in published.special.items()} if published else {}
        ranks = read_ranks(self.path, special)
        spelled = {rank: token for token, rank in ranks.items()}
        size = max(spelled) + 1
        # A published special token may stand between ranks (p50k).
        between = tuple(i for i in sorted(special) if i < size)
        if clash := [i for i in between if i in spelled]:
            raise InputError(f"{self.path.path}: rank {clash[0]} is {special[clash[0]]}'s")
        return Vocabulary(
            tokens=tuple(spelled[i] if i in spelled else special[i] for i in range(size)),
            special=between,
            units="bytes",
            declared=max((*special, size - 1)) + 1,
            segmenter={"use": "tiktoken"},
            extra={"pattern": self.regex},
            **self._merges(ranks),
        )

    def _merges(self, ranks: Mapping[str, int]) -> dict[str, Any]:
        if not self.merges:
            return {}
        alphabet = sorted((token for token in ranks if len(token) == 1), key=ranks.__getitem__)
        return {"alphabet": tuple(alphabet), "learned": tuple(recovered(ranks))}
