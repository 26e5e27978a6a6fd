"""Debian's Chromium through Playwright, and pages opened in it."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

READY = "html[data-drawn=true]"
Open = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless browser; without one the test is skipped."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("there is no chromium: install Debian's package of that name")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Open]:
    """Open a page offline; whatever it complains of fails the test."""
    complaints: list[str] = []
    pages = []

    def open_page(path: Path, width: int = 1280, scheme: str = "light") -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            offline=True,
        )
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.goto(path.as_uri())
        page.wait_for_selector(READY, state="attached")
        pages.append(context)
        return page

    yield open_page
    for context in pages:
        context.close()
    assert complaints == []
