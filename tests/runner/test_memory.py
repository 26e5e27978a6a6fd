"""The memory that a long test text needs, from reading to scores; the scores are checked too."""

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.run_cli import fresh
from tests.tiny import config

LINE = 25
DISTINCT = 20_000

RUN = """
import re, resource, sys
from pathlib import Path
from tokbench.cli import run_command
sys.argv[1:] = ["run", "-q", "config.yaml", "-o", "out"]
code = run_command()
status = Path("/proc/self/status")
if status.exists():
    # What the system says of resources includes the process that started this one.
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1]) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak)
sys.exit(code)
"""


def spelled(number: int) -> str:
    return "x" * (number % 7) + str(number)


def drawn(running: int) -> np.ndarray:
    """Draw words, Zipfian: word w has a share that falls as 1 / (w + 1)."""
    shares = np.cumsum(1 / np.arange(1.0, DISTINCT + 1))
    draw = np.random.default_rng(0)
    return np.searchsorted(shares, shares[-1] * draw.random(running))


def peak_of(folder: Path, running: int) -> int:
    """Run a text of so many running words in a process of its own; return its peak in bytes."""
    order = drawn(running)
    lines = order.reshape(-1, LINE).tolist()
    words = [spelled(number) for number in range(DISTINCT)]
    with (folder / "test.txt").open("w", encoding="utf-8") as file:
        file.writelines(" ".join([words[n] for n in line]) + "\n" for line in lines)
    training = (f"{word} " * (n % 5) for n, word in enumerate(words))
    (folder / "train.txt").write_text("".join(training) + "\n", encoding="utf-8")
    text = config(
        corpora="{train: train.txt, test: {t: test.txt}}", systems="[char]", sizes=None,
        metrics="all",
    )  # fmt: skip
    (folder / "config.yaml").write_text(text, encoding="utf-8")
    # Else the allocator keeps what was freed, and takes more than is asked for, as addresses fall.
    tight = {"MMAP_THRESHOLD_": "131072", "ARENA_MAX": "1", "TOP_PAD_": "0"}
    printed = fresh(RUN, cwd=folder, **{f"MALLOC_{name}": value for name, value in tight.items()})
    check(folder / "out" / "results.csv", order)
    return int(printed.splitlines()[-1])


def check(results: Path, order: np.ndarray) -> None:
    """Compare with the same from the running words, one by one."""
    chars = np.array([len(spelled(number)) for number in range(DISTINCT)])[order]
    lines = chars.reshape(-1, LINE).sum(axis=1)
    expected = {
        "tokens": chars.sum(),
        "fertility": chars.mean(),
        "attention-cost": 1,
        "unseen-words-running": (order % 5 == 0).mean(),
        "chars-per-token": 1,
    }
    with results.open(encoding="utf-8", newline="") as file:
        rows = {row["metric"]: row for row in csv.DictReader(file) if row["subset"] == "all"}
    values = {name: float(rows[name]["value"]) for name in expected}
    assert values == pytest.approx(expected, rel=1e-11)
    low, high = (float(rows["tokens"][end]) for end in ("low", "high"))
    assert lines.min() * len(lines) <= low < chars.sum() < high <= lines.max() * len(lines)


@pytest.mark.nightly
def test_a_running_word_costs_its_number_and_its_share_of_the_table(tmp_path: Path) -> None:
    """A word has 4 bytes in the text, and 4 in the table of its band; unseen words have 4 more.

    The rest is what each line counts, and what reading and writing hold. Columns of the text's
    length would take 8 bytes each.
    """
    small, large = 1_000_000, 4_000_000  # both have as many groups of lines as there may be
    cost = (peak_of(tmp_path, large) - peak_of(tmp_path, small)) / (large - small)
    assert cost < 16
