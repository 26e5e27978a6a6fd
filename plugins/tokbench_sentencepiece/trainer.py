"""SentencePiece's trainer, which logs to stderr; errors inside its code may end the process."""

import io
from collections.abc import Mapping
from contextlib import chdir, suppress
from typing import Any

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

# More than all characters and meta pieces; the trainer counts up to the size that it is given.
_ANY_SIZE = 1_200_000


def train(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Train on a file; return the bytes of the `model`.

    Else give `required`, where the size is below these pieces, or `nothing` with the reason where
    no vocabulary of any size can be trained. The payload has the `folder` and the name (`input`)
    of the training file, the `options` of the trainer, and the size: `pieces` of all kinds, or
    those `beyond` the required ones.
    """
    # The model holds the name of its training file, which must not differ from run to run.
    with chdir(payload["folder"]):
        return _trained(payload)


def _trained(payload: Mapping[str, Any]) -> dict[str, Any]:
    options = {**payload["options"], "input": payload["input"]}
    pieces: int | None = payload["pieces"]
    if pieces is not None:
        with suppress(RuntimeError):
            return {"model": model(options, pieces)}
    try:
        least = required(options)
    except RuntimeError as error:
        return {"nothing": str(error)}
    if pieces is not None and pieces < least:
        return {"required": least}
    # A size that failed fails once more, and says why.
    return {"model": model(options, pieces or least + payload["beyond"])}


def required(options: Mapping[str, Any]) -> int:
    """Count the pieces of every vocabulary: meta and byte pieces, and the kept characters."""
    characters = model({**options, "model_type": "char", "hard_vocab_limit": False}, _ANY_SIZE)
    return SentencePieceProcessor(model_proto=characters).get_piece_size()


def model(options: Mapping[str, Any], size: int) -> bytes:
    """Train a model of `size` pieces."""
    written = io.BytesIO()
    SentencePieceTrainer.train(**options, vocab_size=size, model_writer=written)
    return written.getvalue()
