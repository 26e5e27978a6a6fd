"""Unpack the text to measure on, so that the process that measures need not hold it."""

import gzip
import hashlib
from pathlib import Path
from typing import Any

GZIP = b"\x1f\x8b"


def run(name: str, given: str | None, folder: str, limit: int | None) -> dict[str, Any]:
    """Take the text that is given, or Shakespeare of the catalogue, up to `limit` bytes.

    In a folder of its own and with its name it is again a corpus of the catalogue.
    """
    raw = (Path(given) if given else shakespeare()).read_bytes()
    text = (gzip.decompress(raw) if raw.startswith(GZIP) else raw)[:limit]
    digest = hashlib.sha256(text).hexdigest()[:8]
    path = Path(folder) / digest / "shakespeare.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.decode("utf-8", "ignore").encode())
    return {"path": str(path), "digest": digest}


def shakespeare() -> Path:
    """Return where the text of tokbench's catalogue is."""
    from tokbench.corpora.catalogue import find_corpus

    return find_corpus("shakespeare")
