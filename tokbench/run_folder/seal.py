"""The seal of a run folder: run.json names every file with its SHA-256, itself included.

A sealed folder holds exactly the data that a run wrote there, so no reader checks it again.
"""

import hashlib
import json
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from tokbench.errors import InputError, TokbenchError, UsageError

FORMAT = 3
RECORD = "run.json"
SEAL = "sha256"


def seal(folder: Path, document: Mapping[str, Any]) -> str:
    """Return the text of run.json: a document, and the digests of it and of all files there."""
    whole = {"format": FORMAT, **document}
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digests = {path.relative_to(folder).as_posix(): _digest(path.read_bytes()) for path in files}
    return _json({**whole, SEAL: {RECORD: _digest_of(whole), **digests}})


def resealed(document: Mapping[str, Any], documents: Mapping[str, str]) -> str:
    """Return the text of a run.json that seals the texts of these files as they are now."""
    now = {name: _digest(text.encode("utf-8", "surrogatepass")) for name, text in documents.items()}
    digests = {**document[SEAL], **now}
    record = {RECORD: digests.pop(RECORD, "")}
    ordered = {name: digests[name] for name in sorted(digests, key=PurePosixPath)}
    return _json({**document, SEAL: {**record, **ordered}})


def read_document(folder: Path) -> dict[str, Any] | None:
    """Read run.json of a run of any format, not yet verified; None where there is no run."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    ours = isinstance(found, dict) and {"tokbench", "format"} <= {*found}
    return found if ours and isinstance(found.get(SEAL, {}), dict) else None


@dataclass(frozen=True)
class SealedFolder:
    """A run folder: the document of its run.json, and the digests of its files by name."""

    folder: Path
    document: Mapping[str, Any]
    digests: Mapping[str, str]

    @classmethod
    def open(cls, folder: Path) -> "SealedFolder":
        """Read run.json of a folder.

        Raises UsageError for a folder that is no run, InputError where there is no folder, and for
        a run of another format or whose run.json was changed or damaged.
        """
        try:
            found = folder.stat()
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            what = "there is no such folder" if missing else f"cannot be read: {error.strerror}"
            raise InputError(f"{folder}: {what}") from None
        if not stat.S_ISDIR(found.st_mode):
            raise InputError(f"{folder}: is a file, not a run folder")
        document = read_document(folder)
        if document is None:
            raise _no_run(folder)
        if document["format"] != FORMAT:
            raise InputError(
                f"{folder}: a run of format {document['format']!r}, this version reads {FORMAT}"
            )
        same = (folder / RECORD).read_bytes() == _json(document).encode()
        digests = document.pop(SEAL, {})
        if not same or digests.get(RECORD) != _digest_of(document):
            raise InputError(_changed(folder / RECORD))
        return cls(folder, document, digests)

    def read(self, name: str) -> bytes:
        """Return the content of a file; raise InputError unless it is as the run wrote it."""
        path = self.folder / name
        try:
            if stat.S_IFMT(path.stat().st_mode) not in (stat.S_IFREG, stat.S_IFDIR):
                raise OSError("is no file")  # a pipe may give nothing, or a device no end
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
        if _digest(data) != self.digests.get(name):
            raise InputError(_changed(path))
        return data


def _no_run(folder: Path) -> TokbenchError:
    path = folder / RECORD
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        return InputError(f"{path}: damaged: it is no JSON: {error}")
    except FileNotFoundError:
        pass
    except OSError as error:
        return InputError(f"{path}: cannot be read: {error.strerror or error}")
    return UsageError(f"{folder}: not a run of tokbench (no {RECORD} of ours)")


def _changed(path: Path) -> str:
    return f"{path}: changed since the run wrote it: its SHA-256 is not the one in {RECORD}"


def _digest_of(document: Mapping[str, Any]) -> str:
    return _digest(_json(document).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1) + "\n"
