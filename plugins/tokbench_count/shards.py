"""The files that a command line names: each is a shard, which is counted by itself."""

import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Literal

from tokbench.api import InputError, UsageError
from tokbench.commands import PluginError
from tokbench_count.needs import needing

Kind = Literal["text", "jsonl", "parquet"]

PACKED = (".gz", ".zst")
KINDS: dict[str, Kind] = {
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
"""The kinds of files by their names, without what says how they are packed; others are text."""


@dataclass(frozen=True)
class Shard:
    """One file of a text, and its number there.

    `name` is for people, `place` is an absolute path or an address. `field` holds the text in
    records.
    """

    number: int
    name: str
    place: str
    kind: Kind
    field: str

    @property
    def is_remote(self) -> bool:
        """Whether the file has an address instead of a path."""
        return is_address(self.place)


def shards_of(inputs: Sequence[str], field: str) -> list[Shard]:
    """Find the files that are named, those of each pattern by name.

    Raises InputError where there is no file, UsageError for a file that is named twice, which may
    be by a link or an address.
    """
    shards: dict[Hashable, Shard] = {}
    for given in inputs:
        for name, place in _files(given):
            file = _identity(place)
            if other := shards.get(file):
                twice = "is named twice, so its words would count twice"
                raise UsageError(f"{name}: {twice}: leave it out, or {other.name}")
            shards[file] = Shard(len(shards), name, place, _kind(name), field)
    return [*shards.values()]


def is_address(text: str) -> bool:
    """Return whether a text is an address, such as `s3://bucket/a.txt`, and no path."""
    return "://" in text


def _kind(name: str) -> Kind:
    path = Path(name)
    if path.suffix in PACKED:
        path = path.with_suffix("")
    return KINDS.get(path.suffix, "text")


def _files(given: str) -> Iterator[tuple[str, str]]:
    """Find the files of a path, an address or a pattern: their names, and where they are."""
    return _addresses(given) if is_address(given) else _paths(given)


def _identity(place: str) -> Hashable:
    """Return what all names of a file share, those of its links too."""
    if not is_address(place):
        status = os.stat(place)
        return status.st_dev, status.st_ino
    member, _, archive = place.rpartition("::")
    if not member:
        return open_filesystem(place)[2]
    file = next(_identity(inner) for _, inner in _files(archive))
    return (member, file) if is_address(member) else file  # a cache names the file itself


def _paths(given: str) -> Iterator[tuple[str, str]]:
    """Find the files of a path or pattern, which no shell may have expanded."""
    names = [given]
    if has_magic(given) and not Path(given).exists():
        names = sorted(name for name in glob(given, recursive=True) if Path(name).is_file())
        if not names:
            raise InputError(f"{given}: no file has such a name")
    for name in names:
        path = Path(name)
        if path.is_dir():
            raise InputError(f"{name}: is a folder; give its files, as '{name}/*' does")
        if not path.exists():
            raise InputError(f"{name}: no such file")
        yield name, os.path.abspath(path)


def _addresses(given: str) -> Iterator[tuple[str, str]]:
    """Find the files of an address, which may be a pattern too.

    One of this machine is a path, also behind a cache, which would copy it.
    """
    archive = given.rpartition("::")[2]
    if archive != given:
        for name, place in _files(archive):
            if not is_address(place) and not Path(place).is_file():
                raise InputError(f"{name}: is no file")
    system, path, full = open_filesystem(given)
    if full.startswith("file://"):
        yield from _paths(path)
        return
    if not has_magic(given):
        yield given, given
        return
    try:
        names = sorted(system.glob(path))
    except Exception as error:  # of any library that reads such addresses
        raise InputError(f"{given}: cannot be listed: {error}") from None
    if not names:
        raise InputError(f"{given}: no file has such a name")
    yield from ((address, address) for address in map(system.unstrip_protocol, names))


def open_filesystem(address: str) -> tuple[Any, str, str]:
    """Return the file system of an address, the path there, and the address in its usual form."""
    with needing("remote", f"{address}: an address"):
        from fsspec.core import url_to_fs
    try:
        system, path = url_to_fs(address)
        return system, path, system.unstrip_protocol(path)
    except ImportError as error:  # each protocol has a package of its own
        raise PluginError(f"{address}: {error}") from None
    except Exception as error:  # of any library that reads such addresses
        raise UsageError(f"{address}: {error}") from None
