"""Train with the library on counted words; this module loads it."""

from collections import Counter
from collections.abc import Mapping
from math import log
from typing import Any

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tokbench.api import InputError, Size, SourceFile, Vocabulary
from tokbench.api.text import encodable
from tokbench_hf.document import WORDS, load, parse
from tokbench_hf.mapping import vocabulary

MOST = 2**31 - 1


def train(
    kind: str,
    model: Mapping[str, Any],
    trainer: Mapping[str, Any],
    spelling: str | None,
    words: Mapping[str, int],
    size: Size,
) -> Vocabulary:
    """Train a model of the library, with its options and those of its trainer.

    Words are spelled for it as bytes (`byte-level`), with `▁` before them (`metaspace`), or as they
    are (None); lone surrogates in them are replaced by U+FFFD. Raises InputError for more words
    than the trainer can count.
    """
    counts: Counter[str] = Counter()
    for word, count in words.items():
        counts[encodable(word)] += count
    total = sum(len(word.encode()) * count for word, count in counts.items())
    if total > MOST:
        raise InputError(
            f"the words have {total} bytes in all: trainers of tokenizers count in 32 bits, "
            f"expected at most {MOST}; learn from a part of the text"
        )

    def trained(number: int) -> Tokenizer:
        tokenizer = Tokenizer(getattr(models, kind)(**model))
        tokenizer.pre_tokenizer = _pre_tokenizer(spelling)
        make = getattr(trainers, "BpeTrainer" if kind == "BPE" else f"{kind}Trainer")
        own = make(vocab_size=number, show_progress=False, **trainer)
        tokenizer.train_from_iterator(counts.elements(), own)
        return tokenizer

    if size.total is None:
        number = trained(0).get_vocab_size() + size.number
    else:
        number = size.total + len(trainer["special_tokens"])
    where = f"what the {kind} trainer gave"
    document = _for_lines(dict(parse(SourceFile(where, trained(number).to_str().encode()))))
    return vocabulary(document, load(document, where), "hf-words")


def _pre_tokenizer(spelling: str | None) -> Any:
    """Return the pre-tokenizer that spells a word for the model and leaves it whole."""
    if spelling == "byte-level":
        return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if spelling == "metaspace":
        return pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    return None


def _for_lines(document: dict[str, Any]) -> dict[str, Any]:
    """Let a tokenizer that was trained on words cut lines into words too."""
    model, spelling = dict(document["model"]), document["pre_tokenizer"]
    if model["type"] == "Unigram":
        model["vocab"] = _scored(model["vocab"])
    # The library's decoders of bytes and signs have the options of its pre-tokenizers.
    decoder = spelling
    if prefix := model.get("continuing_subword_prefix"):
        decoder = {"type": "WordPiece", "prefix": prefix, "cleanup": False}
    if suffix := model.get("end_of_word_suffix"):
        decoder = {"type": "BPEDecoder", "suffix": suffix}
    steps = [WORDS, spelling] if spelling else [WORDS]
    pre_tokenizer = {"type": "Sequence", "pretokenizers": steps}
    return {**document, "model": model, "pre_tokenizer": pre_tokenizer, "decoder": decoder}


def _scored(vocab: list[tuple[str, float | None]]) -> list[tuple[str, float]]:
    """Make characters equally likely where the trainer kept no piece, as from `aaaaaaaa` alone.

    It then leaves the scores of all characters undefined, written as null, which cannot be read.
    """
    undefined = sum(score is None for _, score in vocab)
    equal = -log(undefined) if undefined else 0.0
    return [(piece, equal if score is None else score) for piece, score in vocab]
