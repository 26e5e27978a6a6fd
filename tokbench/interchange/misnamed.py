"""Say of a ready-made tokenizer's file that it is of another kind than the option that names it."""

from collections.abc import Mapping
from dataclasses import dataclass

from tokbench.api import InputError, InputFile, Learner
from tokbench.interchange.looks import OURS, looks_like


@dataclass(frozen=True)
class Reader:
    """The learner and the option that read a file as it is, and the first of its kinds that do."""

    learner: str
    option: str = "path"
    kinds: tuple[str, ...] = ()

    def __str__(self) -> str:
        kind = f"kind: {self.kinds[0]}, " if self.kinds else ""
        return f"{{use: {self.learner}, {kind}{self.option}: ...}}"

    def is_at(self, learner: str, kind: object, option: str) -> bool:
        """Tell whether that is where the file was named."""
        kinds = self.kinds or (kind,)
        return (learner, option) == (self.learner, self.option) and kind in kinds


READERS: Mapping[str, Reader] = {
    "a binary model of SentencePiece": Reader("sentencepiece"),
    "a tokenizer.json": Reader("hf", "path", ("tokenizer-json",)),
    "a table of token: id": Reader("hf", "vocab", ("gpt2", "roberta")),
    "the merges of GPT-2 (vocab.bpe, merges.txt)": Reader("hf", "merges", ("gpt2", "roberta")),
    "the vocab.txt of BERT": Reader("hf", "vocab", ("bert-vocab",)),
    "ranks of tiktoken": Reader("tiktoken"),
    "word splits": Reader("vocabulary"),
    OURS: Reader("vocabulary"),
}
"""By what a file looks like. What no learner reads is not here, and needs an import."""

TOLD = "this looks like"


def told(name: str, learner: Learner, error: InputError) -> InputError:
    """Add to the refusal of a learner's file what the file looks like, if that is another kind."""
    message = str(error)
    for option, file in learner:
        if TOLD not in message and isinstance(file, InputFile) and str(file.path) in message:
            message += _hint(name, getattr(learner, "kind", None), option, file)
    return InputError(message)


def _hint(name: str, kind: object, option: str, file: InputFile) -> str:
    look = looks_like(file.read_bytes())
    if look is None:
        return ""
    reader = READERS.get(look.what)
    if reader is None:
        # What has formats may be just such a file, but damaged.
        return "" if look.formats else f"; {TOLD} {look.what}: {look.hint}"
    if reader.is_at(name, kind, option):
        return ""
    return f"; {TOLD} {look.what}, which `{reader}` reads"
