"""Sphinx builds the site from the Markdown of the checkout: `sphinx-build -c docs . build/site`."""

import json
import re
import sys
from html import escape
from pathlib import Path

from docutils import nodes
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


def setup(app: Sphinx) -> None:
    """Make the navigation from the links of the index, and the texts that the search shows."""
    app.connect("source-read", add_navigation)
    app.connect("build-finished", write_texts)


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


def write_texts(app: Sphinx, failure: Exception | None) -> None:
    """Write the text of each section, of which the search shows an excerpt (`search.js`)."""
    if failure is None:
        texts = {page: text_of(app.env.get_doctree(page)) for page in app.env.found_docs}
        path = app.outdir / "_static" / "texts.js"
        path.write_text(f"const pageTexts = {json.dumps(texts)};\n", "utf-8")


def text_of(page: nodes.document) -> str:
    """Return the paragraphs of a page as HTML that Sphinx's search can read, in their sections."""
    parts = ['<div role="main">']
    for section in page.findall(nodes.section):
        inside = (part for part in section.children if not isinstance(part, nodes.section))
        text = "\n".join(part.astext() for part in inside)
        parts.append(f'<div id="{section["ids"][0]}">{escape(text)}\n</div>')
    return "".join([*parts, "</div>"])
