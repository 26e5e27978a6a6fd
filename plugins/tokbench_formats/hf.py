"""The `tokenizer.json` of the Hugging Face library `tokenizers`.

The model that is written is that of the vocabulary's segmenter: BPE, WordPiece, Unigram or
WordLevel. Words are found by a pre-tokenizer; marks are affixes of the model, or a `▁` that the
pre-tokenizer writes. Unknown text becomes an unknown token, since the library drops it silently
where there is none.

Tokens, merges, scores, affixes and ids are read. Normalisation, pre-tokenizing and templates are
no part of a vocabulary: a note lists them. Whatever else changes how a word is cut is refused. The
learner `hf` takes the whole file through the library itself.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from pydantic import Field

from tokbench.api import (
    BeginMark,
    Exported,
    ExportInput,
    Imported,
    InputError,
    Learned,
    Marks,
    Recognised,
    SourceFile,
    Vocabulary,
    VocabularyFormat,
)
from tokbench_formats.carried import (
    OWN_PATTERN,
    check_marks,
    check_pairs,
    check_parts,
    check_segmenter,
    notes_on_split,
    own_split,
    scores_of,
    with_unknown,
)
from tokbench_formats.hf_spelling import (
    Style,
    TokenizerJson,
    decoder,
    own_pieces,
    pre_tokenizer,
    spaced,
    spelling,
)
from tokbench_formats.reading import document_of, recognise_json, tokens_of

NAME = "hf"
OWN = "tokenizer.json"
"""Where vocabularies of the library itself keep their document in `extra`."""

LONGEST = 10_000
"""No word has more characters: the library has no word for no limit."""

OTHERWISE = "the learner `hf` reads the file through the library itself"

SPACES_LOST = (
    "single words are cut, without the spaces between them, so that the library decodes"
    " 'to the palace' as 'tothepalace'"
)

LOSSY = None, "words", "whitespace"
"""The splits that keep no spaces."""
ONIGURUMA = (
    "the library reads the pattern of the split as Oniguruma does, where `^` and `$` match at each"
    " line, `{1,3}+` repeats and `\\h` is a hexadecimal digit: try the file on a text"
)
KEPT = (
    "name the split that its text had, as --split gpt2 or cl100k, learn it with `read: lines`, or"
    " add --force"
)

UNMARKED = (
    "no token tells where a word ends, so that the library decodes 'to the palace' as 'tothepalace'"
)

LOOK = Recognised(
    "a tokenizer.json", ("hf",), readers=("{use: hf, kind: tokenizer-json, path: ...}",)
)


class HfFormat(VocabularyFormat):
    """The `tokenizer.json` of the Hugging Face library `tokenizers`."""

    split: Literal["words", "whitespace", "gpt2", "cl100k", "o200k", "none"] | None = Field(
        None, description="how the tokenizer finds words; null: as the segmenter does"
    )

    def write(self, vocabulary: Vocabulary, inputs: ExportInput) -> Exported:
        """Write a tokenizer that cuts words as we do.

        Words are split as `split` says, or else as the segmenter splits them. Raises InputError for
        what the library would cut otherwise, and where no token holds a space, so that decoding
        loses them, unless that is forced.
        """
        own = vocabulary.extra.get(OWN)
        if vocabulary.segmenter.get("use") in ("hf", "hf-words") and isinstance(own, str):
            return Exported({OWN: own}, ("the library's own document, with its own pre-tokenizer",))
        check_segmenter(vocabulary, NAME, MODELS)
        use = vocabulary.segmenter["use"]
        model, unknown, carried = MODELS[use]
        check_marks(vocabulary.marks, NAME, carried)
        notes = []
        if _needs_unknown(vocabulary):
            vocabulary = with_unknown(vocabulary, NAME, unknown)
            without = "without it the library drops what is unknown"
            notes.append(f"{unknown} added as id {vocabulary.unknown}: {without}")
        # Bytes of lines are cut by their own split unless another is named.
        is_lossy = self.split in LOSSY and (use == "bpe" or self.split is not None)
        if vocabulary.units == "bytes" and is_lossy:
            if not inputs.force:
                raise InputError(f"{NAME}: {SPACES_LOST}; {KEPT}")
            notes.append(SPACES_LOST)
        notes += notes_on_split(vocabulary, self.split)
        split = "" if self.split else own_split(vocabulary) or ""
        if split.startswith(OWN_PATTERN):
            _check_pattern(split.removeprefix(OWN_PATTERN))
            notes.append(ONIGURUMA)
        if model is _write_bpe and vocabulary.units == "characters" and vocabulary.marks == Marks():
            notes.append(UNMARKED)
        spelled = spelling(vocabulary, NAME)
        document = {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [_added(i, spelled[i]) for i in vocabulary.special],
            "normalizer": None,
            "pre_tokenizer": pre_tokenizer(vocabulary, self.split, inputs.patterns),
            "post_processor": None,
            "decoder": None if use == "word" else decoder(vocabulary),
            "model": model(vocabulary, spelled),
        }
        if early := _too_early(vocabulary) if model is _write_bpe else 0:
            notes.append(
                f"{early} merges stand before one that builds their parts: words may differ"
            )
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        return Exported({OWN: text}, tuple(notes))

    def read(self, sources: Sequence[SourceFile]) -> Imported:
        """Read tokens, merges, scores, affixes and ids.

        Raises InputError, naming file and key, for what a vocabulary cannot carry.
        """
        (source,) = sources
        document = document_of(source)
        model = document.get("model") if isinstance(document, dict) else None
        if not isinstance(model, dict) or "vocab" not in model:
            raise InputError(
                f"{source.where}: no tokenizer.json: there is no `model` with a `vocab`"
            )
        kind = model.get("type", "BPE")
        if kind not in READERS:
            raise InputError(
                f"{source.where}: model.type: found {kind!r}, expected {', '.join(READERS)}"
            )
        _check_model(model, source.where)
        try:
            vocabulary = READERS[kind](HfFile.of(document, source.where))
            return Imported(vocabulary, tuple(_notes(document)))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            cause = f"{type(error).__name__}: {error}"
            raise InputError(f"{source.where}: damaged, or beyond a vocabulary: {cause}") from None

    def recognise(self, data: bytes) -> Recognised | None:
        """Recognise a JSON object with a model."""
        return recognise_json(data, lambda document: isinstance(document.get("model"), dict), LOOK)


WriteModel = Callable[[Vocabulary, list[str]], TokenizerJson]


def _needs_unknown(vocabulary: Vocabulary) -> bool:
    """Return whether there is neither an unknown token nor a token for every byte."""
    every_byte = vocabulary.units == "bytes" and all(chr(b) in vocabulary.ids for b in range(256))
    return vocabulary.unknown is None and not every_byte


def _unknown(vocabulary: Vocabulary) -> str | None:
    return None if vocabulary.unknown is None else vocabulary.tokens[vocabulary.unknown]


def _added(i: int, content: str) -> TokenizerJson:
    """Describe a special token, which the library finds in the text before anything else."""
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": i, "content": content, **plain, "special": True}


def _write_bpe(vocabulary: Vocabulary, spelled: list[str]) -> TokenizerJson:
    check_pairs(vocabulary, NAME)
    check_parts(vocabulary, NAME)
    marks, ids = vocabulary.marks, vocabulary.ids
    prefix = marks.continuation.text if marks.continuation.kind == "fused" else ""
    merges: dict[tuple[str, str], None] = {}
    for item, product in zip(vocabulary.learned, vocabulary.products, strict=True):
        left, right = (spelled[ids[part]] for part in item.parts)
        if left + right[len(prefix) :] != spelled[ids[product]]:
            raise InputError(f"{NAME} cannot carry the merge {left!r} {right!r}: no {prefix!r}")
        merges[left, right] = None
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": _unknown(vocabulary),
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": marks.eow.text if marks.eow.kind == "fused" else None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {token: i for i, token in enumerate(spelled)},
        "merges": [*merges],
    }


def _too_early(vocabulary: Vocabulary) -> int:
    """Count the merges that stand before one that builds a part of theirs.

    The library, which merges place by place, may cut otherwise with them.
    """
    last = {product: rank for rank, product in enumerate(vocabulary.products)}
    return sum(
        any(last.get(part, -1) > rank for part in item.parts)
        for rank, item in enumerate(vocabulary.learned)
        if Marks.join(item.parts) not in item.parts
    )


def _write_wordpiece(vocabulary: Vocabulary, spelled: list[str]) -> TokenizerJson:
    options = dict(vocabulary.segmenter)
    if options.get("whole-word-unknown", True) is not True:
        raise InputError(f"{NAME} makes a word with an unknown part one unknown token")
    longest = options.get("max-characters", 100)
    mark = vocabulary.marks.continuation
    return {
        "type": "WordPiece",
        "unk_token": _unknown(vocabulary),
        "continuing_subword_prefix": mark.text if mark.kind == "fused" else "",
        "max_input_chars_per_word": LONGEST if longest is None else longest,
        "vocab": {token: i for i, token in enumerate(spelled)},
    }


def _write_unigram(vocabulary: Vocabulary, spelled: list[str]) -> TokenizerJson:
    scores = scores_of(vocabulary, NAME)
    if scores is None:
        raise InputError(f"{NAME}: a Unigram vocabulary without the scores of its tokens")
    return {
        "type": "Unigram",
        "unk_id": vocabulary.unknown,
        "vocab": [[piece, score] for piece, score in zip(spelled, scores, strict=True)],
        "byte_fallback": False,
    }


def _write_wordlevel(vocabulary: Vocabulary, spelled: list[str]) -> TokenizerJson:
    ids = {token: i for i, token in enumerate(spelled)}
    return {"type": "WordLevel", "vocab": ids, "unk_token": _unknown(vocabulary)}


BEGIN = {"bow": {"absent": None, "separate": None}}
PIECE = {"continuation": {"absent": None, "fused": None}}
AFFIXES = {**BEGIN, **PIECE, "eow": {"absent": None, "fused": None}}
MODELS: dict[str, tuple[WriteModel, str, Any]] = {
    "bpe": (_write_bpe, "<unk>", AFFIXES),
    "byte-bpe": (_write_bpe, "<unk>", AFFIXES),
    "char": (_write_bpe, "<unk>", AFFIXES),
    "wordpiece": (_write_wordpiece, "[UNK]", PIECE),
    "unigram": (_write_unigram, "<unk>", BEGIN),
    "word": (_write_wordlevel, "<unk>", {}),
}
"""By segmenter: its model, the usual name of the unknown token, and the marks that it carries."""


@dataclass(frozen=True)
class HfFile:
    """A document with its tokens, as spelled in id order, and what its parts say of them.

    `added` are the ids of added tokens, `unknown` not among them.
    """

    document: TokenizerJson
    where: str
    spelled: list[str]
    added: tuple[int, ...]
    unknown: int | None
    style: Style

    @classmethod
    def of(cls, document: TokenizerJson, where: str) -> "HfFile":
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
        style = Style.of(document)
        if style.byte_level and style.marks != Marks():
            raise InputError(f"{where}: byte-level tokens with affixes at word edges; {OTHERWISE}")
        special = tuple(sorted(i for i in added.values() if i != unknown))
        spelled = tokens_of(ids, f"{where}: model.vocab")
        return cls(document, where, spelled, special, unknown, style)

    def text(self, spelled: str) -> str:
        """Read a token of the model; raises ValueError for one that stands for no bytes."""
        text = self.style.text(spelled)
        if text is None:
            raise ValueError(f"{spelled!r} holds a letter that stands for no byte")
        return text

    @property
    def tokens(self) -> tuple[str, ...]:
        """All tokens; special ones and `unknown` are plain text."""
        plain = {*self.added, self.unknown}
        return tuple(t if i in plain else self.text(t) for i, t in enumerate(self.spelled))

    def vocabulary(self, segmenter: TokenizerJson, **fields: Any) -> Vocabulary:
        """Build the vocabulary from what all models have, and these fields."""
        return Vocabulary(
            tokens=self.tokens,
            marks=self.style.marks,
            special=self.added,
            unknown=self.unknown,
            segmenter=segmenter,
            units=self.style.units,
            **fields,
        )


def _check_pattern(pattern: str) -> None:
    """Raise InputError for a pattern that the library, where it is installed, cannot read."""
    try:
        from tokenizers import Regex
    except ImportError:
        return
    try:
        Regex(pattern)
    except Exception as error:  # the library raises nothing narrower
        raise InputError(f"{NAME}: the library cannot read the pattern: {error}") from None


def scored(model: TokenizerJson) -> bool:
    """Return whether a model lists pieces with scores, as Unigram does."""
    return isinstance(model["vocab"], list)


def _read_bpe(file: HfFile) -> Vocabulary:
    learned = tuple(_merges(file))
    built = {Marks.join(item.parts) for item in learned}
    plain = {*file.added, file.unknown}
    letters = [t for i, t in enumerate(file.tokens) if i not in plain and t not in built]
    alphabet = tuple(t for t in letters if len(Marks.strip(t)) <= 1)
    split = own_pieces(file.document)
    segmenter = {"use": "byte-bpe", "split": split} if split else {"use": "bpe"}
    return file.vocabulary(segmenter, alphabet=alphabet, learned=learned)


def _merges(file: HfFile) -> Iterator[Learned]:
    ids = {token: i for i, token in enumerate(file.spelled)}
    prefix = len(file.document["model"].get("continuing_subword_prefix") or "")
    marks = file.style.marks
    inside = marks.model_copy(update={"bow": BeginMark()})
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
        spaces = spaced(marks)
        inner = inside.read(right).replace(marks.bow.text, " ") if spaces else file.text(right)
        yield Learned((file.text(left), inner))


def _read_wordpiece(file: HfFile) -> Vocabulary:
    longest = file.document["model"].get("max_input_chars_per_word", 100)
    options = {} if longest == 100 else {"max-characters": longest}
    return file.vocabulary({"use": "wordpiece", **options})


def _read_unigram(file: HfFile) -> Vocabulary:
    plain = {*file.added, file.unknown}
    scored = zip(file.tokens, file.document["model"]["vocab"], strict=False)
    scores = {t: float(score) for i, (t, (_, score)) in enumerate(scored) if i not in plain}
    if odd := next((token for token, score in scores.items() if not isfinite(score)), None):
        raise InputError(f"{file.where}: model.vocab: the score of {odd!r} is {scores[odd]}")
    return file.vocabulary({"use": "unigram"}, extra={"scores": scores})


READERS: Mapping[str, Callable[[HfFile], Vocabulary]] = {
    "BPE": _read_bpe,
    "WordPiece": _read_wordpiece,
    "Unigram": _read_unigram,
    "WordLevel": lambda file: file.vocabulary({"use": "word"}),
}


def _check_model(model: TokenizerJson, where: str) -> None:
    # With tokens for bytes, and without a token for unknown text, nothing is there to be joined.
    joins = model.get("unk_token") in model["vocab"] and not model.get("byte_fallback")
    for key in ("dropout", "ignore_merges", *(["fuse_unk"] if joins else [])):
        if model.get(key):
            raise InputError(
                f"{where}: model.{key}: found {model[key]!r}, which a vocabulary cannot carry; "
                f"{OTHERWISE}"
            )


def _notes(document: TokenizerJson) -> Iterator[str]:
    for key in ("normalizer", "pre_tokenizer", "post_processor"):
        is_carried = key == "pre_tokenizer" and own_pieces(document)
        if (part := document.get(key)) and not is_carried:
            yield f"a vocabulary has no {key}: {part.get('type')} left out"
    if document["model"].get("byte_fallback"):
        yield "a vocabulary's segmenter falls back to no bytes: what is unknown stays unknown"
    plain = [t for t in document.get("added_tokens") or () if not t.get("special")]
    if plain:
        yield f"{len(plain)} added tokens that are not special are never produced"
