"""A `tokenizer.json` of the Hugging Face library `tokenizers` as a vocabulary.

Tokens, merges, scores, affixes and ids are read. Normalisation, pre-tokenizing and templates are
no part of a vocabulary: a note lists them. Whatever else changes how a word is cut is refused. The
learner `hf` takes the whole file through the library itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from tokbench.api import (
    BeginMark,
    ContinuationMark,
    EndMark,
    Imported,
    InputError,
    Learned,
    Marks,
    SourceFile,
    Vocabulary,
)
from tokbench_formats.gpt2 import from_letters
from tokbench_formats.hf_spelling import HfDocument, read, spaced
from tokbench_formats.reading import document_of, tokens_of

OTHERWISE = "the learner `hf` reads the file through the library itself"


def read_hf(sources: Iterable[SourceFile]) -> Imported:
    """Read a tokenizer.json; raises InputError, naming file and key, for what cannot be had."""
    (source,) = sources
    document = document_of(source)
    model = document.get("model") if isinstance(document, dict) else None
    if not isinstance(model, dict) or "vocab" not in model:
        raise InputError(f"{source.where}: no tokenizer.json: there is no `model` with a `vocab`")
    kind = model.get("type", "BPE")
    if kind not in READERS:
        raise InputError(
            f"{source.where}: model.type: found {kind!r}, expected {', '.join(READERS)}"
        )
    _check_model(model, source.where)
    try:
        found = HfFile.of(document, source.where)
        return Imported(READERS[kind](found), tuple(_notes(document)))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        cause = f"{type(error).__name__}: {error}"
        raise InputError(f"{source.where}: damaged, or beyond a vocabulary: {cause}") from None


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


def _bpe(file: HfFile) -> Vocabulary:
    learned = tuple(_merges(file))
    built = {Marks.join(item.parts) for item in learned}
    plain = {*file.added, file.unknown}
    letters = [t for i, t in enumerate(file.tokens) if i not in plain and t not in built]
    alphabet = tuple(t for t in letters if len(Marks.strip(t)) <= 1)
    splits = any(map(_splits_as_gpt2, parts_of(file.document)))
    segmenter = {"use": "byte-bpe", "split": "gpt2"} if splits else {"use": "bpe"}
    return file.vocabulary(segmenter, alphabet=alphabet, learned=learned)


def _merges(file: HfFile) -> Iterator[Learned]:
    ids = {token: i for i, token in enumerate(file.spelled)}
    prefix = len(file.document["model"].get("continuing_subword_prefix") or "")
    sign, inside = file.marks.bow.text, file.marks.model_copy(update={"bow": BeginMark()})
    seen = set()
    for number, merge in enumerate(file.document["model"].get("merges") or ()):
        place = f"{file.where}: model.merges.{number}"
        pair = tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge)
        if len(pair) != 2 or not all(isinstance(part, str) and part for part in pair):
            raise InputError(f"{place}: found {merge!r:.80}, expected the two parts of a merge")
        for token in (*pair, pair[0] + pair[1][prefix:]):
            if token not in ids:
                raise InputError(f"{place}: {token!r} is no token of model.vocab")
        if pair in seen:
            raise InputError(f"{place}: the merge {pair!r} stands twice")
        seen.add(pair)
        left, right = pair
        # A part that follows another does not begin a word: there the sign is a space.
        inner = inside.read(right).replace(sign, " ") if spaced(file.marks) else file.text(right)
        yield Learned((file.text(left), inner))


def _splits_as_gpt2(part: HfDocument) -> bool:
    """Return whether a part is the pre-tokenizer of bytes, and splits; the normalizer does not."""
    pre_tokenizes = is_byte_level(part) and "add_prefix_space" in part
    return pre_tokenizes and bool(part.get("use_regex", True))


def _wordpiece(file: HfFile) -> Vocabulary:
    longest = file.document["model"].get("max_input_chars_per_word", 100)
    options = {} if longest == 100 else {"max-characters": longest}
    return file.vocabulary({"use": "wordpiece", **options})


def _unigram(file: HfFile) -> Vocabulary:
    plain = {*file.added, file.unknown}
    scored = zip(file.tokens, file.document["model"]["vocab"], strict=False)
    scores = {t: float(score) for i, (t, (_, score)) in enumerate(scored) if i not in plain}
    if odd := next((token for token, score in scores.items() if not isfinite(score)), None):
        raise InputError(f"{file.where}: model.vocab: the score of {odd!r} is {scores[odd]}")
    return file.vocabulary({"use": "unigram"}, extra={"scores": scores})


def _wordlevel(file: HfFile) -> Vocabulary:
    return file.vocabulary({"use": "word"})


READERS: Mapping[str, Callable[[HfFile], Vocabulary]] = {
    "BPE": _bpe,
    "WordPiece": _wordpiece,
    "Unigram": _unigram,
    "WordLevel": _wordlevel,
}


def _check_model(model: HfDocument, where: str) -> None:
    for key in ("dropout", "ignore_merges"):
        if model.get(key):
            raise InputError(
                f"{where}: model.{key}: found {model[key]!r}, which a vocabulary cannot carry; "
                f"{OTHERWISE}"
            )


def _notes(document: HfDocument) -> Iterator[str]:
    for key in ("normalizer", "pre_tokenizer", "post_processor"):
        if part := document.get(key):
            yield f"a vocabulary has no {key}: {part.get('type')} left out"
    if document["model"].get("byte_fallback"):
        yield "a vocabulary's segmenter falls back to no bytes: what is unknown stays unknown"
    plain = [t for t in document.get("added_tokens") or () if not t.get("special")]
    if plain:
        yield f"{len(plain)} added tokens that are not special are never produced"
