"""The study of metrics: its page is the one that its tables give."""

import subprocess
import sys

from .conftest import ROOT

STUDY = ROOT / "studies" / "which_metric"


def test_the_page_is_the_one_that_the_study_writes() -> None:
    code = "import sys; from pathlib import Path; from page import render; "
    code += "sys.stdout.reconfigure(encoding='utf-8'); "
    code += "sys.stdout.write(render(Path('results')))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=STUDY, capture_output=True, check=True, encoding="utf-8"
    )
    page = ROOT / "docs" / "explanation" / "which-metric.md"
    assert page.read_text("utf-8") == done.stdout
