"""Vocabularies in our own files: the JSON of `tokbench learn` and `import`, or word splits.

The learner `vocabulary` learns nothing: it loads such a file.
"""

from typing import TYPE_CHECKING

from pydantic import Field

from tokbench.api import InputError, InputFile, Recognised, SourceFile, Vocabulary
from tokbench.interchange import (
    OURS,
    WORD_SPLITS,
    WrongKindError,
    build_format,
    looks_like,
    read_files,
    recognise,
)
from tokbench_ready_made import ReadyMade

if TYPE_CHECKING:
    from tokbench.commands import Registry


class VocabularyFile(ReadyMade):
    """Load a vocabulary as `tokbench learn` and `tokbench import` write it, or word splits."""

    path: InputFile = Field(description="the file: our JSON, or word splits")

    def load(self) -> Vocabulary:
        """Read the file; raises InputError where it is no vocabulary."""
        return read_own(SourceFile(str(self.path.path), self.path.read_bytes()))


def read_own(source: SourceFile, registry: "Registry | None" = None) -> Vocabulary:
    """Read a vocabulary in JSON or as word splits.

    Raises InputError for anything else, with what it looks like to the formats of the registry, or
    of the installed plugins.
    """
    # Whoever only names the learner needs no command line.
    from tokbench.commands import load

    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = f"not UTF-8 at byte {error.start}"
        look = recognise(source.data, registry or load(lazy=True))
        raise _of_kind(f"{source.where}: {at}: not a vocabulary", look) from None
    if not text.strip():
        raise InputError(f"{source.where}: the file is empty")
    try:
        return Vocabulary.from_json(text, source.where)
    except RecursionError:
        raise InputError(f"{source.where}: nested too deeply: not a vocabulary") from None
    except ValueError as error:
        # A number of more digits than Python reads, or a token that stands twice.
        raise InputError(f"{source.where}: {error}") from None
    except InputError as error:
        registry = registry or load(lazy=True)
        look = recognise(source.data, registry)
        if look is not None and WORD_SPLITS in look.formats:
            form = build_format(registry, WORD_SPLITS)
            return read_files(form, WORD_SPLITS, [source]).vocabulary
        raise _of_kind(str(error), look) from None


def _of_kind(message: str, look: Recognised | None) -> InputError:
    """Return the error about a file, with the kind that it looks like."""
    if look is None or look is OURS:
        return InputError(message)
    return WrongKindError(f"{message}; {looks_like(look)}")
