"""Ready-made tokenizers that a name is enough for: their files are known by their digests."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from tokbench.api import MODELS_VARIABLE, InputFile
from tokbench_ready_made import ReadyMade

LARGEST = 2**26
"""The bytes of the largest file that is looked into."""


@dataclass(frozen=True)
class PublishedFile:
    """A file that was published, whatever it is called where it lies, and its address."""

    name: str
    sha256: str
    address: str


class PublishedTokenizer(ReadyMade):
    """A tokenizer of published files. Subclass it, name the files, and define `load`."""

    published: ClassVar[Sequence[PublishedFile]]
    looks_in: ClassVar[str | None] = "folder"

    folder: str | None = Field(
        None,
        description="the folder that holds its files, at any depth and under any names; by default"
        f" the one that `${MODELS_VARIABLE}` names",
    )

    @field_validator("folder")
    @classmethod
    def _from_config(cls, folder: str | None, info: ValidationInfo) -> str | None:
        """Look from the config file's folder, where there is one."""
        around = (info.context or {}).get("folder") or Path()
        return None if folder is None else str(around / folder)

    @model_validator(mode="after")
    def _all_there(self) -> Self:
        _ = self.files
        return self

    @cached_property
    def files(self) -> tuple[InputFile, ...]:
        """The published files, in order; raises ValueError where one is missing."""
        folder = self.folder or os.environ.get(MODELS_VARIABLE)
        by_digest = {file.digest: file for file in _files(Path(folder))} if folder else {}
        missing = [file for file in self.published if file.sha256 not in by_digest]
        if missing:
            looked = (
                f"no file in {folder} has its digest"
                if folder
                else f"${MODELS_VARIABLE} is not set"
            )
            wanted = "; ".join(f"{file.name} from {file.address}" for file in missing)
            raise ValueError(
                f"{looked}: download {wanted}, and set ${MODELS_VARIABLE} to their folder (in a"
                " config, the option `folder` does so too)"
            ) from FileNotFoundError()
        return tuple(by_digest[file.sha256] for file in self.published)

    def describe(self, name: str) -> str:
        """Return the name alone: wherever the files lie, they are the same."""
        return name if self.version == 1 else f"{name}.v{self.version}"


def _files(folder: Path) -> Iterator[InputFile]:
    """Yield the files in a folder that are small enough for a tokenizer."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size <= LARGEST:
            yield InputFile(path.name, path)
