"""A `tokenizer.json` of the Hugging Face library `tokenizers`, that cuts words as we do.

The model is that of the vocabulary's segmenter: BPE, WordPiece, Unigram or WordLevel. Words are
found by a pre-tokenizer; marks are affixes of the model, or a `▁` that the pre-tokenizer writes.
Unknown text becomes an unknown token, since the library drops it silently where there is none.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tokbench.api import Exported, ExportInput, InputError, Marks, Vocabulary
from tokbench_formats.carried import check_marks, check_pairs, check_parts, scores_of
from tokbench_formats.hf_spelling import HfDocument, decoder, pre_tokenizer, spelling

NAME = "hf"
OWN = "tokenizer.json"
"""Where vocabularies of the library itself keep their document in `extra`."""

LONGEST = 10_000
"""No word has more characters: the library has no word for no limit."""

SPACES_LOST = (
    "it was learned from single words, and only words would be cut, so that the library decodes"
    " 'to the palace' as 'tothepalace'"
)

UNMARKED = (
    "no token tells where a word ends, so that the library decodes 'to the palace' as 'tothepalace'"
)

WriteModel = Callable[[Vocabulary, list[str]], HfDocument]


def write_hf(vocabulary: Vocabulary, split: str | None, given: ExportInput) -> Exported:
    """Write the tokenizer; raises InputError for what the library would cut otherwise.

    Words are split as `split` says, or else as the segmenter splits them. Also where no token holds
    a space, so that decoding loses them, unless that is forced.
    """
    own = vocabulary.extra.get(OWN)
    if vocabulary.segmenter.get("use") in ("hf", "hf-words") and isinstance(own, str):
        return Exported({OWN: own}, ("the library's own document, with its own pre-tokenizer",))
    use = vocabulary.segmenter.get("use", "")
    if use not in MODELS:
        raise InputError(
            f"{NAME} carries vocabularies of the segmenter {' or '.join(MODELS)}; this one is cut"
            f" by {use!r}"
        )
    of_words = vocabulary.units == "bytes" and use == "bpe" and split not in ("gpt2", "none")
    lost = [SPACES_LOST] * of_words
    if lost and not given.force:
        what = "learn it with `read: lines`, export it with --split gpt2, or add --force"
        raise InputError(f"{NAME}: {SPACES_LOST}; {what}")
    model, unknown, carried = MODELS[use]
    check_marks(vocabulary.marks, NAME, carried)
    vocabulary, notes = _with_unknown(vocabulary, unknown)
    notes += lost
    if model is _bpe and vocabulary.units == "characters" and vocabulary.marks == Marks():
        notes.append(UNMARKED)
    spelled = spelling(vocabulary, NAME)
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(i, spelled[i]) for i in vocabulary.special],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer(vocabulary, split, given.patterns),
        "post_processor": None,
        "decoder": None if use == "word" else decoder(vocabulary),
        "model": model(vocabulary, spelled),
    }
    if early := _too_early(vocabulary) if model is _bpe else 0:
        notes.append(f"{early} merges stand before one that builds their parts: words may differ")
    return Exported({OWN: json.dumps(document, ensure_ascii=False, indent=1) + "\n"}, tuple(notes))


def _with_unknown(vocabulary: Vocabulary, name: str) -> tuple[Vocabulary, list[str]]:
    """Add an unknown token, as the last, unless there is one or every byte is a token."""
    whole = vocabulary.units == "bytes" and all(chr(b) in vocabulary.ids for b in range(256))
    if vocabulary.unknown is not None or whole:
        return vocabulary, []
    if name in vocabulary.ids:
        raise InputError(f"{NAME} needs {name!r} for what is unknown, and it is a learned token")
    number = len(vocabulary.tokens)
    note = f"{name} added as id {number}: without it the library drops what is unknown"
    return replace(vocabulary, tokens=(*vocabulary.tokens, name), unknown=number), [note]


def _unknown(vocabulary: Vocabulary) -> str | None:
    return None if vocabulary.unknown is None else vocabulary.tokens[vocabulary.unknown]


def _added(i: int, content: str) -> HfDocument:
    """Describe a special token, which the library finds in the text before anything else."""
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": i, "content": content, **plain, "special": True}


def _bpe(vocabulary: Vocabulary, spelled: list[str]) -> HfDocument:
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


def _wordpiece(vocabulary: Vocabulary, spelled: list[str]) -> HfDocument:
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


def _unigram(vocabulary: Vocabulary, spelled: list[str]) -> HfDocument:
    scores = scores_of(vocabulary, NAME)
    if scores is None:
        raise InputError(f"{NAME}: a Unigram vocabulary without the scores of its tokens")
    return {
        "type": "Unigram",
        "unk_id": vocabulary.unknown,
        "vocab": [[piece, score] for piece, score in zip(spelled, scores, strict=True)],
        "byte_fallback": False,
    }


def _wordlevel(vocabulary: Vocabulary, spelled: list[str]) -> HfDocument:
    ids = {token: i for i, token in enumerate(spelled)}
    return {"type": "WordLevel", "vocab": ids, "unk_token": _unknown(vocabulary)}


BEGIN = {"bow": {"absent": None, "separate": None}}
PIECE = {"continuation": {"absent": None, "fused": None}}
AFFIXES = {**BEGIN, **PIECE, "eow": {"absent": None, "fused": None}}
MODELS: dict[str, tuple[WriteModel, str, Any]] = {
    "bpe": (_bpe, "<unk>", AFFIXES),
    "byte-bpe": (_bpe, "<unk>", AFFIXES),
    "char": (_bpe, "<unk>", AFFIXES),
    "wordpiece": (_wordpiece, "[UNK]", PIECE),
    "unigram": (_unigram, "<unk>", BEGIN),
    "word": (_wordlevel, "<unk>", {}),
}
"""By segmenter: its model, the usual name of the unknown token, and the marks that it carries."""
