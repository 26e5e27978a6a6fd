"""Reading a tokenizer.json, and handing it to the library."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tokbench.api import InputError
from tokbench_hf.style import TokenizerJson

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Result = TypeVar("Result")

NEEDS_UNKNOWN = {"WordPiece": "unk_token", "WordLevel": "unk_token", "Unigram": "unk_id"}
"""The models that stop at unknown text unless they name a token for it, and where they name it."""

MOST_GAPS = 2**20
"""The most ids that may be without a token, since each takes a place in the vocabulary."""


def parse(data: bytes, where: str) -> TokenizerJson:
    """Read the text of a tokenizer.json; raises InputError, naming `where`, for anything else."""
    document: Any = parse_json(data, where)
    model = document.get("model") if isinstance(document, dict) else None
    if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict | list):
        found = "a list" if isinstance(document, list) else f"{document!r:.20}"
        if isinstance(document, dict):
            found = f"an object with {_listed(document)}"
        hint = ", as a vocabulary for kind: gpt2 or roberta has" if _is_table(document) else ""
        raise InputError(
            f"{where}: no tokenizer.json: found {found}{hint}, expected a `model` with its `vocab`"
        )
    # The library takes older files without it.
    return {**document, "model": {"type": _model_type(model), **model}}


def parse_json(data: bytes, where: str) -> Any:
    """Read JSON; raises InputError, naming `where`, for anything else."""
    text = decode(data, where)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON: {error}") from None


def decode(data: bytes, where: str) -> str:
    """Read UTF-8; raises InputError for an empty or binary file."""
    if not data.strip():
        raise InputError(f"{where}: the file is empty")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where}: byte {error.start} is no UTF-8: a binary file, expected text"
        ) from None


def load(document: TokenizerJson, where: str) -> "Tokenizer":
    """Have the library read a tokenizer.json; raises InputError where it refuses."""
    from tokenizers import Tokenizer

    text = json.dumps(document)
    tokenizer = guarded(lambda: Tokenizer.from_str(text), f"{where}: tokenizers refuses it")
    _check_ids(document["model"]["vocab"], where)
    _check_unknown(document["model"], where)
    return tokenizer


def guarded(call: Callable[[], Result], what: str) -> Result:
    """Call the library; what it raises, panics included, becomes an InputError."""
    try:
        return call()
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise InputError(f"{what}: {type(error).__name__}: {error}") from None


def _check_ids(vocab: Mapping[str, int] | Sequence[object], where: str) -> None:
    highest = max(vocab.values(), default=0) if isinstance(vocab, Mapping) else 0
    if highest > len(vocab) + MOST_GAPS:
        raise InputError(
            f"{where}: has the id {highest:,} among {len(vocab):,} tokens, expected ids that follow"
            " each other"
        )


def _check_unknown(model: Mapping[str, Any], where: str) -> None:
    """Refuse a model that the library reads, and which then stops at the first unknown text."""
    key = NEEDS_UNKNOWN.get(model.get("type", ""))
    if key is None or (key == "unk_id" and model.get("byte_fallback")):
        return
    named = model.get(key)
    if named is None or (key == "unk_token" and named not in model["vocab"]):
        found = "nothing" if named is None else f"{named!r}, which is not in its vocabulary"
        raise InputError(
            f"{where}: its {model['type']} model names {found} for unknown text, expected `{key}`"
            " to name a token"
        )


def _model_type(model: Mapping[str, Any]) -> str:
    if isinstance(model["vocab"], list):
        return "Unigram"
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "max_input_chars_per_word" in model else "WordLevel"


def _listed(document: Mapping[str, Any]) -> str:
    keys = [repr(key) for key in list(document)[:3]]
    return ", ".join(keys) + (", ..." if len(document) > 3 else "") if keys else "nothing in it"


def _is_table(document: Any) -> bool:
    ids = document.values() if isinstance(document, dict) else ()
    return bool(ids) and all(isinstance(i, int) for i in ids)
