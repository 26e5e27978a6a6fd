"""The learner `hf`: it learns nothing, and reads a ready-made tokenizer from files."""

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from tokbench.api import InputFile, Learner, Reads, Vocabulary
from tokbench_hf.segmenters import EXTRA_NEEDED, MODULES, VERSIONS

NEEDED = {
    "tokenizer-json": ("path",),
    "bert-vocab": ("vocab",),
    "gpt2": ("vocab", "merges"),
    "roberta": ("vocab", "merges"),
}
BERT_ONLY = ("lowercase", "strip_accents", "handle_chinese_chars", "clean_text")


class Hf(Learner):
    """Read a tokenizer that was trained elsewhere, from files on disk: nothing is downloaded."""

    requires: ClassVar[str | None] = EXTRA_NEEDED
    requires_modules: ClassVar[tuple[str, ...]] = MODULES
    requires_version: ClassVar[Mapping[str, str]] = VERSIONS

    kind: Literal["tokenizer-json", "bert-vocab", "gpt2", "roberta"] = Field(
        description="what the files are: a `tokenizer-json` (`path`), BERT's `vocab`, or the"
        " `vocab` (encoder.json) and `merges` (vocab.bpe) of `gpt2` or `roberta`",
    )
    path: InputFile | None = Field(None, description="the file tokenizer.json")
    vocab: InputFile | None = Field(
        None, description="the vocabulary: a token a line (BERT), or JSON (GPT-2, RoBERTa)"
    )
    merges: InputFile | None = Field(None, description="the merges, a pair a line")
    add_prefix_space: bool = Field(
        False, description="gpt2, roberta: write a space before a line that begins without one"
    )
    lowercase: bool = Field(True, description="bert-vocab: write all text in lower case")
    strip_accents: bool | None = Field(
        None, description="bert-vocab: take accents off letters; not set, it is as `lowercase`"
    )
    handle_chinese_chars: bool = Field(
        True, description="bert-vocab: cut before and after each Chinese character"
    )
    clean_text: bool = Field(
        True, description="bert-vocab: drop control characters, and write white space as spaces"
    )

    @model_validator(mode="after")
    def _check_files(self) -> Self:
        needed = NEEDED[self.kind]
        for name in ("path", "vocab", "merges"):
            given = getattr(self, name) is not None
            if given != (name in needed):
                fault = f"has no file `{name}`" if given else f"needs the file `{name}`"
                raise ValueError(f"kind: {self.kind} {fault}")
        foreign: tuple[str, ...] = () if self.kind == "bert-vocab" else BERT_ONLY
        foreign += () if self.kind in ("gpt2", "roberta") else ("add_prefix_space",)
        for name in foreign:
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"kind: {self.kind} has no option `{name.replace('_', '-')}`")
        return self

    @property
    def reads(self) -> Reads:
        """There is nothing to learn from."""
        return "nothing"

    def load(self) -> Vocabulary:
        """Read the files; raises InputError for files of another kind, or damaged ones."""
        # The library stays off the start-up path.
        from tokbench_hf.document import load
        from tokbench_hf.kinds import document
        from tokbench_hf.mapping import vocabulary

        found, where = document(self)
        return vocabulary(found, load(found, where), "hf", declares=True)
