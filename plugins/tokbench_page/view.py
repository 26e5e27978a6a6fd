"""The views `page` and `notebook`; what writes them is imported late, since it loads NumPy."""

from typing import TYPE_CHECKING, ClassVar

from tokbench.api import View

if TYPE_CHECKING:
    from tokbench.run_folder import Run


class Notebook(View):
    """What a notebook shows of a run: the answer, and the first chart as a drawing."""

    formats: ClassVar[tuple[str, ...]] = ("html",)

    def text(self, run: "Run", form: str) -> str:
        """Write a fragment of HTML, without scripts."""
        from tokbench_page.notebook import notebook

        return notebook(run)


class Page(View):
    """The run as one HTML page: the answer, charts, tokens, and a box to type your own text in."""

    formats: ClassVar[tuple[str, ...]] = ("html",)
    file_name: ClassVar[str] = "report.html"

    def text(self, run: "Run", form: str) -> str:
        """Write the page."""
        from tokbench_page.page import page

        return page(run)
