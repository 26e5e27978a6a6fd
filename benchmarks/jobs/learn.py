"""Learn a vocabulary from a file; all of the process is the work."""

from pathlib import Path

from peers import peer


def run(name: str, text: str, size: int) -> None:
    peer(name).learn(Path(text), size)
