"""Fixtures of the plugin tests."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def golden(shared: Path) -> dict[str, Any]:
    """The textbook cases of the shared data, by id."""
    lines = (shared / "golden" / "textbook_cases.jsonl").read_text("utf-8").split("\n")
    return {case["id"]: case for case in map(json.loads, filter(None, lines))}


@pytest.fixture(scope="session")
def course_report(shared: Path) -> str:
    """The course report 'Subword Tokenization with BPE', which prints its segmentations."""
    reports = sorted((shared.parent / "seeds").glob("000_*.txt"))
    if not reports:
        pytest.skip("the course report is not among the shared data")
    return reports[0].read_text("utf-8")


@pytest.fixture(scope="session")
def hostile(shared: Path) -> list[str]:
    """The Big List of Naughty Strings."""
    lines: list[str] = json.loads((shared / "oov" / "blns.json").read_text("utf-8"))
    assert len(lines) > 500
    return lines


@pytest.fixture(scope="session")
def twelve_languages(shared: Path) -> list[list[str]]:
    """The lines of FLORES in each of its twelve languages."""
    files = sorted((shared / "parallel").glob("*.dev.gz"))
    assert len(files) == 12
    return [gzip.decompress(file.read_bytes()).decode().split("\n")[:-1] for file in files]
