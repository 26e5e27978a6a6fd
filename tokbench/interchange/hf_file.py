"""A tokenizer.json as it stands in a file: its tokens by id, and how these are spelled."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tokbench.api import BeginMark, ContinuationMark, EndMark, InputError, Marks, Vocabulary
from tokbench.interchange.byte_letters import from_letters
from tokbench.interchange.hf_spelling import HfDocument, read
from tokbench.interchange.sources import tokens_of

OTHERWISE = "the learner `hf` reads the file through the library itself"


@dataclass(frozen=True)
class HfFile:
    """A document with its tokens, as spelled in id order, and what its parts say of them.

    `added` are the ids of added tokens, `unknown` not among them.
    """

    document: HfDocument
    where: str
    spelled: list[str]
    added: tuple[int, ...]
    unknown: int | None
    marks: Marks
    in_bytes: bool

    @classmethod
    def of(cls, document: HfDocument, where: str) -> "HfFile":
        """Find the tokens; raises InputError where ids are wrong, or bytes have marks."""
        model = document["model"]
        vocab = model["vocab"]
        ids = {piece: i for i, (piece, _) in enumerate(vocab)} if scored(model) else dict(vocab)
        if scored(model) and len(ids) < len(vocab):
            raise InputError(f"{where}: model.vocab: a piece stands twice")
        added = {token["content"]: token["id"] for token in document.get("added_tokens") or ()}
        for content, i in added.items():
            if ids.setdefault(content, i) != i:
                raise InputError(
                    f"{where}: added_tokens: {content!r} has two ids, {i} and {ids[content]}"
                )
        unknown = model.get("unk_id") if scored(model) else ids.get(model.get("unk_token"))
        in_bytes = any(map(is_byte_level, parts_of(document)))
        marks = marks_of(document)
        if in_bytes and marks != Marks():
            raise InputError(f"{where}: byte-level tokens with affixes at word edges; {OTHERWISE}")
        special = tuple(sorted(i for i in added.values() if i != unknown))
        return cls(
            document,
            where,
            tokens_of(ids, f"{where}: model.vocab"),
            special,
            unknown,
            marks,
            in_bytes,
        )

    def text(self, spelled: str) -> str:
        """Read a token of the model."""
        return from_letters(spelled) if self.in_bytes else read(spelled, self.marks)

    @property
    def tokens(self) -> tuple[str, ...]:
        """All tokens; special ones and `unknown` are plain text."""
        plain = {*self.added, self.unknown}
        return tuple(t if i in plain else self.text(t) for i, t in enumerate(self.spelled))

    def vocabulary(self, segmenter: HfDocument, **fields: Any) -> Vocabulary:
        """Build the vocabulary from what all models have, and these fields."""
        return Vocabulary(
            tokens=self.tokens,
            marks=self.marks,
            special=self.added,
            unknown=self.unknown,
            segmenter=segmenter,
            units="bytes" if self.in_bytes else "characters",
            **fields,
        )


def marks_of(document: HfDocument) -> Marks:
    """Read the marks: the model's affixes, and the sign that is written for spaces."""
    model = document["model"]
    prefix, suffix = model.get("continuing_subword_prefix"), model.get("end_of_word_suffix")
    signs = [p["replacement"] for p in parts_of(document) if p.get("type") == "Metaspace"]
    signs += [
        part["content"]
        for part in parts_of(document)
        if part.get("type") == "Replace" and (part.get("pattern") or {}).get("String") == " "
    ]
    return Marks(
        bow=BeginMark(kind="separate", text=signs[0]) if signs else BeginMark(),
        eow=EndMark(kind="fused", text=suffix) if suffix else EndMark(),
        continuation=ContinuationMark(kind="fused", text=prefix) if prefix else ContinuationMark(),
    )


def parts_of(document: HfDocument) -> Iterator[HfDocument]:
    """List the normalizers and pre-tokenizers, those inside sequences too."""
    waiting = [document.get("normalizer"), document.get("pre_tokenizer")]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, dict):
            waiting += [*part.get("pretokenizers", ()), *part.get("normalizers", ())]
            yield part


def is_byte_level(part: HfDocument) -> bool:
    """Return whether a normalizer or pre-tokenizer spells bytes."""
    return part.get("type") == "ByteLevel"


def scored(model: HfDocument) -> bool:
    """Return whether a model lists pieces with scores, as Unigram does."""
    return isinstance(model["vocab"], list)
