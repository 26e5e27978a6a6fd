"""What was compared, and how to read the tables."""

from tokbench.corpora.load import TestCorpus
from tokbench.report.table import escaped, markdown_table
from tokbench.runner.run import Run
from tokbench.runner.signature import system_signature

READING = """
How to read the tables: each system learned its vocabulary from the same training text and was
scored on text that it did not learn from. A column is the vocabulary size |V| asked for. After a
value stands its 95 % interval, from {resamples} bootstrap resamples of the test text. ▲ and ▼ mark
a value significantly above or below the baseline's, *{baseline}*, at the same size (paired
resamples, Holm's correction over the systems, 5 %); whether above is better, each table says.
An empty cell is undefined or was not measured; it is never zero. Words are cut one by one, without
the space before them (*isolated*). `results.csv` holds more: every metric on every corpus and
subset. There is no overall rank: which number matters depends on the use.
"""


def overview(run: Run) -> str:
    """Say what was compared, on what, and what went wrong."""
    experiment, train = run.experiment, run.corpora.train
    reading = READING.format(
        resamples=experiment.resamples, baseline=escaped(experiment.baseline or "none")
    )
    corpora = markdown_table(
        ("test corpus", "kind", "words", "distinct", "lines", "unseen words", "of the distinct"),
        [_corpus(test) for test in run.corpora.tests],
        right=2,
    )
    systems = markdown_table(("system", "components", "|V| reached"), _systems(run))
    return (
        f"# Tokenizer comparison: {escaped(experiment.path.stem)}\n\n"
        f"Training text: {escaped(train.name)}, {train.running:,} running words, "
        f"{len(train.words):,} distinct. Unseen words never stand in it; they are the same for "
        f"every system.\n\n{corpora}\n{systems}{reading}{_problems(run)}"
    )


def _corpus(test: TestCorpus) -> tuple[str, ...]:
    words = test.words
    unseen = words.train_count == 0
    running = int(words.count.sum())
    return (
        test.name,
        test.kind,
        f"{running:,}",
        f"{len(words):,}",
        f"{len(words.lines) - 1:,}",
        f"{float(words.count[unseen].sum()) / running:.1%}",
        f"{float(unseen.mean()):.1%}",
    )


def _systems(run: Run) -> list[tuple[str, str, str]]:
    rows = []
    for system in run.experiment.systems:
        reached = [
            f"{o.vocabulary.size}"
            if o.size_label in ("", str(o.vocabulary.size))
            else f"{o.vocabulary.size} (asked {o.size_label})"
            for o in run.outcomes
            if o.system is system
        ]
        rows.append((system.name, system_signature(system), ", ".join(reached) or "failed"))
    return rows


def _problems(run: Run) -> str:
    lists = {
        "Failures": run.failures,
        "Warnings": (*run.experiment.warnings, *run.corpora.warnings, *run.notes),
    }
    return "".join(
        f"\n{title}:\n\n" + "".join(f"- {escaped(item)}\n" for item in items)
        for title, items in lists.items()
        if items
    )
