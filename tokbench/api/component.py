"""What every component is: its options, its files, and the compiled code that it may use."""

import codecs
import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Literal, NamedTuple, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from tokbench.errors import InputError

MODELS_VARIABLE = "TOKBENCH_MODELS"
"""The environment variable that names a folder to look in where a relative path leads nowhere."""

DIGITS = 6

_OPEN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
_FEWEST_NULS = 4

_NO_TEXTS = (
    (rb"\x1f\x8b", "a gzip file", "unpack it, as `gunzip -k OLD` does"),
    (rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", "a bzip2 file", "unpack it, as `bunzip2 -k OLD` does"),
    (rb"\xfd7zXZ\0", "an xz file", "unpack it, as `unxz -k OLD` does"),
    (rb"(?s:\]\0\0..)\xff{8}", "an lzma file", "unpack it, as `unlzma -k OLD` does"),
    (rb"\x04\x22M\x18", "an lz4 file", "unpack it, as `unlz4 OLD` does"),
    (
        rb"\x28\xb5\x2f\xfd",
        "a zstd file",
        "unpack it, as `unzstd OLD` does (`tokbench count` reads it if it is named .zst)",
    ),
    (
        rb"(?s:PK\x03\x04.{26})(\[Content_Types|_rels/|mimetype)|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "a document of an office program",
        "save it there as plain text",
    ),
    (rb"PK(\x03\x04|\x05\x06|\x07\x08)", "a zip file", "unpack it, as `unzip OLD` does"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z file", "unpack it, as `7z x OLD` does"),
    (rb"Rar!\x1a\x07", "a rar file", "unpack it, as `unrar x OLD` does"),
    (rb"(?s:.{257})ustar(  )?\0", "a tar file", "unpack it, as `tar -xf OLD` does"),
    (
        rb"PAR1\x15",
        "a parquet file",
        "save its text, one line a row (`tokbench count` reads it if it is named .parquet)",
    ),
    (rb"ARROW1\0\0", "an Arrow file", "save its text, one line a row"),
    (rb"%PDF-\d\.\d *[\r\n%]", "a PDF file", "save its text, as `pdftotext OLD NEW` does"),
)
"""How files begin that are no texts, what they are, and how to make texts of them."""


def no_file(path: Path) -> str | None:
    """Name what a path leads to if it is no file: `a device`, `a named pipe` or `a socket`.

    Reading one may never end. A pipe that is open already, such as `/dev/stdin` or what a shell
    writes for `<(command)`, is read as a file; a folder is left to whoever opens it. Raises OSError
    where there is nothing.
    """
    mode = path.stat().st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    if stat.S_ISFIFO(mode):
        return None if str(path).startswith(_OPEN) else "a named pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def check_is_file(path: Path) -> None:
    """Raise InputError for a device, a named pipe or a socket; OSError where there is nothing."""
    if kind := no_file(path):
        raise InputError(f"{path}: is {kind}; give a file")


def wide_encoding(head: bytes) -> str | None:
    """Recognise UTF-16 or UTF-32 by how a file begins; return the name that `iconv` has for it.

    A byte order mark tells it. So do NULs at every second place in most of the text, and nowhere
    else, as letters of ASCII have in UTF-16.

    >>> wide_encoding("low".encode("utf-16")), wide_encoding("a low hill".encode("utf-16-be"))
    ('UTF-16', 'UTF-16BE')
    """
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # begins as UTF-16's does
        return "UTF-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    even, odd = head[::2].count(0), head[1::2].count(0)
    if min(even, odd) or max(even, odd) < max(_FEWEST_NULS, len(head) // 4):
        return None
    return "UTF-16BE" if even else "UTF-16LE"


def not_text(head: bytes) -> str | None:
    """Say what a file is that does not begin as a text in UTF-8, and how to make one of it.

    >>> not_text("low".encode("utf-16"))
    'found UTF-16, expected UTF-8: convert it, as `iconv -f UTF-16 -t UTF-8 OLD > NEW` does'
    >>> not_text(bytes.fromhex("fd377a585a00"))
    'found an xz file, expected text: unpack it, as `unxz -k OLD` does'
    """
    for begin, kind, advice in _NO_TEXTS:
        if re.match(begin, head):
            return f"found {kind}, expected text: {advice}"
    if encoding := wide_encoding(head):
        convert = f"convert it, as {how_to_convert(encoding)} does"
        return f"found {encoding}, expected UTF-8: {convert}"
    return None


def how_to_convert(encoding: str) -> str:
    """Spell the command that makes UTF-8 of a file."""
    return f"`iconv -f {encoding} -t UTF-8 OLD > NEW`"


def changed(path: Path, before: str, now: str) -> InputError:
    """Return the error of a file that is not what was read before; the digests may be the same."""
    digests = f"SHA-256 {before[:DIGITS]} then, {now[:DIGITS]} now"
    return InputError(f"{path}: changed after it was first read ({digests}): run again")


class _State(NamedTuple):
    """What a file held when it was read, and what differs when it was written in between."""

    digest: str
    inode: int
    size: int
    written_ns: int


@dataclass(frozen=True)
class InputFile:
    """A file as an option names it, and where it is.

    A relative path is looked for from the config file's folder (else the current one), and then
    from the folder that `$TOKBENCH_MODELS` names. Once it was read, it must stay as it is.
    """

    written: str = field(compare=False)
    path: Path

    @classmethod
    def find(cls, written: str, folder: Path) -> "InputFile":
        """Look for a file; raises ValueError where there is none."""
        models = os.environ.get(MODELS_VARIABLE)
        folders = [folder, *([Path(models)] if models else [])]
        try:
            for place in folders:
                if (path := place / written).is_file():
                    return cls(written, path)
            is_folder = (folder / written).is_dir()
            kind = no_file(folder / written) if (folder / written).exists() else None
        except OSError as error:
            raise ValueError(f"{written:.60}: cannot be looked for: {error.strerror}") from None
        if is_folder:
            raise ValueError(f"{folder / written}: a folder, expected a file")
        if kind:
            raise ValueError(f"{folder / written}: {kind}, expected a file")
        looked = " or ".join(str(place / written) for place in folders)
        hint = "" if models or Path(written).is_absolute() else f" (${MODELS_VARIABLE} is not set)"
        raise ValueError(f"{looked}: no such file{hint}") from FileNotFoundError()

    @property
    def digest(self) -> str:
        """The SHA-256 of the file when it was first read, in hexadecimal digits."""
        return self._at_first.digest

    @cached_property
    def _at_first(self) -> _State:
        return self._read()[1]

    def read_bytes(self) -> bytes:
        """Read the file; raises InputError where that fails, or where the file has changed.

        So nobody gets other bytes than those of the digest.
        """
        content, now = self._read()
        before = vars(self).setdefault("_at_first", now)  # a pipe can be read only once
        if now != before:
            raise changed(self.path, before.digest, now.digest)
        return content

    def _read(self) -> tuple[bytes, _State]:
        try:
            check_is_file(self.path)
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                content = file.read()
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        digest = hashlib.sha256(content).hexdigest()
        return content, _State(digest, status.st_ino, status.st_size, status.st_mtime_ns)

    def described(self) -> str:
        """Name the file in signatures, with the first digits of its digest."""
        return f"{self.path.name}@{self.digest[:DIGITS]}"

    def __repr__(self) -> str:
        return f"InputFile({self.written!r})"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(
            cls._validated,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda file: file.path.name, return_schema=core_schema.str_schema()
            ),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"type": "string", "format": "path"}

    @classmethod
    def _validated(cls, value: object, info: ValidationInfo) -> "InputFile":
        if isinstance(value, InputFile):
            return value
        if not isinstance(value, str | Path) or not str(value):
            raise ValueError("expected the path of a file")
        folder = (info.context or {}).get("folder") or Path()
        return cls.find(str(value), folder)


_SYNTAX = re.compile(r"""[\s,:|=(){}\[\]"\\]|^$""")


def kebab(field: str) -> str:
    """Spell a Python field name as configs do: `min_pair_count` is `min-pair-count`."""
    return field.replace("_", "-")


class Options(BaseModel):
    """A frozen set of options, spelled in kebab-case and refusing what it does not know.

    Numbers and truth values are written as such: '2' is not taken for 2, and 1 not for true.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=kebab, populate_by_name=True, defer_build=True
    )

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        _make_exact(handler.resolve_ref_schema(schema))
        return schema

    def shortest(self) -> Any:
        """Return the shortest form in which a config may write these options."""
        return self.model_dump(mode="json", by_alias=True)


class Component(Options):
    """A learner, segmenter, splitter or metric: a class whose fields are its options.

    A component that draws random numbers declares a field `seed: int = 0`; the runner fills it
    from the config's `seed` unless the config sets the option itself.
    """

    version: ClassVar[int] = 1
    """Raised whenever the same input and options give another result; stands in signatures."""

    requires: ClassVar[str | None] = None
    """The extra (`pip install "package[extra]"`) that the component needs, if any."""

    requires_modules: ClassVar[tuple[str, ...]] = ()
    """The modules that this extra installs; looked for before anything is learned."""

    requires_version: ClassVar[Mapping[str, str]] = {}
    """The least version of each distribution that it needs: `{"tokenizers": "0.22"}`."""

    kernels: ClassVar[str | None] = None
    """The compiled module that speeds it up where that was built, for `tokbench.api.kernels`."""

    looks_in: ClassVar[str | None] = None
    """The option that names the folder of its files, which not every machine has; None if none."""

    @classmethod
    def configure(cls, folder: Path | None = None, /, **options: Any) -> Self:
        """Build the component from options as a config spells them.

        Relative paths are looked for from `folder`. Raises `pydantic.ValidationError` for an
        unknown option or a wrong value.
        """
        return cls.model_validate(options, by_alias=True, by_name=False, context={"folder": folder})

    @property
    def files(self) -> tuple[InputFile, ...]:
        """The files that its options name."""
        values = (getattr(self, field) for field in type(self).model_fields)
        return tuple(value for value in values if isinstance(value, InputFile))

    def describe(self, name: str) -> str:
        """Return the name with every option that differs from its default: `bpe(merge=list)`."""
        plain = self.model_dump(mode="json", by_alias=True)
        options = ",".join(
            f"{kebab(field)}={_spelled(getattr(self, field), plain[kebab(field)])}"
            for field, declared in type(self).model_fields.items()
            if getattr(self, field) != declared.get_default(call_default_factory=True)
        )
        versioned = name if self.version == 1 else f"{name}.v{self.version}"
        return f"{versioned}({options})" if options else versioned


class Use(BaseModel):
    """A component as a config names it: `bpe`, or `{use: bpe, merge: list}`."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    use: str = Field(min_length=1, description="the component's name; its options stand beside it")

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"use": value} if isinstance(value, str) else value

    @property
    def options(self) -> dict[str, Any]:
        """The options beside the name, as the config spells them."""
        return dict(self.model_extra or {})


def _make_exact(schema: Any) -> None:
    """Let no number or truth value of a schema be read from a value of another type."""
    if isinstance(schema, dict):
        if schema.get("type") in ("bool", "float", "int"):
            schema["strict"] = True
        for key, inner in schema.items():
            if key not in ("default", "metadata"):
                _make_exact(inner)
    elif isinstance(schema, list | tuple):
        for inner in schema:
            _make_exact(inner)


def _spelled(value: object, plain: object) -> str:
    """Spell an option for signatures: a file by its name and digest, wherever it lies."""
    if isinstance(value, InputFile):
        return value.described()
    return compact(value.shortest() if isinstance(value, Options) else plain)


def compact(value: object) -> str:
    """Spell an option value on one line; different values are spelled differently."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{compact(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if _SYNTAX.search(value) else value
    return format(value, ".12g") if isinstance(value, float) else json.dumps(value)


VARIABLE = "TOKBENCH_ENGINE"
"""Where it is `python`, plain Python does all work: so tests compare the two."""


def kernels(module: str) -> ModuleType | None:
    """Return a package's compiled kernels, or None where plain Python is to do the work."""
    if python_is_forced():
        return None
    try:
        return import_module(module)
    except ImportError:
        return None


def active(module: str) -> Literal["compiled", "python"]:
    """Return what does the work of a module's kernels."""
    return "python" if kernels(module) is None else "compiled"


def python_is_forced() -> bool:
    """Return whether plain Python is to do all work, whatever was built."""
    return os.environ.get(VARIABLE) == "python"
