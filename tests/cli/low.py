"""A folder with a short text, a plugin and a config."""

from pathlib import Path

from tests.tiny import config


def write_low(folder: Path, plugin: str, **keys: str) -> Path:
    """Write `low.txt`, the plugin `mine.py` and `low.yaml`, whose `keys` are given."""
    (folder / "low.txt").write_text("low lower lowest\n" * 5)
    (folder / "mine.py").write_text(plugin)
    corpora = "{train: low.txt, test: low.txt}"
    (folder / "low.yaml").write_text(config(corpora=corpora, **keys))
    return folder
