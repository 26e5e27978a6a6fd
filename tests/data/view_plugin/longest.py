from tokbench.api import View, hookimpl
from tokbench.printing import Table


class Longest(View):
    """The longest token of each vocabulary."""

    file_name = "longest.md"

    def text(self, run, form):
        longest = [(name, max(found.tokens, key=len)) for name, found in run.learned.items()]
        return Table(("system", "token"), longest).to("md")


tokbench_views = hookimpl(lambda: {"longest": Longest})
