"""The ready-made tokenizers: any rank file with the pattern that splits text, and OpenAI's own."""

from typing import ClassVar, Self

from pydantic import Field, model_validator
from tokbench_formats.tiktoken import read_ranks
from tokbench_ready_made import ReadyMade
from tokbench_ready_made.published import PublishedTokenizer

from tokbench.api import InputError, InputFile, Options, Vocabulary
from tokbench_tiktoken import NeedsTiktoken
from tokbench_tiktoken.published import FILES, PATTERNS, PatternName
from tokbench_tiktoken.segmenter import encoding_of


class Pattern(Options):
    """A split pattern of one's own."""

    regex: str = Field(min_length=1, description="the pattern, in the syntax of tiktoken")


class Tiktoken(NeedsTiktoken, ReadyMade):
    """Load byte-level BPE from a rank file (`.tiktoken`) on disk; nothing is downloaded.

    The file does not say how text is split before merging, so a config names the pattern too. A
    file that OpenAI published is recognised by its digest, and needs no pattern. Special tokens are
    never produced and are not part of |V|. `declared` counts those that were published with a file:
    it is the library's own `n_vocab`.
    """

    path: InputFile = Field(description="the rank file: on each line a token in base64 and a rank")
    pattern: PatternName | Pattern | None = Field(
        None,
        description="how text is split before merging: `r50k`, `p50k`, `cl100k` or `o200k`, or"
        " `{regex: ...}`; by default that of the published file",
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
        encoding_of(self.regex, {bytes([byte]): byte for byte in range(256)})
        published = FILES.get(self.path.digest)
        special = {i: text for text, i in published.special.items()} if published else {}
        ranks = read_ranks(self.path.read_bytes(), str(self.path.path), special)
        if missing := [byte for byte in range(256) if chr(byte) not in ranks]:
            raise InputError(
                f"{self.path.path}: {len(missing)} of the 256 single bytes have no rank,"
                f" 0x{missing[0]:02X} for one: tiktoken cannot cut a text that holds it"
            )
        spelled = {rank: token for token, rank in ranks.items()}
        size = max(spelled) + 1
        # A published special token may stand between ranks (p50k).
        between = tuple(i for i in sorted(special) if i < size)
        return Vocabulary(
            tokens=tuple(spelled[i] if i in spelled else special[i] for i in range(size)),
            special=between,
            units="bytes",
            declared=max((*special, size - 1)) + 1,
            segmenter={"use": "tiktoken"},
            extra={"pattern": self.regex},
        )


class PublishedRanks(NeedsTiktoken, PublishedTokenizer):
    """Byte-level BPE from a rank file that OpenAI published."""

    def load(self) -> Vocabulary:
        """Read the file."""
        (path,) = self.files
        return Tiktoken(path=path).load()


class R50k(PublishedRanks):
    """The tokenizer of GPT-3, with GPT-2's tokens."""

    in_catalogue: ClassVar[str] = "r50k"


class P50k(PublishedRanks):
    """The tokenizer of Codex: GPT-3's, with tokens for many spaces."""

    in_catalogue: ClassVar[str] = "p50k"


class Cl100k(PublishedRanks):
    """The tokenizer of GPT-3.5 and GPT-4."""

    in_catalogue: ClassVar[str] = "cl100k"


class O200k(PublishedRanks):
    """The tokenizer of GPT-4o."""

    in_catalogue: ClassVar[str] = "o200k"
