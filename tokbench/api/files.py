"""An option that names a file, such as a ready-made tokenizer."""

import hashlib
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from tokbench.errors import InputError

FOLDER = "TOKBENCH_MODELS"
"""The environment variable that names a folder to look in where a relative path leads nowhere."""

DIGITS = 6


@dataclass(frozen=True)
class InputFile:
    """A file as an option names it, and where it is.

    A relative path is looked for from the config file's folder (else the current one), and then
    from the folder that `$TOKBENCH_MODELS` names.
    """

    written: str = field(compare=False)
    path: Path

    @classmethod
    def find(cls, written: str, folder: Path) -> "InputFile":
        """Look for a file; raises ValueError where there is none."""
        models = os.environ.get(FOLDER)
        folders = [folder, *([Path(models)] if models else [])]
        try:
            for place in folders:
                if (path := place / written).is_file():
                    return cls(written, path)
            is_folder = (folder / written).is_dir()
        except OSError as error:
            raise ValueError(f"{written:.60}: cannot be looked for: {error.strerror}") from None
        if is_folder:
            raise ValueError(f"{folder / written}: a folder, expected a file")
        looked = " or ".join(str(place / written) for place in folders)
        hint = "" if models or Path(written).is_absolute() else f" (${FOLDER} is not set)"
        raise ValueError(f"{looked}: no such file{hint}") from FileNotFoundError()

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the file, in hexadecimal digits."""
        return hashlib.sha256(self.read_bytes()).hexdigest()

    def read_bytes(self) -> bytes:
        """Read the file; raises InputError where that cannot be done."""
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from None

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
