"""The ready-made tokenizer `sentencepiece`: a model file from disk."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from tokbench.api import InputFile, Learner, Reads, Vocabulary
from tokbench_sentencepiece.needs import EXTRA, MODULES, VERSION


class SentencePiece(Learner):
    """Load a SentencePiece model file (`.model`), of any kind: Unigram, BPE, words, characters."""

    requires: ClassVar[str | None] = EXTRA
    requires_modules: ClassVar[tuple[str, ...]] = MODULES
    requires_version: ClassVar[Mapping[str, str]] = VERSION

    path: InputFile = Field(description="the model file, which SentencePiece names `.model`")

    @property
    def reads(self) -> Reads:
        """It is ready-made."""
        return "nothing"

    def load(self) -> Vocabulary:
        """Read the model; raises InputError where it is damaged, cut short or of another kind."""
        # The library and NumPy are loaded only when there is work to do.
        from tokbench_sentencepiece.model import vocabulary_of

        return vocabulary_of(self.path.read_bytes(), str(self.path.path), declares=True)
