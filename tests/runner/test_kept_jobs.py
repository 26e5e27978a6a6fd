"""A finished job is used again only if nothing that it depends on has changed."""

from pathlib import Path
from typing import Any

import pytest

from tests.tiny import tiny_run
from tokbench.runner.finished import FinishedJobs

LONG = {"test": "".join(f"{'abd ' * (n % 7)}ab c\n" for n in range(40))}


@pytest.mark.parametrize(
    "change",
    [
        {"seed": "7"},
        {"resamples": "50"},
        {"texts": {"test": "c ab\n" * 30}},
        {"texts": {**LONG, "train": "ab ab abc c\n"}},
    ],
    ids=["seed", "resamples", "test text", "training text"],
)
def test_a_job_is_done_again_where_what_it_depends_on_differs(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    keys: dict[str, Any] = {"texts": LONG, "metrics": "[fertility]"}
    first = tiny_run(tmp_path, kept_in=tmp_path / "out.partial", **keys)
    changed = tiny_run(tmp_path, kept_in=tmp_path / "out.partial", **keys | change)
    assert changed.rows == tiny_run(tmp_path, **keys | change).rows
    assert changed.rows != first.rows


def test_a_damaged_result_is_made_again(tmp_path: Path) -> None:
    jobs = tmp_path / "out.partial"
    first = tiny_run(tmp_path, kept_in=jobs)
    for path in jobs.iterdir():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    assert len(FinishedJobs(jobs).notes) > 1
    assert tiny_run(tmp_path, kept_in=jobs).rows == first.rows
