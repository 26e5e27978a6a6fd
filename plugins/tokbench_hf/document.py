"""Reading a tokenizer.json, and handing it to the library."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from tokbench_formats.hf_spelling import TokenizerJson
from tokbench_formats.reading import document_of

from tokbench.api import InputError, SourceFile

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Result = TypeVar("Result")

WORDS: TokenizerJson = {
    "type": "Split",
    "pattern": {"Regex": "[\\p{L}\\p{M}\\p{N}_\u200c\u200d]+|[^\\p{L}\\p{M}\\p{N}_\\s]+"},
    "behavior": "Removed",
    "invert": True,
}
"""How trained tokenizers cut a line into words: as the splitter `words` does."""

MOST_GAPS = 2**20
"""The most ids that may be without a token, since each takes a place in the vocabulary."""


def parse(source: SourceFile) -> TokenizerJson:
    """Read the text of a tokenizer.json; raises InputError, naming the file, for anything else."""
    document = document_of(source)
    model = document.get("model") if isinstance(document, dict) else None
    if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict | list):
        raise InputError(
            f"{source.where}: no tokenizer.json: found {document!r:.60}, expected a `model` with"
            " its `vocab`"
        )
    # The library takes older files without it.
    return {**document, "model": {"type": _model_type(model), **model}}


def load(document: TokenizerJson, where: str) -> "Tokenizer":
    """Have the library read a tokenizer.json; raises InputError where it refuses."""
    from tokenizers import Tokenizer

    text, vocab = json.dumps(document), document["model"]["vocab"]
    tokenizer = guarded(lambda: Tokenizer.from_str(text), f"{where}: tokenizers refuses it")
    highest = max(vocab.values(), default=0) if isinstance(vocab, Mapping) else 0
    if highest > len(vocab) + MOST_GAPS:
        raise InputError(
            f"{where}: has the id {highest:,} among {len(vocab):,} tokens, expected ids that follow"
            " each other"
        )
    return tokenizer


def guarded(call: Callable[[], Result], what: str) -> Result:
    """Call the library; what it raises, panics included, becomes an InputError."""
    try:
        return call()
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise InputError(f"{what}: {type(error).__name__}: {error}") from None


def _model_type(model: Mapping[str, Any]) -> str:
    if isinstance(model["vocab"], list):
        return "Unigram"
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "max_input_chars_per_word" in model else "WordLevel"
