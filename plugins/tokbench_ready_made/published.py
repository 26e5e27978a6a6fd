"""Ready-made tokenizers that a name is enough for: their files are known by their digests.

The catalogue `models.yaml` has the files of those that `tokbench models` downloads.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field, TypeAdapter, ValidationInfo, field_validator, model_validator

from tokbench.api import MODELS_VARIABLE, InputFile, Options, models_folders
from tokbench_ready_made import ReadyMade

LARGEST = 2**26
"""The bytes of the largest file that is looked into."""


@dataclass(frozen=True)
class PublishedFile:
    """A file that was published, whatever it is called where it lies, and its address.

    `model` is the name by which `tokbench models get` downloads it, if there is one.
    """

    name: str
    sha256: str
    address: str
    model: str = ""


class CatalogueFile(Options):
    """A file of a model: its address, and its SHA-256 if that is known."""

    url: str
    sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$")


class CatalogueModel(Options):
    """A tokenizer of the catalogue, its files by their paths in the folder of models.

    `config` is what a config writes as its learner.
    """

    title: str
    licence: str
    config: str
    files: dict[str, CatalogueFile]

    def there(self, by_digest: Mapping[str, InputFile]) -> list[Path]:
        """Return those of its files that the folders of models hold: by digest, else by path."""
        paths = []
        for path, file in self.files.items():
            at_its_path = (
                folder / path for folder in models_folders() if (folder / path).is_file()
            )
            if file.sha256 is None:
                paths += [*at_its_path][:1]
            elif file.sha256 in by_digest:
                paths.append(by_digest[file.sha256].path)
        return paths


@cache
def read_models() -> Mapping[str, CatalogueModel]:
    """Read the catalogue."""
    import yaml  # importing a plugin imports no other package

    text = resources.files("tokbench_ready_made").joinpath("models.yaml").read_text("utf-8")
    return TypeAdapter(dict[str, CatalogueModel]).validate_python(yaml.safe_load(text))


def files_of(model: str) -> tuple[PublishedFile, ...]:
    """Return the files of a model of the catalogue whose digests are all known."""
    return tuple(
        PublishedFile(Path(path).name, file.sha256 or "", file.url, model)
        for path, file in read_models()[model].files.items()
    )


def by_digest(folders: Iterable[Path]) -> Mapping[str, InputFile]:
    """Return the files of folders by their SHA-256; the first folder goes first."""
    files: dict[str, InputFile] = {}
    for file in chain.from_iterable(map(_files, reversed([*folders]))):
        with suppress(Exception):  # of a damaged file, which is no tokenizer's
            files[file.digest] = file
    return files


class PublishedTokenizer(ReadyMade):
    """A tokenizer of published files: name its model in the catalogue, and define `load`."""

    in_catalogue: ClassVar[str]
    looks_in: ClassVar[str | None] = "folder"

    folder: str | None = Field(
        None,
        description="the folder that holds its files, at any depth and under any names; by default"
        f" the one that `${MODELS_VARIABLE}` names, and that of `tokbench models get`",
    )

    @classmethod
    def published(cls) -> Sequence[PublishedFile]:
        """Return its files; the catalogue is read when they are asked for."""
        return files_of(cls.in_catalogue)

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
        folders = [Path(self.folder)] if self.folder else models_folders()
        files = by_digest(folders)
        missing = [file for file in self.published() if file.sha256 not in files]
        if missing:
            looked = f"no file in {' or '.join(map(str, folders))} has its digest"
            if not self.folder and not os.environ.get(MODELS_VARIABLE):
                looked = f"${MODELS_VARIABLE} is not set"
            wanted = "; ".join(f"{file.name} from {file.address}" for file in missing)
            model = missing[0].model
            get = f"run `tokbench models get {model}`, or " if model else ""
            raise ValueError(
                f"{looked}: {get}download {wanted}, and set ${MODELS_VARIABLE} to their folder (in"
                " a config, the option `folder` does so too)"
            ) from FileNotFoundError()
        return tuple(files[file.sha256] for file in self.published())

    def describe(self, name: str) -> str:
        """Return the name alone: wherever the files lie, they are the same."""
        return name if self.version == 1 else f"{name}.v{self.version}"


def _files(folder: Path) -> Iterator[InputFile]:
    """Yield the files in a folder that are small enough for a tokenizer."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size <= LARGEST:
            yield InputFile(path.name, path)
