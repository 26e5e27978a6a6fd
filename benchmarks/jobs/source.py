"""Unpack the text to measure on, so that the process that measures stays small."""

import gzip
import hashlib
from pathlib import Path
from typing import Any

GZIP = b"\x1f\x8b"


def run(name: str, file: str | None, folder: str, limit: int | None) -> dict[str, Any]:
    """Unpack a file, or Shakespeare of the catalogue without one, up to `limit` bytes.

    The name of the result makes its folder one in which tokbench finds the catalogue's Shakespeare.
    """
    raw = (Path(file) if file else shakespeare()).read_bytes()
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
