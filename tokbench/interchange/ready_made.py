"""Vocabularies in our own files: the JSON of `tokbench learn` and `import`, or word splits.

The learner `vocabulary` learns nothing: it loads such a file.
"""

from collections.abc import Mapping

from pydantic import Field

from tokbench.api import InputError, InputFile, Learner, Reads, Vocabulary, hookimpl
from tokbench.interchange.detect_format import detect_format
from tokbench.interchange.exchange import SourceFile
from tokbench.interchange.word_splits import is_word_splits, read_word_splits


class VocabularyFile(Learner):
    """Load a vocabulary as `tokbench learn` and `tokbench import` write it, or word splits."""

    path: InputFile = Field(description="the file: our JSON, or word splits")

    @property
    def reads(self) -> Reads:
        """The vocabulary is there already."""
        return "nothing"

    def load(self) -> Vocabulary:
        """Read the file; raises InputError where it is no vocabulary."""
        return read_own(SourceFile(str(self.path.path), self.path.read_bytes()))


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


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learner `vocabulary`."""
    return {"vocabulary": VocabularyFile}
