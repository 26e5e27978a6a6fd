"""Small files for tests of commands."""

from pathlib import Path

from tests.run_cli import tokbench_here
from tests.tiny import TEXTS, config


def write_low(folder: Path, plugin: str, **keys: str) -> Path:
    """Write `low.txt`, the plugin `mine.py` and `low.yaml`, whose `keys` are given."""
    (folder / "low.txt").write_text("low lower lowest\n" * 5)
    (folder / "mine.py").write_text(plugin)
    corpora = "{train: low.txt, test: low.txt}"
    (folder / "low.yaml").write_text(config(corpora=corpora, **keys))
    return folder


def run_example(folder: Path, *options: str, **keys: str) -> Path:
    """Run the worked example in a folder, which then also holds the run."""
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text)
    (folder / "tiny.yaml").write_text(config(**keys))
    done = tokbench_here("run", "-q", "-o", "out", "tiny.yaml", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def printed(path: Path, *command: str | Path) -> Path:
    """Write to a file what a command prints, such as a vocabulary that it learns."""
    done = tokbench_here(*command)
    assert done.returncode == 0, done.stderr
    path.write_text(done.stdout, encoding="utf-8")
    return path


def describe_package(
    folder: Path, name: str, entry_points: str, version: str = "1", requires: str = "tokbench"
) -> None:
    """Write what makes the modules in a folder an installed package."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: {requires}\n"
    )
    (info / "entry_points.txt").write_text(entry_points)


WAITING = """
import time
from pathlib import Path
from tokbench.api import Learner, Vocabulary, hookimpl
class Waiting(Learner):
    "Wait for a file, so that no test depends on the clock."
    def learn(self, words, size):
        Path("learning").touch()
        while not Path("go").exists():
            time.sleep(0.01)
        return Vocabulary.build(sorted(set("".join(words))), (), segmenter={"use": "char"})
tokbench_learners = hookimpl(lambda: {"waiting": Waiting})
"""
