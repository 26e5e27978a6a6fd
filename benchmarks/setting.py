"""Everything that the tasks of one call share: texts, vocabularies, folders, and starting jobs."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from measure import Command, measure_or_exit
from texts import HERE, Texts

THREADS = "2"
ENVIRONMENT = {
    "RAYON_NUM_THREADS": THREADS,
    "TOKENIZERS_PARALLELISM": "true",
    "OMP_NUM_THREADS": THREADS,
}
OURS = ("tokbench", "tokbench python")
"""tokbench with compiled code, and in plain Python."""
TOKBENCH = str(Path(sys.executable).with_name("tokbench"))
ROOT = HERE.parent


@dataclass(frozen=True)
class Setting:
    """The choices of one call; `size` is the vocabulary, `sizes` are those of the sweep."""

    texts: Texts
    folder: Path
    size: int
    sizes: tuple[int, ...]
    tokens: int
    repetitions: int

    def job(self, name: str, peer: str, **arguments: Any) -> Command:
        """Return the command that does a job for a peer in a fresh process."""
        argv = [sys.executable, str(HERE / "job.py"), name, peer, json.dumps(arguments)]
        return Command(argv, environment(peer), answers=True)

    def answer(self, name: str, peer: str, **arguments: Any) -> Any:
        """Do a job that is not measured; return its answer, or end the program if it fails."""
        return measure_or_exit(self.job(name, peer, **arguments)).answer

    @cached_property
    def vocabularies(self) -> Mapping[str, str]:
        """Learn the vocabularies that peers load: with tokbench's end mark, and without marks."""
        paths = {}
        for name, options in (("marked", {}), ("plain", {"eow": "absent"})):
            paths[name] = str(self.folder / f"{name}.json")
            self.answer(
                "vocabulary", "tokbench", text=str(self.texts.at(1)),
                size=self.size, out=paths[name], options=options,
            )  # fmt: skip
        return paths


def tokbench_run(config: Path, out: Path, **variables: str) -> Command:
    """Return the command that runs a config from scratch, with environment variables."""
    return Command([TOKBENCH, "run", "-q", "--fresh", "-o", str(out), str(config)], variables)


def environment(peer: str) -> dict[str, str]:
    """Return the environment of a peer; those that take threads have two."""
    return ENVIRONMENT | ({"TOKBENCH_ENGINE": "python"} if peer == OURS[1] else {})
