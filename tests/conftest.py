"""Fixtures and settings that all tests share."""

import ctypes
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex

import pytest
from hypothesis import HealthCheck, settings

from tests.costs import CpuSeconds
from tests.shipped import ROOT, SHARED, shipped_run
from tokbench.runner.cache import VARIABLE

__all__ = ["ROOT", "SHARED", "shipped_run"]

# Plugins for other tests; one brings tests of its own, which run where it is installed.
collect_ignore = ["data"]
if sys.platform == "win32":  # which has no fork, process groups or limits
    collect_ignore += ["hostile/test_machine.py", "plugins/test_count_dask.py"]
    collect_ignore += ["run_folder/test_replace.py", "runner/test_children.py"]
    collect_ignore += ["runner/test_resume.py", "test_architecture.py", "test_soak.py"]

# The short table is as wide as the terminal, which what runs tests may set.
os.environ.pop("COLUMNS", None)

# In the background of a shell Ctrl-C is ignored, also by all processes that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How many examples a property test tries in each tier: `--hypothesis-profile ci`. A busy machine is
# no reason to fail, and only nightly tries other examples each time.
for tier, examples in {"quick": 20, "ci": 100, "nightly": 300}.items():
    settings.register_profile(
        tier,
        settings.default,
        max_examples=examples,
        deadline=None,
        derandomize=tier != "nightly",
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--facts FILE`, to which each test adds a line of JSON: its name, outcome and findings.

    With `--renew`, the tests of messages, documents and pages write the expected output that
    differs; git shows it.
    """
    parser.addoption("--facts", type=Path, help="add what the tests find to this file")
    parser.addoption("--costs", type=Path, help="write the processor time of each test as JSON")
    parser.addoption("--renew", action="store_true", help="write expected output that differs")


class Facts:
    """Writes what tests find."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a line for a test that ended, or could not begin."""
        if report.when == "call" or report.outcome != "passed":
            facts = {
                "test": report.nodeid,
                "outcome": report.outcome,
                **dict(report.user_properties),
            }
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(facts) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Write facts where they are asked for; renew the expected output of all tiers."""
    if config.getoption("--renew"):
        config.option.markexpr = ""
    if path := config.getoption("--facts"):
        config.pluginmanager.register(Facts(path))
    config.pluginmanager.register(CpuSeconds(config.getoption("--costs")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--renew`, run only tests whose expected output it writes."""
    if config.getoption("--renew"):
        items[:] = [item for item in items if {"renew", "golden"} & {*item.fixturenames}]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs the shared data where they are missing.

    pytest folds skips that come from one place into one line; a skip in a fixture counts as one of
    the test.
    """
    if "shared" in getattr(item, "fixturenames", ()) and not SHARED.is_dir():
        pytest.skip("the shared data folder ../shared/data is not there")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared real data beside the checkout."""
    return SHARED


@pytest.fixture(scope="session")
def renew(pytestconfig: pytest.Config) -> bool:
    """Whether to write expected output that differs."""
    return bool(pytestconfig.getoption("--renew"))


@pytest.fixture(scope="session")
def golden(renew: bool) -> Callable[[Path, str], None]:
    """Compare a text with the one in a file, or write it there."""

    def compare(path: Path, text: str) -> None:
        if renew:
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), "`pytest --renew` writes the file"

    return compare


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the caches of tests."""
    return tmp_path_factory.mktemp("caches")


@pytest.fixture(autouse=True)
def own_cache(caches: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of a test: it learns everything, whatever other tests have learned."""
    folder = caches / token_hex(8)
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="module", autouse=True)
def memory_is_given_back() -> Iterator[None]:
    """Return freed memory to the system after each module; glibc keeps hundreds of megabytes."""
    yield
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
