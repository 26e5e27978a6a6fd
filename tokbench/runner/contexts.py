"""How the words of a system are cut: in the context of their lines, alone, or both."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tokbench.api import Segmentation, Segmenter, Splitter, TextSegmenter, Vocabulary
from tokbench.config import System
from tokbench.corpora.load import TestCorpus
from tokbench.errors import UsageError
from tokbench.runner.incontext import segment_in_context
from tokbench.runner.outcome import Context
from tokbench.runner.segmenting import segment


def contexts_of(system: System, segmenter: Segmenter) -> tuple[Context, ...]:
    """Give the contexts in which a system is scored, the first being its own.

    Raises UsageError where it is to cut in context but its vocabulary's segmenter cannot; of a
    `split` and of a segmenter that the config names, that was told with the config.
    """
    lines = isinstance(segmenter, TextSegmenter) and system.splitter is None
    if system.context is None:
        return ("in-context",) if lines else ("isolated",)
    if system.context == "isolated":
        return ("isolated",)
    if not lines:
        raise UsageError(
            f"`context: {system.context}` asks for whole lines, but its segmenter cuts words"
        )
    return ("in-context",) if system.context == "in-context" else ("in-context", "isolated")


@dataclass(frozen=True)
class Cutter:
    """A segmenter made ready for one vocabulary, and the system's own splitter if it has one."""

    vocabulary: Vocabulary
    segmenter: Segmenter
    prepared: Any
    splitter: Splitter | None

    def cut(
        self, tests: Iterable[TestCorpus], contexts: Sequence[Context], context: Context
    ) -> dict[str, Segmentation]:
        """Cut the test corpora; in a second context only texts, since lists have but one."""
        return {
            test.name: self._cut(test, context)
            for test in tests
            if test.kind == "text" or context == contexts[0]
        }

    def _cut(self, test: TestCorpus, context: Context) -> Segmentation:
        if context == "in-context" and test.kind == "text":
            assert isinstance(self.segmenter, TextSegmenter)  # `contexts_of` has checked it
            return segment_in_context(
                test.words, test.text, self.vocabulary, self.segmenter, self.prepared
            )
        return segment(test.words, self.vocabulary, self.segmenter, self.prepared, self.splitter)
