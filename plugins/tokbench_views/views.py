"""The views on offer; what writes them is imported where it is needed, since it loads NumPy."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from tokbench.api import InputFile, UsageError, View
from tokbench.printing import Table, escaped, json_text

if TYPE_CHECKING:
    from tokbench.run_folder import Run


def _listed(value: Any) -> Any:
    """Return one text as a list of it."""
    return [value] if isinstance(value, str) else value


class Report(View):
    """The comparison in a few pages: the answer, then one table for each question."""

    file_name: ClassVar[str] = "report.md"

    def text(self, run: "Run", form: str) -> str:
        """Write the report, a function of the results alone."""
        from tokbench_views.report import report

        return report(run)


class AllMetrics(View):
    """Every metric at all sizes, and the details of unseen words.

    csv and json hold all numbers, as results.csv does.
    """

    formats: ClassVar[tuple[str, ...]] = ("md", "csv", "json")
    file_name: ClassVar[str] = "metrics.md"

    def text(self, run: "Run", form: str) -> str:
        """Write what the report leaves out, or the numbers."""
        from tokbench.run_folder import Row, columns, records
        from tokbench_views.report import details

        return details(run) if form == "md" else Table.of(records(run.rows), columns(Row)).to(form)


class Answer(View):
    """The answer: what to take and why, then facts with their numbers, intervals and scope."""

    formats: ClassVar[tuple[str, ...]] = ("md", "json")
    file_name: ClassVar[str] = "answer.json"

    def text(self, run: "Run", form: str) -> str:
        """Write the facts as a list, or as data."""
        from tokbench_views.answer import answer
        from tokbench_views.answer.fact import plain

        if form == "json":
            return json_text([*map(plain, answer(run))], indent=1) + "\n"
        return "".join(f"- {escaped(fact.text)}\n" for fact in answer(run))


class MeasuredCost(View):
    """The measured cost: each step's seconds and memory, which another run measures anew."""

    file_name: ClassVar[str] = "cost.md"

    def text(self, run: "Run", form: str) -> str:
        """Write the table of steps."""
        from tokbench_views.report import cost_report

        return cost_report(run)


class Cite(View):
    """Signatures with which others can get a number again, and what all share, for a caption.

    bibtex holds tokbench itself and the sources of the metrics instead.
    """

    formats: ClassVar[tuple[str, ...]] = ("md", "json", "bibtex")

    def text(self, run: "Run", form: str) -> str:
        """Write the signatures of each system and size on the first corpus, or the sources."""
        from tokbench_views.references import bibtex
        from tokbench_views.report import citations, signatures

        if form == "bibtex":
            return bibtex(run)
        if form == "json":
            cited, shared = citations(run)
            return json_text({"signatures": cited, "shared": shared}, indent=1) + "\n"
        return signatures(run).strip() + "\n"


class OneTable(View):
    """One table of systems: by metric, or one metric by size, corpus or subset.

    A metric without a value on the main corpus is shown in a table of its own corpus. csv and json
    hold the row of results.csv for each number. A caption names what all signatures share.
    """

    formats: ClassVar[tuple[str, ...]] = ("md", "table", "csv", "latex", "json")

    metric: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        (), description="the metrics; without any those of the config, or the most used ones"
    )
    system: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        (), description="the systems; without any all of them"
    )
    rows: Literal["system", "metric"] = Field(
        "system", description="what the rows are; with `metric` the columns are the systems"
    )
    columns: Literal["metric", "size", "corpus", "subset"] = Field(
        "metric", description="what the columns are; with another than `metric` there is one metric"
    )
    corpus: str = Field("", description="the test corpus [default: the first with the metric]")
    subset: str = Field("all", description="the words: `all`, `unseen`, `band:1`, ...")
    size: str = Field("", description="the vocabulary size [default: the largest common one]")

    def text(self, run: "Run", form: str) -> str:
        """Write the table."""
        from tokbench_views.tables import written

        if self.rows == "metric" and self.columns != "metric":
            raise UsageError("--rows: with metrics as rows the systems are the columns")
        return written(run, self, form)


class Summary(View):
    """What ends a run: the answer in few lines, then each system by listed or headline metrics."""

    formats: ClassVar[tuple[str, ...]] = ("table",)

    folder: str = Field("RUN", description="the run's folder, as commands in the text name it")

    def text(self, run: "Run", form: str) -> str:
        """Write what fits of the answer, and the table."""
        from tokbench_views.tables import ending

        return ending(run, self.folder)


class Oov(View):
    """Out of vocabulary: what is unseen and why, and how systems cut rare and special words.

    csv holds all numbers on unseen, rare and special words and on pairs: those of results.csv that
    are not of all words. json holds them as `numbers`, and the rows of `unseen` and `growth`.
    """

    formats: ClassVar[tuple[str, ...]] = ("md", "csv", "json")

    def text(self, run: "Run", form: str) -> str:
        """Write the section of the report, or its numbers by system."""
        from tokbench.run_folder import Row, columns, records
        from tokbench_views.oov import oov

        if form == "md":
            return oov(run).strip("\n")
        numbers = records(row for row in run.rows if row.metric and row.subset != "all")
        if form == "csv":
            return Table.of(numbers, columns(Row)).to("csv")
        tables = {"unseen": records(run.unseen), "growth": records(run.growth), "numbers": numbers}
        return json_text(tables, indent=1) + "\n"


class Sizes(View):
    """Which vocabulary size is enough, by several rules for each metric, and what they mean.

    `table` and `md` show the metrics, then the sizes. `csv` and `json` hold the metrics, or with
    `by-size` the sizes, with every digit.
    """

    formats: ClassVar[tuple[str, ...]] = ("table", "md", "csv", "json")

    tolerance: float = Field(
        0.01, ge=0, lt=1,
        description="the share of the best value by which a value that is good enough may differ",
    )  # fmt: skip
    system: str = Field("", description="only this system")
    corpus: str = Field("", description="only this test corpus")
    by_size: bool = Field(
        False, description="only the statistics of each size in the training text, not the metrics"
    )

    def text(self, run: "Run", form: str) -> str:
        """Write the advice, if there is any, then the sizes."""
        from tokbench_views.sizes import sizes_view

        if self.by_size and self.corpus:
            raise UsageError("--corpus: with --by-size there is none: leave out one of the two")
        return sizes_view(run, self, form)


class ByText(View):
    """Each test text beside the others: tokens per word and per byte, what cannot be written.

    Texts whose lines say the same have a parity, and the Gini coefficient over all of them. With
    `model` in the config: parameters of each size, and words that fit into the context. csv and
    json hold all sizes.
    """

    formats: ClassVar[tuple[str, ...]] = ("md", "csv", "json")

    def text(self, run: "Run", form: str) -> str:
        """Write the sections, or the numbers."""
        from tokbench_views.by_text import texts_view

        return texts_view(run, form)


class OwnScores(View):
    """Your own scores of models beside the metrics, and how well each metric orders the models.

    The file is a CSV file with the columns system, size, score and seed. Without one the view is a
    table to fill in. csv holds the rank correlations, json also the scores with each metric.
    """

    formats: ClassVar[tuple[str, ...]] = ("md", "table", "csv", "json")

    from_: Path | None = Field(  # no InputFile, which is looked for among the models too
        None, description="the CSV file: system, size, score, and seed if several"
    )

    def text(self, run: "Run", form: str) -> str:
        """Write the correlations and the scores."""
        from tokbench_views.scores import scores_view

        file = None if self.from_ is None else InputFile(str(self.from_), self.from_)
        return scores_view(run, file, form)
