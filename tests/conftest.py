"""Fixtures that several test modules share."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Plugins for other tests; one brings tests of its own, which run where it is installed.
collect_ignore = ["data"]


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared real data beside the checkout."""
    path = ROOT.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("the shared data folder ../shared/data is not there")
    return path
