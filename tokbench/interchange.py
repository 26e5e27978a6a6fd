"""Use the formats on offer: they write and read vocabularies, and recognise wrong files."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NoReturn

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
from tokbench.api.wrong_files import PAGE
from tokbench.errors import BrokenPromiseError, TokbenchError
from tokbench.failures import run_plugin_code
from tokbench.plugins import TEXTS, Registry, has_type, is_file_name

WORD_SPLITS = "word-splits"
"""The one format that is read wherever a vocabulary of ours is."""

PACKED = (b"\x1f\x8b", b"PK\x03\x04")
HEAD = 1 << 18
"""Bytes of the beginning of a file that are looked at."""
POINTER = b"version https://git-lfs"
OURS = Recognised(
    "a vocabulary of tokbench", hint="it needs no import", readers=("{use: vocabulary, path: ...}",)
)

_NO_FORMAT = (
    "no format reads it; score what its program cuts, a line `word<TAB>tokens`, by the learner "
    "`segmentations`"
)
_OTHERS = (
    (
        rb"(?=(?s:.)*</w>)(\S+ \S+ \d+\r?\n)+",
        "the codes of fastBPE",
        "import them --from subword-nmt without the counts, as `(echo '#version: 0.2'; cut -d' ' "
        "-f1,2 OLD) > NEW` writes them",
    ),
    (
        rb"(?=(?s:.)*@@ \d)(\S+ \d+\r?\n)+(\S+( \d*)?)?\Z",
        "the vocabulary of fastBPE or subword-nmt",
        "it only counts tokens: import the codes (merges) beside it --from subword-nmt",
    ),
    (rb"(\d+ \d+\n){2,}\d+ \d+ \d+\n", "a model of YouTokenToMe", _NO_FORMAT),
    (rb"minbpe v\d", "a model of minbpe", _NO_FORMAT),
    (rb"(\d+ b?('.*'|\".*\") \d+\r?\n)+", "the vocabulary of RWKV", _NO_FORMAT),
)
"""How files begin that no format reads, what they are, and what to do with them."""


class WrongKindError(InputError):
    """A file of another kind than expected; the message says already what it looks like."""


def recognise(data: bytes, registry: Registry, first: str = "") -> Recognised | None:
    """Return the kind of a file, or None if it looks like no kind that we know.

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
        with suppress(TokbenchError), run_plugin_code(f"format {name}"):
            look = recognise_as(build_format(registry, name), name, data)
            if look is not None:
                return look
    for begin, what, hint in _OTHERS:
        if re.match(begin, data[:HEAD]):
            return Recognised(what, hint=hint)
    return OURS if _is_ours(data) else None


def recognise_as(form: VocabularyFormat, name: str, data: bytes) -> Recognised | None:
    """Return the kind of a file of one format; raises BrokenPromiseError for a wrong answer."""
    look: object = form.recognise(data)
    if look is None:
        return None
    if not isinstance(look, Recognised):
        _refuse(name, "recognise", look, "a Recognised or None")
    if not (isinstance(look.what, str) and isinstance(look.hint, str)):
        _refuse(name, "recognise", look, "texts as `what` and `hint`")
    if not (has_type(look.formats, TEXTS) and has_type(look.readers, TEXTS)):
        _refuse(name, "recognise", look, "tuples of texts as `formats` and `readers`")
    return look


def looks_like(look: Recognised, other: str = "") -> str:
    """Return what a file looks like and is not, and what to do with it."""
    what = f"this looks like {look.what}" + (f", not {other}" if other else "")
    return f"{what}: {look.advice}" if look.advice else what


def _is_ours(data: bytes) -> bool:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "format" in document and "tokens" in document


def build_format(registry: Registry, name: str) -> VocabularyFormat:
    """Build the format of that name; raises what `Registry.build` raises."""
    # Unchecked, since a command line may hold what is no text: no format has such a name.
    form = registry.build("format", Use.model_construct(use=name))
    assert isinstance(form, VocabularyFormat)  # the registry gives what it was asked for
    return form


def export_files(
    form: VocabularyFormat, name: str, vocabulary: Vocabulary, inputs: ExportInput
) -> Exported:
    """Write a vocabulary in a format; raises InputError for what the format cannot express.

    Raises TokbenchError for a mistake of the format itself, such as text that has no UTF-8.
    """
    with run_plugin_code(f"format {name}"):
        exported: object = form.write(vocabulary, inputs)
        if not isinstance(exported, Exported):
            _refuse(name, "write", exported, "an Exported")
        _check_files(form, name, exported.files)
        if not has_type(exported.notes, TEXTS):
            _refuse(name, "write", exported.notes, "a tuple of texts as `notes`")
    return exported


def _check_files(form: VocabularyFormat, name: str, files: object) -> None:
    """Check the files that are to be written; their names must not lead out of their folder."""
    if not isinstance(files, Mapping) or not has_type([*files.values()], TEXTS):
        _refuse(name, "write", files, "a mapping of names to texts as `files`")
    if len(files) != form.file_count:
        raise BrokenPromiseError(
            f"format {name}: write gave {len(files)} files, not {form.file_count}"
        )
    if wrong := [file for file in files if not is_file_name(file)]:
        _refuse(name, "write", wrong[0], "the name of a file without a folder")
    if form.folder_names and not any(set(files) == set(names) for names in form.folder_names):
        right = " or ".join(", ".join(names) for names in form.folder_names)
        _refuse(name, "write", [*files], f"the files {right}")
    for text in files.values():
        text.encode()


def _refuse(name: str, method: str, returned: object, expected: str) -> NoReturn:
    shown = " ".join(f"{returned!r:.60}".split())
    raise BrokenPromiseError(f"format {name}: {method} gave {shown}, expected {expected}")


def read_files(form: VocabularyFormat, name: str, sources: Sequence[SourceFile]) -> Imported:
    """Read files of a format, whatever they look like; raises InputError where they are wrong."""
    with run_plugin_code(f"format {name}"):
        try:
            imported: object = form.read(sources)
        except ValueError as error:
            # The vocabulary itself refuses, for example, two lines that are the same token.
            where = " and ".join(source.where for source in sources)
            raise InputError(f"{where}: {error}") from None
        if not isinstance(imported, Imported) or not isinstance(imported.vocabulary, Vocabulary):
            _refuse(name, "read", imported, "an Imported with a Vocabulary")
        if not has_type(imported.notes, TEXTS):
            _refuse(name, "read", imported.notes, "a tuple of texts as `notes`")
    return imported


@contextmanager
def hints(registry: Registry, name: str, learner: Learner) -> Iterator[None]:
    """Add a hint to the error about a learner's file if it looks like a file of another kind.

    The hint names the learner that would read the file, unless that is the one of this `name`.
    """
    try:
        yield
    except WrongKindError:
        raise
    except InputError as error:
        kind = getattr(learner, "kind", None)
        for option, file in learner:
            if isinstance(file, InputFile) and str(file.path) in str(error):
                hint = _hint(registry, name, kind, option, file)
                if hint:
                    raise WrongKindError(f"{error}{hint}") from None
        raise


def _hint(registry: Registry, name: str, kind: object, option: str, file: InputFile) -> str:
    look = recognise(file.read_bytes(), registry)
    here = {f"{{use: {name}, {option}: ...}}", f"{{use: {name}, kind: {kind}, {option}: ...}}"}
    if look is None or here.intersection(look.readers):
        return ""
    if look.readers:
        return f"; this looks like {look.what}, which `{look.readers[0]}` reads"
    # A file of an import format may be what was wanted, but damaged.
    return "" if look.formats else f"; {looks_like(look)}"
