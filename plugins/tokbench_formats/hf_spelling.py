"""How a tokenizer.json spells tokens, finds words, and joins tokens again."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from tokbench_bytes.patterns import O200K

from tokbench.api import BeginMark, ContinuationMark, EndMark, InputError, Marks, Vocabulary
from tokbench_formats.carried import OWN_PATTERN, own_split, spell_all
from tokbench_formats.gpt2 import from_letters, spell_bytes

TokenizerJson = Mapping[str, Any]

PIECES = {
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+(?![\s\S])|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k": O200K,
}
"""Patterns of pieces as the library reads them: there `{1,3}+` repeats, and `$` also ends lines."""


def parts(component: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the normalizers or pre-tokenizers that one is made of, or itself."""
    if isinstance(component, Mapping):
        inner = [*component.get("pretokenizers", ()), *component.get("normalizers", ())]
        if not inner:
            yield component
        for part in inner:
            yield from parts(part)


@dataclass(frozen=True)
class Style:
    """How tokens are spelled: as bytes, with affixes at word edges, with a sign for the space."""

    byte_level: bool = False
    space: str | None = None
    prefix: str = ""
    suffix: str = ""
    fallback: bool = False

    @classmethod
    def of(cls, document: TokenizerJson) -> "Style":
        """Return how the tokens of a tokenizer.json are spelled."""
        model = document["model"]
        steps = [*parts(document.get("normalizer")), *parts(document.get("pre_tokenizer"))]
        signs = [part["replacement"] for part in steps if part.get("type") == "Metaspace"]
        signs += [part["content"] for part in steps if _replaces_space(part)]
        return cls(
            byte_level=any(part.get("type") == "ByteLevel" for part in steps),
            space=next(iter(signs), None),
            prefix=model.get("continuing_subword_prefix") or "",
            suffix=model.get("end_of_word_suffix") or "",
            fallback=bool(model.get("byte_fallback")),
        )

    @cached_property
    def units(self) -> Literal["bytes", "characters"]:
        """The units that characters of tokens stand for; byte vocabularies carry no marks."""
        return "bytes" if self.byte_level and self.marks == Marks() else "characters"

    @cached_property
    def marks(self) -> Marks:
        """The marks that the spelling stands for."""
        return Marks(
            bow=BeginMark(kind="separate", text=self.space) if self.space else BeginMark(),
            eow=EndMark(kind="fused", text=self.suffix) if self.suffix else EndMark(),
            continuation=ContinuationMark(kind="fused", text=self.prefix)
            if self.prefix
            else ContinuationMark(),
        )

    def text(self, spelled: str) -> str | None:
        """Return what a token of the model stands for; None where no text can give it.

        In a vocabulary of bytes each character of the result is one byte. Marked tokens of bytes
        that are no whole characters stay as they are spelled.
        """
        if self.units == "bytes":
            try:
                return from_letters(spelled)
            except ValueError:
                return None
        return (
            self._decoded(self.marks.read(spelled))
            if self.byte_level
            else read(spelled, self.marks)
        )

    def _decoded(self, token: str) -> str:
        """Decode a token of bytes that has marks."""
        letters = Marks.strip(token)
        try:
            text = from_letters(letters).encode("latin-1").decode()
        except ValueError:
            return token
        return token.replace(letters, text) if letters else token


def _replaces_space(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "Replace" and (part.get("pattern") or {}).get("String") == " "


def spelling(vocabulary: Vocabulary, form: str) -> list[str]:
    """Spell all tokens in id order; raises InputError for one that would be read as another."""
    if vocabulary.units == "characters":
        marks = vocabulary.marks
        space = marks.bow.text if spaced(marks) else " "
        return spell_all(vocabulary, form, lambda token: read(token, marks), space=space)
    return spell_bytes(vocabulary, form)


def read(spelled: str, marks: Marks) -> str:
    """Read a token of characters; inside, the sign of a separate begin mark is a space."""
    token = marks.read(spelled)
    return token.replace(marks.bow.text, " ") if spaced(marks) else token


def spaced(marks: Marks) -> bool:
    """Return whether the pre-tokenizer writes a sign before each word."""
    return marks.bow.kind == "separate"


def pre_tokenizer(
    vocabulary: Vocabulary, split: str | None, patterns: Mapping[str, str]
) -> TokenizerJson | None:
    """Describe how words are found, and how their begins are marked."""
    in_bytes, marks = vocabulary.units == "bytes", vocabulary.marks
    split = split or own_split(vocabulary) or "words"
    is_own = split.startswith(OWN_PATTERN)
    pieces = split.removeprefix(OWN_PATTERN) if is_own else PIECES.get(split)
    if (pieces or split == "gpt2") and not in_bytes:
        raise InputError(f"hf: the split {split!r} is for vocabularies of bytes only")
    if not pieces and split not in ("gpt2", "none", *patterns):
        raise InputError(f"hf: the split {split!r} has no form here: give --split gpt2 or none")
    steps: list[TokenizerJson] = []
    if pieces:
        steps.append(_split(pieces, "Isolated", invert=False))
    elif split in patterns:
        steps.append(_split(patterns[split], "Removed", invert=True))
    if in_bytes:
        steps.append(_byte_level(use_regex=split == "gpt2"))
    if spaced(marks):
        steps.append(_metaspace(marks))
    if len(steps) > 1:
        return {"type": "Sequence", "pretokenizers": steps}
    return steps[0] if steps else None


def _split(pattern: str, behavior: str, invert: bool) -> TokenizerJson:
    return {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": behavior,
        "invert": invert,
    }


def own_pieces(document: TokenizerJson) -> str | None:
    """Return the name of the pattern that cuts lines into pieces, if a segmenter has it."""
    steps = [*parts(document.get("pre_tokenizer"))]
    if any(step.get("type") == "ByteLevel" and step.get("use_regex", True) for step in steps):
        return "gpt2"
    for name, pattern in PIECES.items():
        if _split(pattern, "Isolated", invert=False) in steps:
            return name
    return None


def decoder(vocabulary: Vocabulary) -> TokenizerJson:
    """Describe how tokens are joined to text; without marks nothing separates words."""
    marks = vocabulary.marks
    if vocabulary.units == "bytes":
        return _byte_level(use_regex=True)
    if spaced(marks):
        return _metaspace(marks)
    prefix, suffix = re.escape(marks.continuation.text), re.escape(marks.eow.text)
    if marks.continuation.kind == "fused" and marks.eow.kind == "absent":
        return {"type": "WordPiece", "prefix": marks.continuation.text, "cleanup": False}
    steps: list[TokenizerJson] = []
    if marks.continuation.kind == "fused":
        steps.append({"type": "Replace", "pattern": {"Regex": f"^{prefix}"}, "content": ""})
    if marks.eow.kind == "fused":
        steps.append({"type": "Replace", "pattern": {"Regex": f"{suffix}$"}, "content": " "})
    steps.append({"type": "Fuse"})
    if marks.eow.kind == "fused":
        steps.append({"type": "Strip", "content": " ", "start": 0, "stop": 1})
    return {"type": "Sequence", "decoders": steps} if len(steps) > 1 else steps[0]


def _byte_level(use_regex: bool) -> TokenizerJson:
    options = {"add_prefix_space": False, "trim_offsets": False, "use_regex": use_regex}
    return {"type": "ByteLevel", **options}


def _metaspace(marks: Marks) -> TokenizerJson:
    if len(marks.bow.text) != 1:
        raise InputError(f"hf writes one character before a word, not {marks.bow.text!r}")
    sign = {"replacement": marks.bow.text}
    return {"type": "Metaspace", **sign, "prepend_scheme": "always", "split": False}
