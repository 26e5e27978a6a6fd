"""The texts to measure on: each is made once, and its name holds all that it depends on."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import Command, measure_or_exit

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
    def of(cls, file: Path | None, folder: Path, seed: int, limit: int | None) -> "Texts":
        """Unpack a file, or Shakespeare of the catalogue without one, up to `limit` bytes."""
        path = None if file is None else str(file)
        arguments = {"file": path, "folder": str(folder), "limit": limit}
        source = answer_of("job.py", "source", "text", json.dumps(arguments))
        return cls(Path(source["path"]), folder, source["digest"], seed)

    def at(self, copies: int, letters: bool = False) -> Path:
        """Return the path of the text at a scale; make the text unless it is there."""
        path = self._path(copies, letters)
        if self.shape(copies, letters) is None:
            shape = answer_of(
                "enlarge.py", str(self.source), str(path), "--copies", str(copies),
                "--seed", str(self.seed), *(["--letters"] if letters else []),
            )  # fmt: skip
            path.with_suffix(".json").write_text(json.dumps(shape), encoding="utf-8")
        return path

    def shape(self, copies: int, letters: bool = False) -> Any:
        """Return the figures of a text (`shape.py`); None if it has not been made."""
        path = self._path(copies, letters).with_suffix(".json")
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def _path(self, copies: int, letters: bool) -> Path:
        kind = "letters" if letters else "text"
        return self.folder / f"{self.digest}.{kind}.x{copies}.seed{self.seed}.v{RECIPE}.txt"


def answer_of(script: str, *arguments: str) -> Any:
    """Run a script of this folder in a process of its own, and return its answer.

    The process that measures must stay small, since no child's peak can be below its own.
    """
    command = Command([sys.executable, str(HERE / script), *arguments], answers=True)
    return measure_or_exit(command).answer
