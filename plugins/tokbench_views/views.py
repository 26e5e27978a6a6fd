"""The views on offer; what writes them is imported where it is needed, since it loads NumPy."""

import io
import json
from typing import TYPE_CHECKING, ClassVar

from tokbench.api import View
from tokbench.printing import escaped, print_records, print_table

if TYPE_CHECKING:
    from tokbench import Run

OOV_COLUMNS = (
    "system", "size", "context", "training-share", "corpus", "subset", "metric", "gated", "value",
    "low", "high", "n",
)  # fmt: skip


class Report(View):
    """The whole comparison: what is covered, unseen and unknown, then all metrics and examples."""

    file_name: ClassVar[str] = "report.md"

    def text(self, run: "Run", form: str) -> str:
        """Write the report, a function of the results alone."""
        from tokbench_views.report import report

        return report(run)


class Answer(View):
    """The answer: at most ten facts with their numbers, intervals and scope."""

    formats: ClassVar[tuple[str, ...]] = ("md", "json")
    file_name: ClassVar[str] = "answer.json"

    def text(self, run: "Run", form: str) -> str:
        """Write the facts as a list, or as data."""
        from dataclasses import asdict

        from tokbench_views.answer import answer

        if form == "json":
            facts = [asdict(fact) for fact in answer(run)]
            return json.dumps(facts, indent=1, ensure_ascii=False) + "\n"
        return "".join(f"- {escaped(fact.text)}\n" for fact in answer(run))


class MeasuredCost(View):
    """The measured cost: each step's seconds and memory, which another run measures anew."""

    file_name: ClassVar[str] = "cost.md"

    def text(self, run: "Run", form: str) -> str:
        """Write the table of steps."""
        from tokbench_views.report import cost_report

        return cost_report(run)


class Summary(View):
    """What ends a run: the answer in few lines, then each system by headline metrics."""

    formats: ClassVar[tuple[str, ...]] = ("table",)

    def text(self, run: "Run", form: str) -> str:
        """Write what fits of the answer, and the table."""
        from tokbench_views.terminal import ending

        return ending(run)


class Oov(View):
    """Out of vocabulary: what is unseen and why, and how systems cut rare and special words.

    csv holds all numbers on unseen, rare and special words and on pairs: those of results.csv that
    are not of all words. json holds them as `numbers`, and the rows of `unseen` and `growth`.
    """

    formats: ClassVar[tuple[str, ...]] = ("md", "csv", "json")

    def text(self, run: "Run", form: str) -> str:
        """Write the section of the report, or its numbers by system."""
        from tokbench.run_folder import records
        from tokbench_views.oov import oov

        if form == "md":
            return oov(run).strip("\n")
        rows = records(row for row in run.rows if row.metric and row.subset != "all")
        numbers = [{column: row[column] for column in OOV_COLUMNS} for row in rows]
        if form == "json":
            found = {"unseen": records(run.unseen), "growth": records(run.growth)}
            return json.dumps({**found, "numbers": numbers}, indent=1, ensure_ascii=False) + "\n"
        out = io.StringIO()
        print_records(numbers, OOV_COLUMNS, form, out)
        return out.getvalue()


class Sizes(View):
    """Which vocabulary size is enough, by several rules for each metric, and what they mean."""

    formats: ClassVar[tuple[str, ...]] = ("md", "table")

    def text(self, run: "Run", form: str) -> str:
        """Write the table of the advice, if there is any, then that of the sizes."""
        from tokbench_views.sizes import MEASURES, RULES, advice_table, legend, size_table

        out = io.StringIO()
        if run.advice:
            print_table(*advice_table(run.advice), form, out)
            out.write(f"\n{legend(RULES, run.advice)}\n")
        print_table(*size_table(run.sizes), form, out)
        out.write(f"\n{legend(MEASURES)}")
        return out.getvalue()
