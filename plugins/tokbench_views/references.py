"""tokbench and the sources of metrics as BibTeX, from the one file of references."""

import re
from functools import cache
from importlib.resources import files

from tokbench.printing import one_line
from tokbench.run_folder import Run
from tokbench_views.shared import agreeing

TOOL = "tokbench"
ENTRY = re.compile(r"^@\w+\{([^,\n]+),\n.*?^\}$", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  (author|year) = \{(.*)\},$", re.MULTILINE)


def bibtex(run: Run) -> str:
    """Write the entries of tokbench and of the sources of the run's metrics.

    Comments before them say which entries each metric cites; of a source that is not in the file
    they hold the words.
    """
    measured = {row.metric for row in run.rows}
    entries = references()
    sources = {m.name: m.source for m in run.record.metrics if m.source and m.name in measured}
    keys_of = {source: cited(source) for source in sources.values()}
    comments = [
        f"% {metrics}: {', '.join(keys_of[source]) or one_line(source)}\n"
        for metrics, source in agreeing(sources.items())
    ]
    keys = sorted({key for of_source in keys_of.values() for key in of_source})
    tool = entries[TOOL].replace("VERSION", run.record.tokbench)
    return "".join(comments) + "\n" + "\n\n".join([tool, *map(entries.__getitem__, keys)]) + "\n"


@cache
def references() -> dict[str, str]:
    """Return the entries of the file by their keys."""
    text = (files("tokbench_views") / "assets" / "references.bib").read_text("utf-8")
    return {entry[1]: entry[0] for entry in ENTRY.finditer(text)}


def cited(source: str) -> list[str]:
    """Return the keys of the entries that a source names, as `Rust et al. 2021`."""
    return [key for key, entry in references().items() if key != TOOL and named(entry) in source]


def named(entry: str) -> str:
    r"""Return the authors and the year of an entry as texts name them.

    >>> named("  author = {Kudo, Taku and Richardson, John},\n  year = {2018},\n")
    'Kudo and Richardson 2018'
    """
    fields = dict(FIELD.findall(entry))
    names = [author.partition(",")[0] for author in fields["author"].split(" and ")]
    return f"{' and '.join(names) if len(names) < 3 else f'{names[0]} et al.'} {fields['year']}"
