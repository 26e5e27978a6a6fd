"""The split patterns as splitters: pre-tokens as words, or as pieces of words (`split:`)."""

from collections.abc import Sequence
from typing import ClassVar

from tokbench.api import Splitter
from tokbench_bytes.patterns import PatternName, compiled


class PatternSplitter(Splitter):
    """Splits at a published pattern; the pieces partition the text, spaces included."""

    pattern: ClassVar[PatternName]

    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Return (start, end) of each pre-token."""
        return [match.span() for match in compiled(self.pattern).finditer(text)]


class Gpt2Splitter(PatternSplitter):
    """GPT-2's pre-tokens: letters, digits or symbols, each run with a space before it.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners.
    """

    pattern: ClassVar[PatternName] = "gpt2"


class Cl100kSplitter(PatternSplitter):
    """The pre-tokens of GPT-3.5 and GPT-4: at most three digits, symbols before a word stay on it.

    Source: openai/tiktoken, cl100k_base.
    """

    pattern: ClassVar[PatternName] = "cl100k"


class O200kSplitter(PatternSplitter):
    """The pre-tokens of GPT-4o: also cut where a capital follows a small letter.

    Source: openai/tiktoken, o200k_base.
    """

    pattern: ClassVar[PatternName] = "o200k"
