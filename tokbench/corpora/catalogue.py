"""The catalogue: shipped and well-known corpora by name, recognised by their digest."""

import os
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, TypeAdapter

from tokbench.api import Options
from tokbench.api.files import GZIP, cache_folder
from tokbench.corpora.opening import text_digest
from tokbench.errors import InputError, UsageError
from tokbench.printing import closest

FOLDER_VARIABLE = "TOKBENCH_CORPORA"


class CatalogueEntry(Options):
    """One corpus: where it comes from, and how the tested edition is recognised."""

    title: str
    url: str = Field("", description="of a download; a text without one is part of tokbench")
    licence: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$", description="of the text, gunzipped")
    bytes: int = Field(description="of the text, gunzipped")
    begin: str = Field(
        "", description="what a line near the beginning of every complete copy starts with"
    )
    end: str = Field("", description="what a line near the end of every complete copy starts with")
    note: str = ""


def read_catalogue() -> Mapping[str, CatalogueEntry]:
    """Read the packaged catalogue."""
    text = files("tokbench.corpora").joinpath("catalogue.yaml").read_text("utf-8")
    return TypeAdapter(dict[str, CatalogueEntry]).validate_python(yaml.safe_load(text))


def catalogue_entry(name: str) -> CatalogueEntry:
    """Return the entry of that name; raises UsageError if there is none."""
    catalogue = read_catalogue()
    if name in catalogue:
        return catalogue[name]
    close = closest(name, catalogue)
    hint = f"did you mean {close!r}?" if close else f"there are: {', '.join(sorted(catalogue))}"
    raise UsageError(f"the catalogue holds no corpus {name!r}; {hint}")


def shipped_folder(kind: Literal["configs", "corpora"]) -> Path:
    """Return the folder of what tokbench ships: in the package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "shipped" / kind
    return inside if inside.is_dir() else package.parent / kind


def search_folders() -> tuple[Path, ...]:
    """Return the folders to look in: $TOKBENCH_CORPORA where it is set, then the cache."""
    own, cache = os.environ.get(FOLDER_VARIABLE), cache_folder("corpora")
    return (*([Path(own)] if own else []), *([cache] if cache else []))


def find_corpus(name: str, folders: Sequence[Path] | None = None) -> Path:
    """Find the file of a corpus: the tested edition by its text, else another by its name.

    A corpus without an address is looked for in the folder of shipped texts, others in `folders`. A
    file `NAME.txt` or `NAME.txt.gz`, as downloads are named, may be another edition. Raises
    UsageError for an unknown name, InputError if there is no file.
    """
    wanted = catalogue_entry(name)
    if folders is None:
        folders = search_folders() if wanted.url else [shipped_folder("corpora")]
    for folder in folders:
        if path := recognise_corpus(wanted.sha256, wanted.bytes, folder):
            return path
    names = f"{name}.txt", f"{name}.txt.gz"
    for path in (folder / name for folder in folders for name in names):
        if path.is_file():
            return path
    looked = ", ".join(map(str, folders)) or "there is no home folder"
    raise InputError(
        f"the corpus {name!r} lies neither in ${FOLDER_VARIABLE} nor in the cache "
        f"({looked}); `tokbench corpora get {name}` downloads and checks it"
    )


def recognise_corpus(sha256: str, size: int, folder: Path) -> Path | None:
    """Find the first file of a folder, by name, whose text has a SHA-256 and a size in bytes."""
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror}") from None
    alike = (path for path in files if text_size(path) == size % (1 << 32))
    return next((path for path in alike if text_digest(path) == sha256), None)


def text_size(path: Path) -> int | None:
    """Return the size of a file's text in bytes, modulo 2**32, without unpacking it.

    A gzip file ends with that number, so that only files of the right size are ever hashed. It is
    None for a file that cannot be read.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            if file.read(len(GZIP)) != GZIP or size < 18:
                return size
            file.seek(-4, os.SEEK_END)
            return int.from_bytes(file.read(4), "little")
    except OSError:
        return None


def other_edition(name: str, path: Path) -> str:
    """Build the warning that the documented figures were measured on another edition."""
    return (
        f"{path.name} is another edition of {name!r} than the one tested with this version of "
        "tokbench: figures will differ from the documented ones"
    )
