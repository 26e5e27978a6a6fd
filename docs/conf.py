"""Sphinx builds the site from the Markdown of the checkout: `sphinx-build -c docs . build/site`."""

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

import tokbench

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "tokbench"
copyright = "tokbench contributors"
version = release = tokbench.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
include_patterns = ["*.md", "*/README.md", "docs/**", "studies/**/plan.md"]
root_doc = "docs/index"
exclude_patterns = [".*"]
myst_heading_anchors = 3
myst_heading_slug_func = "reference.anchor"
default_role = "code"  # docstrings spell code as Markdown does
autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True

suppress_warnings = ["misc.highlighting_failure"]  # a console block may hold Python

html_theme = "furo"
html_title = f"tokbench {version}"
html_extra_path = ["site"]  # index.html, which leads to docs/index.html
html_search_scorer = str(HERE / "search.js")
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it is fetched, which a browser refuses for files


def setup(app: Sphinx) -> None:
    """Make the navigation from the links of the index."""
    app.connect("source-read", add_navigation)


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Add a table of contents for each section of the index: the pages that it links."""
    if page != root_doc:
        return
    for section in source[0].split("\n## ")[1:]:
        title = section.partition("\n")[0]
        links = re.findall(r"\[([^]]+)\]\(([^)#:]+)\.md\)", section)
        pages = [f"{text[0].upper()}{text[1:]} <{path}>" for text, path in links]
        directive = [
            "\n```{toctree}",
            ":hidden:",
            f":caption: {title}\n",
            *pages,
            "```\n",
        ]
        source[0] += "\n".join(directive)
