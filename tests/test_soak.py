"""Many runs by one process, with children and other runs killed at random: `tests/soak.py`.

`TOKBENCH_SOAK=200` does so many instead of forty.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

JOBS = int(os.environ.get("TOKBENCH_SOAK", "40"))
GROWTH_MB = 20
"""Less than 0.1 MB a job of two hundred."""


@pytest.mark.nightly
@pytest.mark.timeout(0)  # up to 200 jobs
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_nothing_is_lost_and_memory_stays(root: Path, record_property) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak", str(JOBS), "0"],
        cwd=root, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["lost"] == []
    assert figures["killed"] > JOBS / 4
    assert figures["memory-most"] - figures["memory-begin"] < GROWTH_MB
    for name in ("jobs", "killed", "seconds", "memory-begin", "memory-end", "memory-most"):
        record_property(name, figures[name])
