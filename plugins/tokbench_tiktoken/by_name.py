"""OpenAI's tokenizers by their names, each from its published rank file."""

from collections.abc import Mapping
from typing import ClassVar

from tokbench_ready_made.published import PublishedFile, PublishedTokenizer

from tokbench.api import Vocabulary
from tokbench_tiktoken.learner import EXTRA, MODULES, VERSION, Tiktoken
from tokbench_tiktoken.published import FILES, PatternName

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings"


def ranks_of(pattern: PatternName) -> tuple[PublishedFile, ...]:
    """Return the rank file that was published with a pattern."""
    name = f"{pattern}_base.tiktoken"
    digest = next(digest for digest, file in FILES.items() if file.pattern == pattern)
    return (PublishedFile(name, digest, f"{ADDRESS}/{name}"),)


class PublishedRanks(PublishedTokenizer):
    """Byte-level BPE from a rank file that OpenAI published."""

    requires: ClassVar[str | None] = EXTRA
    requires_modules: ClassVar[tuple[str, ...]] = MODULES
    requires_version: ClassVar[Mapping[str, str]] = VERSION

    def load(self) -> Vocabulary:
        """Read the file."""
        (path,) = self.files
        return Tiktoken(path=path).load()


class R50k(PublishedRanks):
    """The tokenizer of GPT-3, with GPT-2's tokens."""

    published: ClassVar = ranks_of("r50k")


class P50k(PublishedRanks):
    """The tokenizer of Codex: GPT-3's, with tokens for many spaces."""

    published: ClassVar = ranks_of("p50k")


class Cl100k(PublishedRanks):
    """The tokenizer of GPT-3.5 and GPT-4."""

    published: ClassVar = ranks_of("cl100k")


class O200k(PublishedRanks):
    """The tokenizer of GPT-4o."""

    published: ClassVar = ranks_of("o200k")
