"""Learn a tokbench vocabulary and keep it as JSON, for the peers that can load one."""

from pathlib import Path
from typing import Any

from peers import tokbench


def run(name: str, text: str, size: int, out: str, options: dict[str, Any]) -> None:
    """Learn a vocabulary, and write it to a file."""
    vocabulary = tokbench.learn(Path(text), size, **options)
    Path(out).write_text(vocabulary.to_json(), encoding="utf-8")
