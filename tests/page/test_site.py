"""The site of the documents in a browser: people find things by its search, also on a phone."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

PHONE = {"width": 390, "height": 844}

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-c", root / "docs", root, folder]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page(viewport=PHONE)
    yield page
    page.close()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("nfc", "docs/how-to/korean.html"),
        ("vocabulary size", "docs/how-to/size.html"),
        ("korean", "docs/how-to/korean.html"),
        ("exit code", "README.html"),
        ("block bootstrap", "docs/explanation/statistics.html"),
        ("write a plugin", "docs/how-to/plugin.html"),
        ("cite", "docs/how-to/cite.html"),
        ("fertility", "docs/reference/metrics.html"),
    ],
)
def test_the_search_finds_the_page_among_the_first(
    site: Path, page: Page, question: str, expected: str
) -> None:
    page.goto(f"{(site / 'search.html').as_uri()}?q={question.replace(' ', '+')}")
    page.wait_for_selector("#search-results ul.search li")
    page.wait_for_function("document.querySelector('.search-summary')?.innerText.includes('found')")
    links = page.eval_on_selector_all(
        "#search-results ul.search li > a", "links => links.map(link => link.href)"
    )
    nearest = [re.split("[?#]", link)[0] for link in links[:5]]
    assert (site / expected).as_uri() in nearest


@pytest.mark.parametrize("name", ["README", "docs/reference/metrics", "docs/start"])
def test_a_page_is_no_wider_than_a_phone_and_leads_back(site: Path, page: Page, name: str) -> None:
    page.goto((site / f"{name}.html").as_uri())
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]
    assert page.locator("a[href$='index.html']").count()
