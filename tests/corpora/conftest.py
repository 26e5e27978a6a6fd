from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tokbench.corpora.source import Source, Split
from tokbench.corpora.splitters import WhitespaceSplitter, WordSplitter

SPLITTERS = {"words": WordSplitter(), "whitespace": WhitespaceSplitter()}


@pytest.fixture
def corpus() -> Callable[..., Any]:
    """Build a corpus as a config gives it; the splitter's name stands under `splitter`."""

    def build(path: Path | None = None, *, splitter: str = "words", **treatment: Any) -> Any:
        if "split" in treatment:
            source: Source | Split = Split.model_validate(treatment)
        elif path is None:
            source = Source.model_validate(treatment)
        else:
            source = Source.model_validate({"path": path, **treatment})
        return SimpleNamespace(source=source, splitter_name=splitter, splitter=SPLITTERS[splitter])

    return build


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file of this name and content."""

    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return put
