"""Small files for tests of commands."""

from pathlib import Path

from tests.run_cli import tokbench_here
from tests.tiny import config


def write_low(folder: Path, plugin: str, **keys: str) -> Path:
    """Write `low.txt`, the plugin `mine.py` and `low.yaml`, whose `keys` are given."""
    (folder / "low.txt").write_text("low lower lowest\n" * 5)
    (folder / "mine.py").write_text(plugin)
    corpora = "{train: low.txt, test: low.txt}"
    (folder / "low.yaml").write_text(config(corpora=corpora, **keys))
    return folder


def printed(path: Path, *command: str | Path) -> Path:
    """Write to a file what a command prints, such as a vocabulary that it learns."""
    done = tokbench_here(*command)
    assert done.returncode == 0, done.stderr
    path.write_text(done.stdout, encoding="utf-8")
    return path
