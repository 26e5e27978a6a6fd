"""Lists the tests that cost most processor time, after they ran, so that fast ones stay fast.

A test's time is its own and that of the processes it waited for. Fixtures that several tests share
(of a module or a session) are listed apart from the test that happened to need them first. No test
fails by its time, since machines differ.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.fixtures import FixtureDef, SubRequest

SHOWN_SECONDS = 1.0


def cpu_seconds() -> float:
    """Return the processor time of this process and of all children that it has waited for."""
    return sum(os.times()[:4])


class CpuSeconds:
    """Measures tests and shared fixtures; the controller of pytest-xdist collects and prints."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._shared: list[tuple[str, float]] = []  # fixtures made during the running test
        self._costs: list[tuple[float, str]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: FixtureDef[object], request: SubRequest) -> object:
        """Measure a fixture that outlives its test, without the fixtures that it asks for."""
        inner = len(self._shared)
        start = cpu_seconds()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                nested = sum(seconds for _, seconds in self._shared[inner:])
                name = f"{request.node.nodeid or 'session'}: fixture {fixturedef.argname}"
                self._shared.append((name, cpu_seconds() - start - nested))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note where a test begins."""
        self._shared.clear()
        self._start = cpu_seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> object:
        """Send the measured times along with the last report of a test."""
        report = yield
        if call.when == "teardown":
            shared = list(self._shared)
            own = cpu_seconds() - self._start - sum(seconds for _, seconds in shared)
            report.cpu_seconds = [(own, item.nodeid), *((cost, name) for name, cost in shared)]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect what a worker measured."""
        self._costs += map(tuple, getattr(report, "cpu_seconds", ()))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List tests and fixtures above one second of processor time."""
        costs = sorted(self._costs, reverse=True)
        if self._file is not None:
            lines = [json.dumps([round(seconds, 3), name]) + "\n" for seconds, name in costs]
            self._file.write_text("".join(lines), "utf-8")
        terminalreporter.section(f"above {SHOWN_SECONDS:.0f} s of processor time")
        for seconds, name in costs:
            if seconds > SHOWN_SECONDS:
                terminalreporter.line(f"{seconds:6.1f} s  {name}")
        terminalreporter.line(f"{sum(seconds for seconds, _ in costs):6.0f} s  all tests")
