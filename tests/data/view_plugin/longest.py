from tokbench.api import View, hookimpl
from tokbench.printing import Table


class Longest(View):
    """The longest token of each vocabulary."""

    file_name = "longest.md"

    def text(self, run, form):
        rows = [(name, of.show(max(of.tokens, key=len))) for name, of in run.learned.items()]
        return Table(("system", "token"), rows).to("md")


@hookimpl
def tokbench_views():
    return {"longest": Longest}


@hookimpl
def tokbench_report_sections(run):
    return {"Longest tokens": Longest().text(run, "md")}
