"""Train with the library on counted words; this module loads it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import log
from typing import Any

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tokbench.api import InputError, Size, SourceFile, Vocabulary, encodable
from tokbench_hf.document import WORDS, load, parse
from tokbench_hf.mapping import vocabulary

BRACKETS = (("[", "]"), ("<", ">"))
LONGEST = 10_000
MOST = 2**31 - 1
AT_A_TIME = 4096
SIGN = "▁"


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
    are (None); lone surrogates in them are replaced by U+FFFD. Raises InputError for words that are
    too long or too many for the trainer, or that hold the text of a special token.
    """
    counts: Counter[str] = Counter()
    for word, count in words.items():
        counts[encodable(word)] += count
    _check(counts)
    for token in trainer["special_tokens"]:
        _check_special(token, trainer, spelling, counts)

    def trained(number: int) -> Tokenizer:
        tokenizer = Tokenizer(getattr(models, kind)(**model))
        tokenizer.pre_tokenizer = _pre_tokenizer(spelling)
        make = getattr(trainers, "BpeTrainer" if kind == "BPE" else f"{kind}Trainer")
        own = make(vocab_size=number, show_progress=False, **trainer)
        tokenizer.train_from_iterator(_repeated(counts), own)
        return tokenizer

    if size.total is None:
        number = trained(0).get_vocab_size() + size.number
    else:
        number = size.total + len(trainer["special_tokens"])
    where = f"what the {kind} trainer gave"
    document = _for_lines(dict(parse(SourceFile(where, trained(number).to_str().encode()))))
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


def _check_special(
    token: str, trainer: Mapping[str, Any], spelling: str | None, counts: Mapping[str, int]
) -> None:
    """Refuse words of which the trainer could build the token for unknown text.

    Not where it stands in brackets, as `[UNK]`: text that spells such a token is meant as unknown.
    """
    # The trainer writes marks at the edges of parts of words.
    bare = token.removeprefix(trainer.get("continuing_subword_prefix", ""))
    bare = bare.removesuffix(trainer.get("end_of_word_suffix", ""))
    if spelling == "metaspace":
        bare = bare.removeprefix(SIGN)
    if (bare[:1], bare[-1:]) in BRACKETS:
        return
    holder = next((word for word in counts if bare and bare in word), None)
    if holder is not None:
        raise InputError(
            f"the word {holder[:40]!r} holds {bare!r}, of which the trainer may build the token"
            f" {token!r} for unknown text, expected an `unk-token` that no word holds"
        )


def _pre_tokenizer(spelling: str | None) -> Any:
    """Return the pre-tokenizer that spells a word for the model and leaves it whole."""
    if spelling == "byte-level":
        return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if spelling == "metaspace":
        return pre_tokenizers.Metaspace(SIGN, prepend_scheme="always", split=False)
    return None


def _repeated(counts: Mapping[str, int]) -> Iterator[list[str]]:
    """Yield each word as often as it occurs, since trainers count for themselves."""
    for word, count in counts.items():
        for begin in range(0, count, AT_A_TIME):
            yield [word] * min(count - begin, AT_A_TIME)


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
