"""The hint that a ready-made tokenizer's file is of another kind than its option expects."""

from collections.abc import Mapping
from dataclasses import dataclass

from tokbench.api import InputError, InputFile, Learner
from tokbench.interchange.detect_format import OURS, detect_format


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
        """Return whether the file was named there."""
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
"""By the format that was detected. Formats that no learner reads need an import."""

LOOKS_LIKE = "this looks like"


def with_hint(name: str, learner: Learner, error: InputError) -> InputError:
    """Add a hint to the error about a learner's file if it looks like a file of another kind."""
    message = str(error)
    for option, file in learner:
        if LOOKS_LIKE not in message and isinstance(file, InputFile) and str(file.path) in message:
            message += _hint(name, getattr(learner, "kind", None), option, file)
    return InputError(message)


def _hint(name: str, kind: object, option: str, file: InputFile) -> str:
    look = detect_format(file.read_bytes())
    if look is None:
        return ""
    reader = READERS.get(look.what)
    if reader is None:
        # A file of an import format may be what was wanted, but damaged.
        return "" if look.formats else f"; {LOOKS_LIKE} {look.what}: {look.hint}"
    if reader.is_at(name, kind, option):
        return ""
    return f"; {LOOKS_LIKE} {look.what}, which `{reader}` reads"
