"""Take pictures of report.html at 1280 and 390 pixels, dark, and as it is printed.

python docs/screenshots.py RUN FOLDER [--first-screen]
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

HEIGHT = 900
SCREENS = {"1280": (1280, "light"), "390": (390, "light"), "dark": (1280, "dark")}


def main(run: Path, folder: Path, full_page: bool) -> None:
    """Write a picture for each screen, and print.pdf, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, (width, scheme) in SCREENS.items():
            page = browser.new_page(
                viewport={"width": width, "height": HEIGHT},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            page.goto((run / "report.html").resolve().as_uri())
            page.wait_for_selector("html[data-drawn=true]", state="attached")
            page.screenshot(path=folder / f"{name}.png", full_page=full_page)
            if name == "1280":
                page.pdf(path=folder / "print.pdf", format="A4")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), "--first-screen" not in sys.argv)
