"""The `tokenizer.json` of the Hugging Face library `tokenizers`."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from tokbench.api import (
    Exported,
    ExportInput,
    Imported,
    Recognised,
    SourceFile,
    Vocabulary,
    VocabularyFormat,
)
from tokbench_formats.hf_read import read_hf
from tokbench_formats.hf_write import write_hf
from tokbench_formats.recognising import recognise_json

HfSplit = Literal["words", "whitespace", "gpt2", "none"]
LOOK = Recognised(
    "a tokenizer.json", ("hf",), readers=("{use: hf, kind: tokenizer-json, path: ...}",)
)


class HfFormat(VocabularyFormat):
    """The `tokenizer.json` of the Hugging Face library `tokenizers`."""

    split: HfSplit | None = Field(
        None, description="how the tokenizer finds words; null: as the segmenter does"
    )

    def write(self, vocabulary: Vocabulary, given: ExportInput) -> Exported:
        """Write a tokenizer that cuts words as we do."""
        return write_hf(vocabulary, self.split, given)

    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read tokens, merges, scores, affixes and ids."""
        return read_hf(sources)

    def recognise(self, data: bytes) -> Recognised | None:
        """Recognise a JSON object with a model."""
        return recognise_json(data, lambda found: isinstance(found.get("model"), dict), LOOK)
