"""How a tokenizer.json spells its tokens, and what they stand for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from tokbench.api import BYTE_LETTERS, BeginMark, ContinuationMark, EndMark, Marks

TokenizerJson = Mapping[str, Any]

WORDS: TokenizerJson = {
    "type": "Split",
    "pattern": {"Regex": "[\\p{L}\\p{M}\\p{N}_\u200c\u200d]+|[^\\p{L}\\p{M}\\p{N}_\\s]+"},
    "behavior": "Removed",
    "invert": True,
}
"""How trained tokenizers cut a line into words: as the splitter `words` does."""


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
        found = [*parts(document.get("normalizer")), *parts(document.get("pre_tokenizer"))]
        signs = [part["replacement"] for part in found if part.get("type") == "Metaspace"]
        signs += [part["content"] for part in found if _replaces_space(part)]
        return cls(
            byte_level=any(part.get("type") == "ByteLevel" for part in found),
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

    @cached_property
    def bytes(self) -> Mapping[str, int]:
        """The byte of each character, where tokens are spelled as bytes."""
        return {letter: byte for byte, letter in BYTE_LETTERS.items()}

    def text(self, spelled: str) -> str | None:
        """Return what a token of the model stands for; None where no text can give it.

        In a vocabulary of bytes each character of the result is one byte. Marked tokens of bytes
        that are no whole characters stay as they are spelled.
        """
        if self.units == "bytes":
            if not all(letter in self.bytes for letter in spelled):
                return None
            return "".join(chr(self.bytes[letter]) for letter in spelled)
        token = self.marks.read(spelled)
        if self.byte_level:
            return self._decoded(token)
        return token.replace(self.space, " ") if self.space else token

    def _decoded(self, token: str) -> str:
        """Decode a token of bytes that has marks."""
        letters = Marks.strip(token)
        try:
            text = bytes(self.bytes[letter] for letter in letters).decode()
        except (KeyError, UnicodeDecodeError):
            return token
        return token.replace(letters, text) if letters else token


def _replaces_space(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "Replace" and (part.get("pattern") or {}).get("String") == " "


def byte_token(spelled: str) -> int | None:
    """Return the byte that a byte-fallback token stands for: 236 for `<0xEC>`, None for others."""
    if len(spelled) == 6 and spelled.startswith("<0x") and spelled.endswith(">"):
        try:
            return int(spelled[3:5], 16)
        except ValueError:
            return None
    return None
