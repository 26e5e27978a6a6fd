"""Our own vocabularies, read from JSON or from word splits."""

from tokbench.api import InputError, Vocabulary
from tokbench.interchange.detect_format import detect_format
from tokbench.interchange.exchange import SourceFile
from tokbench.interchange.word_splits import is_word_splits, read_word_splits


def read_own(source: SourceFile) -> Vocabulary:
    """Read a vocabulary; raises InputError for anything else, saying what it looks like."""
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = f"not UTF-8 at byte {error.start}"
        raise InputError(f"{source.where}: {at}: not a vocabulary{_looks_like(source)}") from None
    if not text.strip():
        raise InputError(f"{source.where}: the file is empty")
    try:
        if is_word_splits(text):
            return read_word_splits(text, source.where)
        return Vocabulary.from_json(text, source.where)
    except RecursionError:
        raise InputError(f"{source.where}: nested too deeply: not a vocabulary") from None
    except ValueError as error:
        # A number of more digits than Python reads, or a token that stands twice.
        raise InputError(f"{source.where}: {error}") from None
    except InputError as error:
        raise InputError(f"{error}{_looks_like(source)}") from None


def _looks_like(source: SourceFile) -> str:
    look = detect_format(source.data)
    return f"; this looks like {look.what}: {look.hint}" if look and look.foreign else ""
