"""From counted words to the vocabulary that a trainer of the library makes of them."""

from collections import Counter
from collections.abc import Mapping
from math import log
from typing import Any

from tokbench.api import InputError, Size, Vocabulary, encodable
from tokbench_hf.document import load, parse
from tokbench_hf.mapping import vocabulary
from tokbench_hf.style import WORDS
from tokbench_hf.training import train

BRACKETS = (("[", "]"), ("<", ">"))
LONGEST = 10_000
MOST = 2**31 - 1

BYTE_LEVEL = {"add_prefix_space": False, "trim_offsets": True, "use_regex": False}
METASPACE: Mapping[str, Any] = {"replacement": "▁", "prepend_scheme": "always", "split": False}
SPELLINGS: Mapping[str | None, list[dict[str, Any]]] = {
    None: [],
    "byte-level": [{"type": "ByteLevel", **BYTE_LEVEL}],
    "metaspace": [{"type": "Metaspace", **METASPACE}],
}
DECODERS: Mapping[str | None, dict[str, Any] | None] = {
    None: None,
    "byte-level": {"type": "ByteLevel", **BYTE_LEVEL},
    "metaspace": {"type": "Metaspace", **METASPACE},
}


def trained(asked: Mapping[str, Any], words: Mapping[str, int], size: Size) -> Vocabulary:
    """Train on words with lone surrogates replaced by U+FFFD."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        counts[encodable(word)] += count
    _check(counts)
    _check_unknown(counts, asked)
    specials = len(asked["trainer"]["special_tokens"])
    text = train(
        {
            **asked,
            "words": list(counts),
            "counts": list(counts.values()),
            "size": None if size.total is None else size.total + specials,
            "beyond": size.learned,
        }
    )
    where = f"what the {asked['kind']} trainer gave"
    document = _for_lines(dict(parse(text.encode(), where)), asked["spelling"], size)
    return vocabulary(document, load(document, where), "hf-words")


def _check(counts: Mapping[str, int]) -> None:
    """Refuse what the trainers would count wrongly, or never finish."""
    longest = max(counts, key=len, default="")
    if len(longest) > LONGEST:
        raise InputError(
            f"the word {longest[:20]!r}... has {len(longest)} characters: trainers of tokenizers"
            f" take time with the square of that, expected at most {LONGEST}"
        )
    total = sum(len(word.encode()) * count for word, count in counts.items())
    if total > MOST:
        raise InputError(
            f"the words have {total} bytes in all: trainers of tokenizers count in 32 bits, "
            f"expected at most {MOST}; learn from a part of the text"
        )


def _check_unknown(counts: Mapping[str, int], asked: Mapping[str, Any]) -> None:
    """Refuse words of which the trainer could build the token for unknown text.

    Not where it stands in brackets, as `[UNK]`: text that spells such a token is meant as unknown.
    """
    for unknown in asked["trainer"]["special_tokens"]:
        bare = _without_marks(unknown, asked)
        if (bare[:1], bare[-1:]) in BRACKETS:
            continue
        found = next((word for word in counts if bare and bare in word), None)
        if found is not None:
            raise InputError(
                f"the word {found[:40]!r} holds {bare!r}, of which the trainer may build the token"
                f" {unknown!r} for unknown text, expected an `unk-token` that no word holds"
            )


def _without_marks(token: str, asked: Mapping[str, Any]) -> str:
    """Take off the marks that the trainer writes at the edges of parts of words."""
    trainer = asked["trainer"]
    token = token.removeprefix(trainer.get("continuing_subword_prefix", ""))
    token = token.removesuffix(trainer.get("end_of_word_suffix", ""))
    if asked["spelling"] == "metaspace":
        token = token.removeprefix(METASPACE["replacement"])
    return token


def _for_lines(document: dict[str, Any], spelling: str | None, size: Size) -> dict[str, Any]:
    """Let a tokenizer that was trained on words cut lines into words too."""
    model = dict(document["model"])
    if model["type"] == "Unigram":
        model["vocab"] = _scored(model["vocab"])
    inner = [WORDS, *SPELLINGS[spelling]]
    decoder = DECODERS[spelling]
    if prefix := model.get("continuing_subword_prefix"):
        decoder = {"type": "WordPiece", "prefix": prefix, "cleanup": False}
    if suffix := model.get("end_of_word_suffix"):
        decoder = {"type": "BPEDecoder", "suffix": suffix}
    pre_tokenizer = {"type": "Sequence", "pretokenizers": inner}
    return {**document, "model": model, "pre_tokenizer": pre_tokenizer, "decoder": decoder}


def _scored(vocab: list[tuple[str, float | None]]) -> list[tuple[str, float]]:
    """Make characters equally likely where the trainer kept no piece, as from `aaaaaaaa` alone.

    It then leaves the scores of all characters undefined, written as null, which cannot be read.
    """
    undefined = sum(score is None for _, score in vocab)
    equal = -log(undefined) if undefined else 0.0
    return [(piece, equal if score is None else score) for piece, score in vocab]
