"""Learn a vocabulary from a file; all of the process is the work."""

from pathlib import Path

from peers import peer


def run(name: str, text: str, size: int) -> None:
    """Learn a vocabulary of one size by one program."""
    peer(name).learn(Path(text), size)
