"""The page: a run as one HTML file with charts, tokens and a box to type in, without any network.

Read first: `page.py`, which puts the file together; `data.py`, what it holds, and `summary.py`, its
top; `charts.py`, the Vega-Lite specifications; `assets/page.js`, which draws them;
`assets/segment.js`, which cuts words.
"""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_views() -> Mapping[str, str]:
    """Offer the views `page` and `notebook`."""
    return {
        "notebook": "tokbench_page.view:Notebook",
        "page": "tokbench_page.view:Page",
    }
