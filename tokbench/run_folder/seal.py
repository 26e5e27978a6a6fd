"""The seal of a run folder: run.json names every file of data with its SHA-256, and itself.

A sealed folder holds exactly the data that a run wrote there, so no reader checks it again. Of
files with the same digest, that of the shortest name alone is there.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

from tokbench.api.files import no_file
from tokbench.errors import InputError, UsageError
from tokbench.run_folder.layout import FORMAT, OLDER_FORMAT, RECORD, Layout

SEAL = "sha256"


def seal(folder: Path, document: Mapping[str, Any], documents: Collection[str] = ()) -> str:
    """Return the text of run.json: a document, and the digests of it and of all files there.

    Texts for people, the `documents`, are named without a digest: they can be made again.
    """
    record = {"format": FORMAT, **document}
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    digests = {
        path.as_posix(): None
        if path.as_posix() in documents
        else _digest((folder / path).read_bytes())
        for path in sorted({*files, *map(Path, documents)})
    }
    return _json({**record, SEAL: {RECORD: _digest(_json(record).encode()), **digests}})


def unsealed(
    document: Mapping[str, Any], documents: Collection[str], removed: Collection[str] = ()
) -> str:
    """Return the text of run.json with these documents named too, and without those `removed`.

    Empty if it names them all already.
    """
    digests = document.get(SEAL, {})
    if not digests or all(digests.get(name, "") is None for name in documents):
        return ""
    files = {**digests, **dict.fromkeys(documents)}
    files = {name: digest for name, digest in files.items() if name not in removed}
    own = {RECORD: files.pop(RECORD)}
    return _json({**document, SEAL: own | {name: files[name] for name in sorted(files, key=Path)}})


def read_document(folder: Path) -> dict[str, Any] | None:
    """Read run.json of a run of any format, not yet verified; None where there is no run."""
    with suppress(InputError, ValueError, RecursionError):
        return _document(folder / RECORD)
    return None


def _document(path: Path) -> dict[str, Any] | None:
    document = json.loads(_content(path).decode())
    ours = isinstance(document, dict) and {"tokbench", "format"} <= {*document}
    return document if ours and isinstance(document.get(SEAL, {}), dict) else None


def refuse(message: str) -> None:
    """Refuse a table that was changed since the run: the default of `SealedFolder.open`."""
    raise InputError(message)


@dataclass(frozen=True)
class SealedFolder:
    """A run folder: the document of its run.json, and the digests of its files by path.

    `tell_changed` is called with a message about each CSV file that was changed since the run.
    """

    folder: Path
    document: Mapping[str, Any]
    digests: Mapping[str, str | None]
    tell_changed: Callable[[str], None] = refuse

    @classmethod
    def open(cls, folder: Path, tell_changed: Callable[[str], None] = refuse) -> "SealedFolder":
        """Read run.json of a folder.

        Raises UsageError for a folder that is no run, InputError where there is no folder, and for
        a run of another format or whose run.json was changed or damaged.
        """
        path = folder / RECORD
        try:
            if not folder.exists():
                raise InputError(f"{folder}: there is no such run")
            if not folder.is_dir():
                raise InputError(f"{folder}: is a file, not a run folder")
            document = _document(path) if path.exists() else None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: damaged: it is no JSON: {error}") from None
        except OSError as error:
            raise InputError(f"{folder}: cannot be read: {error.strerror}") from None
        if document is None:
            raise UsageError(f"{folder}: not a run of tokbench (no {RECORD} of ours)")
        if document["format"] not in (FORMAT, OLDER_FORMAT):
            raise InputError(
                f"{folder}: a run of format {document['format']!r}, this version reads "
                f"{OLDER_FORMAT} and {FORMAT}"
            )
        same_text = _content(path) == _json(document).encode()
        digests = document.pop(SEAL, {})
        if not same_text or digests.get(RECORD) != _digest(_json(document).encode()):
            raise InputError(_changed(path))
        # A name such as ../x would be read outside the folder.
        if outside := next((name for name in digests if not _is_inside(name)), None):
            raise InputError(f"{path}: damaged: {outside!r:.200} is no file of a run folder")
        return cls(folder, document, digests, tell_changed)

    @property
    def layout(self) -> Layout:
        """Where its files stand."""
        return Layout(self.document["format"])

    def holding(self, name: str) -> str:
        """Return the file that has the content of `name`: itself, or one with an equal digest."""
        return name if (self.folder / name).exists() else self.kept(name)

    def kept(self, name: str) -> str:
        """Return the file that is kept of those with the same content: the shortest name."""
        digest = self.digests.get(name)
        equal = (path for path, other in self.digests.items() if other == digest is not None)
        return min(equal, key=lambda path: (len(path), path), default=name)

    def read(self, name: str) -> bytes:
        """Return the content of a file.

        Raises InputError unless it is as the run wrote it; of a CSV file `tell_changed` may let
        that pass.
        """
        path = self.folder / self.holding(name)
        data = _content(path)
        if _digest(data) != self.digests.get(name):
            # A spreadsheet that saves a table again changes every byte and no number.
            tell = self.tell_changed if path.suffix == ".csv" else refuse
            tell(_changed(path))
        return data


def _content(path: Path) -> bytes:
    try:
        if no_file(path):
            raise OSError("is no file")  # reading a pipe or a device may never end
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def _is_inside(name: str) -> bool:
    """Return whether a name is that of a file inside a folder, on any system."""
    is_text = "\0" not in name and not any("\ud800" <= char <= "\udfff" for char in name)
    path = PureWindowsPath(name)  # a superset of what separates names elsewhere
    return is_text and not path.anchor and ".." not in path.parts


def _changed(path: Path) -> str:
    return f"{path}: changed since the run wrote it: its SHA-256 is not the one in {RECORD}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1) + "\n"
