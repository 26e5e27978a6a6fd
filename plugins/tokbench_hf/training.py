"""One run of a trainer of the library."""

from collections.abc import Iterator, Mapping
from typing import Any

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

AT_A_TIME = 4096


def train(asked: Mapping[str, Any]) -> str:
    """Train a model on counted words and give its `tokenizer.json`.

    `asked` holds `kind` (the model's name in the library), the options of the `model` and of the
    `trainer`, the `spelling` of words (`byte-level`, `metaspace` or None), `words`, their `counts`,
    and the `size`, or with `beyond` how many tokens more than the smallest vocabulary has.
    """
    size = asked["size"]
    if asked["beyond"] is not None:
        size = _trained(asked, 0).get_vocab_size() + asked["beyond"]
    return str(_trained(asked, size).to_str())


def _trained(asked: Mapping[str, Any], size: int) -> Tokenizer:
    kind = asked["kind"]
    tokenizer = Tokenizer(getattr(models, kind)(**asked["model"]))
    tokenizer.pre_tokenizer = _spelling(asked["spelling"])
    make = getattr(trainers, "BpeTrainer" if kind == "BPE" else f"{kind}Trainer")
    trainer = make(vocab_size=size, show_progress=False, **_options(asked))
    tokenizer.train_from_iterator(_repeated(asked["words"], asked["counts"]), trainer)
    return tokenizer


def _options(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the trainer; byte-level models may know all bytes from the start."""
    options = dict(asked["trainer"])
    if options.get("initial_alphabet") == "bytes":
        options["initial_alphabet"] = pre_tokenizers.ByteLevel.alphabet()
    return options


def _spelling(name: str | None) -> Any:
    """Return the pre-tokenizer that spells a word for the model and leaves it whole."""
    if name == "byte-level":
        return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if name == "metaspace":
        return pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    return None


def _repeated(words: list[str], counts: list[int]) -> Iterator[list[str]]:
    """Yield each word as often as it occurs, since trainers count for themselves."""
    for word, count in zip(words, counts, strict=True):
        while count > 0:
            yield [word] * min(count, AT_A_TIME)
            count -= AT_A_TIME
