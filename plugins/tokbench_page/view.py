"""The view `page`; what writes it is imported where it is needed, since it loads NumPy."""

from typing import TYPE_CHECKING, ClassVar

from tokbench.api import View

if TYPE_CHECKING:
    from tokbench import Run


class Page(View):
    """The run as one HTML page: the answer, charts, tokens, and a box to type your own text in."""

    formats: ClassVar[tuple[str, ...]] = ("html",)
    file_name: ClassVar[str] = "report.html"

    def text(self, run: "Run", form: str) -> str:
        """Write the page."""
        from tokbench_page.page import page

        return page(run)
