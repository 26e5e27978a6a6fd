from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from tokbench_morphology.gold import TsvReader

from tokbench.corpora.source import DescribedCorpus, Source, Split
from tokbench.corpora.splitters import WhitespaceSplitter, WordSplitter

SPLITTERS = {"words": WordSplitter(), "whitespace": WhitespaceSplitter()}


@pytest.fixture(scope="session")
def corpus() -> Callable[..., Any]:
    """Build a corpus as a config gives it; the splitter's name stands under `splitter`."""

    def build(path: Path | None = None, *, splitter: str = "words", **treatment: Any) -> Any:
        if "split" in treatment:
            source: Source | Split = Split.model_validate(treatment)
        elif path is None:
            source = Source.model_validate(treatment)
        else:
            source = Source.model_validate({"path": path, **treatment})
        return DescribedCorpus(source, splitter, SPLITTERS[splitter], gold=TsvReader())

    return build


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file of this name and content."""

    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return put


SIZES = {
    "chunk": ("files.CHUNK", "records.CHUNK"),
    "longest_line": ("files.LONGEST_LINE",),
    "largest_list": ("records.LARGEST_LIST",),
    "longest": ("words.LONGEST", "corpus_reader.LONGEST"),
}


@pytest.fixture(scope="session")
def sizes() -> Callable[..., Any]:
    """Let what depends on a size happen in short texts: `with sizes(chunk=16):`."""

    @contextmanager
    def changed(**changes: int) -> Iterator[None]:
        with ExitStack() as stack:
            for name, size in changes.items():
                for constant in SIZES[name]:
                    stack.enter_context(patch(f"tokbench.corpora.{constant}", size))
            yield

    return changed


@pytest.fixture(scope="session")
def by_line() -> Callable[[], Any]:
    """Look at each line by itself, as if the splitter were somebody else's."""
    return lambda: patch("tokbench.corpora.corpus_reader.built_in", lambda _: False)
