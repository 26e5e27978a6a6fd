"""Configs, written into an empty folder."""

from pathlib import Path

import pytest

from tests.tiny import installed
from tokbench.config import load_experiment


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a config's text, beside which small files are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOKBENCH_MODELS", raising=False)
    for name in ("train.txt", "test.txt", "more.txt", "gold.tsv"):
        Path(name).write_text("text\n")
    path = Path("config.yaml")

    def loaded(text, registry=None):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_experiment(path, registry or installed())

    return loaded
