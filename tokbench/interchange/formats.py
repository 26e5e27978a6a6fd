"""Use the formats on offer: they write and read vocabularies, and recognise wrong files."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from tokbench import plugins
from tokbench.api import (
    Exported,
    ExportInput,
    Imported,
    InputError,
    InputFile,
    Learner,
    Recognised,
    SourceFile,
    Vocabulary,
    VocabularyFormat,
)
from tokbench.api.component import Use
from tokbench.errors import TokbenchError
from tokbench.failures import run_plugin_code
from tokbench.plugins import Registry

PACKED = (b"\x1f\x8b", b"PK\x03\x04")
POINTER = b"version https://git-lfs"
PAGE = re.compile(rb"\s*<(!doctype )?html", re.IGNORECASE)
LOOKS_LIKE = "this looks like"
OURS = Recognised(
    "a vocabulary of tokbench",
    hint="it needs no import",
    readers=("{use: vocabulary, path: ...}",),
)


def recognise(data: bytes, registry: Registry, first: str = "") -> Recognised | None:
    """Return the kind of a file; None if it looks like none that is known.

    The format `first` is asked before the others. A format that fails recognises nothing.
    """
    if data.startswith(PACKED):
        return Recognised("a packed file", hint="unpack it first")
    if data.startswith(POINTER):
        hint = "fetch the file that it stands for (git lfs pull)"
        return Recognised("a pointer of Git LFS", hint=hint)
    if PAGE.match(data):
        return Recognised("a web page", hint="download the file itself")
    for name in sorted(registry.names("format"), key=lambda name: name != first):
        found = None
        with suppress(TokbenchError), run_plugin_code(f"format {name}"):
            found = build_format(registry, name).recognise(data)
        if isinstance(found, Recognised):
            return found
    return OURS if _is_ours(data) else None


def _is_ours(data: bytes) -> bool:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "format" in document and "tokens" in document


def build_format(registry: Registry, name: str) -> VocabularyFormat:
    """Build the format of that name; raises what `Registry.build` raises."""
    form = registry.build("format", Use(use=name))
    assert isinstance(form, VocabularyFormat)  # the registry gives what it was asked for
    return form


def export_files(
    form: VocabularyFormat, name: str, vocabulary: Vocabulary, given: ExportInput
) -> Exported:
    """Write a vocabulary in a format; raises InputError for what the format cannot express.

    Raises TokbenchError for a mistake of the format itself, such as text that has no UTF-8.
    """
    with run_plugin_code(f"format {name}"):
        exported = form.write(vocabulary, given)
        if not isinstance(exported, Exported):
            raise TokbenchError(f"format {name}: write gave {exported!r:.60}, expected an Exported")
        if (found := len(exported.files)) != form.file_count:
            raise TokbenchError(f"format {name}: write gave {found} files, not {form.file_count}")
        for text in exported.files.values():
            text.encode()
    return exported


def import_files(
    registry: Registry, form: VocabularyFormat, name: str, sources: Sequence[SourceFile]
) -> Imported:
    """Read files of a format; raises InputError where they look like another one, or are wrong."""
    for source in sources:
        seen = recognise(source.data, registry, name)
        if seen is not None and name not in seen.formats:
            raise InputError(f"{source.where}: {LOOKS_LIKE} {seen.what}, not {name}: {seen.advice}")
    return read_files(form, name, sources)


def read_files(form: VocabularyFormat, name: str, sources: Sequence[SourceFile]) -> Imported:
    """Read files of a format, whatever they look like; raises InputError where they are wrong."""
    with run_plugin_code(f"format {name}"):
        try:
            imported = form.read(sources)
        except ValueError as error:
            # The vocabulary itself refuses, for example, two lines that are the same token.
            where = " and ".join(source.where for source in sources)
            raise InputError(f"{where}: {error}") from None
        if not isinstance(imported, Imported) or not isinstance(imported.vocabulary, Vocabulary):
            raise TokbenchError(f"format {name}: read gave {imported!r:.60}, expected an Imported")
    return imported


def with_hint(name: str, learner: Learner, error: InputError) -> InputError:
    """Add a hint to the error about a learner's file if it looks like a file of another kind."""
    message = str(error)
    for option, file in learner:
        if LOOKS_LIKE not in message and isinstance(file, InputFile) and str(file.path) in message:
            message += _hint(name, getattr(learner, "kind", None), option, file)
    return InputError(message)


def _hint(name: str, kind: object, option: str, file: InputFile) -> str:
    look = recognise(file.read_bytes(), plugins.load(lazy=True))
    here = {f"{{use: {name}, {option}: ...}}", f"{{use: {name}, kind: {kind}, {option}: ...}}"}
    if look is None or here.intersection(look.readers):
        return ""
    if look.readers:
        return f"; {LOOKS_LIKE} {look.what}, which `{look.readers[0]}` reads"
    # A file of an import format may be what was wanted, but damaged.
    return "" if look.formats else f"; {LOOKS_LIKE} {look.what}: {look.hint}"
