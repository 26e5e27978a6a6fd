"""The memory of the lines that are kept of a split text, so that it is read only once."""

from pathlib import Path

import pytest

from tests.run_cli import fresh

PEAK = """
import sys
from pathlib import Path
from types import SimpleNamespace
from tokbench.corpora import corpus_reader
from tokbench.corpora.load import load_corpora
from tokbench.corpora.source import Source, Split
from tokbench.corpora.splitters import WhitespaceSplitter
if sys.argv[2] == "none":
    corpus_reader.KEPT = 0
splitter = WhitespaceSplitter()
source = Source(path=(Path(sys.argv[1]),), documents="blocks")
train = SimpleNamespace(source=source, splitter_name="s", splitter=splitter, gold=None)
share = SimpleNamespace(source=Split(split=0.1, by="line"))
loaded = load_corpora(train, {"dev": share}, {}, {}, 0)
print(loaded.train.running + len(loaded.tests[0].words.order))
status = Path("/proc/self/status").read_text()
print(1024 * int(status.split("VmHWM:")[1].split()[0]))
"""


def measured(path: Path, kept: str) -> tuple[int, int]:
    """Count the words of both parts of a split text; measure the peak of memory in bytes."""
    # Else the allocator keeps what was freed, more or less of it as sizes fall.
    words, peak = fresh(PEAK, path, kept, MALLOC_MMAP_THRESHOLD_="131072").split()
    return int(words), int(peak)


@pytest.mark.nightly
# What getrusage gives begins with the memory of the process that started this one.
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs VmHWM of Linux")
@pytest.mark.parametrize(
    ("line", "count"),
    [("ab\n", 300_000), ("ab\n\n", 300_000), ("ab\n", 4_000_000), ("word " * 2000 + "\n", 3000)],
    ids=["short", "short documents", "too many", "long"],
)
def test_lines_are_kept_in_50_megabytes(tmp_path: Path, line: str, count: int) -> None:
    path = tmp_path / "train.txt"
    path.write_text(line * count)
    words, peak = measured(path, "some")
    assert words == count * len(line.split())
    same, base = measured(path, "none")
    assert same == words
    assert peak - base < 50e6
