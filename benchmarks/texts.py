"""The texts to measure on, made once and kept under what they depend on."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import Command, measure

HERE = Path(__file__).parent
RECIPE = 1


@dataclass(frozen=True)
class Texts:
    """The text at each scale, as it is or in letters only; `source` is the unpacked text."""

    source: Path
    folder: Path
    digest: str
    seed: int

    @classmethod
    def of(cls, given: Path | None, folder: Path, seed: int, limit: int | None) -> "Texts":
        """Unpack the text that is given, or Shakespeare of the catalogue, up to `limit` bytes."""
        path = None if given is None else str(given)
        arguments = {"given": path, "folder": str(folder), "limit": limit}
        found = child("job.py", "source", "text", json.dumps(arguments))
        return cls(Path(found["path"]), folder, found["digest"], seed)

    def path(self, copies: int, letters: bool = False) -> Path:
        """Return the path of the text at a scale."""
        kind = "letters" if letters else "text"
        return self.folder / f"{self.digest}.{kind}.x{copies}.seed{self.seed}.v{RECIPE}.txt"

    def made(self, copies: int, letters: bool = False) -> bool:
        """Return whether the text is there."""
        return self.path(copies, letters).with_suffix(".json").exists()

    def at(self, copies: int, letters: bool = False) -> Path:
        """Return the path of the text at a scale; make the text if it is not there."""
        path = self.path(copies, letters)
        if not self.made(copies, letters):
            shape = child(
                "enlarge.py", str(self.source), str(path), "--copies", str(copies),
                "--seed", str(self.seed), *(["--letters"] if letters else []),
            )  # fmt: skip
            path.with_suffix(".json").write_text(json.dumps(shape), encoding="utf-8")
        keep_in_memory(path)
        return path

    def shape(self, copies: int, letters: bool = False) -> dict[str, Any]:
        """Return the figures of a text that was made."""
        path = self.path(copies, letters).with_suffix(".json")
        shape: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return shape


def keep_in_memory(path: Path) -> None:
    """Read a file once, so that the first peer does not pay for the disk."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def child(script: str, *arguments: str) -> Any:
    """Run a script of this folder in a process of its own and give its answer.

    The process that measures must stay small, since no child's peak can be below its own.
    """
    done = measure(Command([sys.executable, str(HERE / script), *arguments], answers=True))
    if done.error:
        sys.exit(f"{script}: {done.error}")
    return done.answer
