"""Files that options name: where they are looked for, and that they do not change."""

import hashlib
import os
import stat
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from tokbench.errors import InputError

MODELS_VARIABLE = "TOKBENCH_MODELS"
"""The environment variable that names a folder to look in where a relative path leads nowhere."""

DIGITS = 6

_OPEN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def no_file(path: Path) -> str | None:
    """Return `a device`, `a named pipe` or `a socket` if a path leads to one, else None.

    Reading one may never end. But a pipe that is already open, such as `/dev/stdin` or a shell's
    `<(command)`, is read as a file. Raises OSError if there is nothing at the path.
    """
    mode = path.stat().st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    if stat.S_ISFIFO(mode):
        return None if str(path).startswith(_OPEN) else "a named pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def check_is_file(path: Path) -> None:
    """Raise InputError for a device, a named pipe or a socket; OSError if there is nothing."""
    if kind := no_file(path):
        raise InputError(f"{path}: is {kind}; give a file")


def changed(path: Path, before: str, now: str) -> InputError:
    """Return the error of a file whose content is not what was read before."""
    digests = f"SHA-256 {before[:DIGITS]} then, {now[:DIGITS]} now"
    return InputError(f"{path}: changed after it was first read ({digests}): run again")


@dataclass(frozen=True)
class InputFile:
    """A file that an option names: the path as it is `written`, and the `path` where it was found.

    A relative path is looked for from the folder of the config file (or the current folder), then
    from the folder that `$TOKBENCH_MODELS` names. The content must not change after the first read.
    """

    written: str = field(compare=False)
    path: Path

    @classmethod
    def find(cls, written: str, folder: Path) -> "InputFile":
        """Look for a file; raise ValueError if there is none."""
        models = os.environ.get(MODELS_VARIABLE)
        folders = [folder, *([Path(models)] if models else [])]
        nearest = folder / written
        try:
            for place in folders:
                if (path := place / written).is_file():
                    return cls(written, path)
            kind = "a folder" if nearest.is_dir() else nearest.exists() and no_file(nearest)
        except OSError as error:
            raise ValueError(f"{written:.60}: cannot be looked for: {error.strerror}") from None
        if kind:
            raise ValueError(f"{nearest}: {kind}, expected a file")
        looked = " or ".join(str(place / written) for place in folders)
        hint = "" if models or Path(written).is_absolute() else f" (${MODELS_VARIABLE} is not set)"
        raise ValueError(f"{looked}: no such file{hint}") from FileNotFoundError()

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the file when it was first read, in hexadecimal digits."""
        return hashlib.sha256(self._read()).hexdigest()

    def read_bytes(self) -> bytes:
        """Read the file; raise InputError if that fails, or if its content has changed."""
        content = self._read()
        now = hashlib.sha256(content).hexdigest()
        before = vars(self).setdefault("digest", now)  # a pipe can be read only once
        if now != before:
            raise changed(self.path, before, now)
        return content

    def _read(self) -> bytes:
        try:
            check_is_file(self.path)
            return self.path.read_bytes()
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from None

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
