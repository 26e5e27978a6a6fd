"""The views `page` and `notebook`; what writes them is imported late, since it loads NumPy."""

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from tokbench.api import View
from tokbench.printing import json_text

if TYPE_CHECKING:
    from tokbench.run_folder import Run


class Notebook(View):
    """What a notebook shows of a run: the answer, and the first chart as a drawing."""

    formats: ClassVar[tuple[str, ...]] = ("html",)

    def text(self, run: "Run", form: str) -> str:
        """Write a fragment of HTML, without scripts."""
        from tokbench_page.notebook import notebook

        return notebook(run)


class MetricChartView(View):
    """One metric by vocabulary size, as a Vega-Lite specification for notebooks."""

    formats: ClassVar[tuple[str, ...]] = ("json",)

    metric: str = Field("", description="the metric [default: the first main one]")
    corpus: str = Field("", description="the test corpus [default: the first that has it]")
    subset: str = Field("all", description="the words: `all`, `unseen`, ...")

    def text(self, run: "Run", form: str) -> str:
        """Write the specification."""
        from tokbench_page.notebook import metric_chart

        return json_text(metric_chart(run, self.metric, self.corpus, self.subset), indent=1)


class Page(View):
    """The run as one HTML page: the answer, charts, tokens, and a box to type your own text in."""

    formats: ClassVar[tuple[str, ...]] = ("html",)
    file_name: ClassVar[str] = "report.html"

    def text(self, run: "Run", form: str) -> str:
        """Write the page."""
        from tokbench_page.page import page

        return page(run)
