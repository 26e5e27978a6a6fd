"""Take pictures of report.html at 1280 and 500 pixels, light and dark.

python docs/screenshots.py RUN FOLDER [--first-screen]
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

HEIGHT = 900


def main(run: Path, folder: Path, whole: bool) -> None:
    """Write one picture for each width and theme into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for width in (1280, 500):
            for scheme in ("light", "dark"):
                page = browser.new_page(
                    viewport={"width": width, "height": HEIGHT},
                    color_scheme="dark" if scheme == "dark" else "light",
                )
                page.goto((run / "report.html").resolve().as_uri())
                page.wait_for_selector("html[data-ready=true]", state="attached")
                page.screenshot(path=folder / f"{width}-{scheme}.png", full_page=whole)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), "--first-screen" not in sys.argv)
