"""What was compared, and how to read the tables."""

import regex

from tokbench.config import Corpus
from tokbench.corpora.load import TestCorpus
from tokbench.report.table import code, escaped, markdown_table
from tokbench.runner.run import Outcome, Run
from tokbench.runner.signature import system_signature, treatment

READING = """
How to read the tables: {learned} After a value stands its 95 % interval, from
{resamples} bootstrap resamples of the test text. {marks} An empty cell is undefined or was not
measured; it is never zero. {contexts}
`results.csv` holds more: every metric on every corpus and subset. There is no overall rank: which
number matters depends on the use.
"""
SAME = (
    "Each system learned its vocabulary from the same training text and was scored on text that it "
    "did not learn from."
)
READY_MADE = (
    "{systems} learned elsewhere, from text that is not known here and may hold the test text; "
    "they are compared as they are, not under the same conditions."
)
TOTALS = "A column is the vocabulary size |V| that was asked for."
LEARNED = (
    "A column is the number of learned items (merges, for byte pair encoding) that was asked for; "
    "the size |V| differs by system, since alphabets do."
)
BESIDE = "What stands as *(isolated)* is compared with the same system in context."
MARKS = (
    "▲ and ▼ mark a value significantly above or below the baseline's, *{baseline}*, at the same "
    "size (paired resamples, Holm's correction over the systems, 5 %); whether above is better, "
    "each table says."
)
ISOLATED = "Words are cut one by one, without the space before them (*isolated*)."
IN_CONTEXT = (
    "Systems *in-context* cut whole lines of running text, spaces and all, and a token counts for "
    "the word that it covers; the others, and all words of lists, are cut one by one, without the "
    "space before them (*isolated*)."
)
NO_MARKS = "There is no baseline, so no differences are tested."
UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{2}")
RUNS = (
    "\n*{corpora}*: text in a script that puts no spaces between words (Chinese, Japanese, Thai, "
    "...) was split into runs of letters, not into words: read numbers a word as numbers a run.\n"
)


def overview(run: Run) -> str:
    """Say what was compared, on what, and what went wrong."""
    experiment, train = run.experiment, run.corpora.train
    corpora = markdown_table(
        ("corpus", "kind", "split by", "treatment", "words", "distinct", "lines", "unseen words",
         "of the distinct"),
        [_training(run), *(_corpus(run, test) for test in run.corpora.tests)],
        right=4,
        verbatim=True,
    )  # fmt: skip
    systems = markdown_table(("system", "components", "context", "|V| reached"), _systems(run))
    return (
        f"# Tokenizer comparison: {escaped(experiment.path.stem)}\n\n"
        f"The training text is *{escaped(train.name)}*. Words of a test corpus that never "
        "stand in it are unseen, the same for every system.\n\n"
        f"{corpora}{_runs(run)}\n{systems}{_reading(run)}{_problems(run)}"
    )


def _reading(run: Run) -> str:
    experiment = run.experiment
    kinds = [
        sentence
        for sentence, used in (
            (TOTALS, any(o.size and o.size.total is not None for o in run.outcomes)),
            (LEARNED, any(o.size and o.size.learned is not None for o in run.outcomes)),
        )
        if used
    ]
    marks = NO_MARKS
    if experiment.baseline is not None:
        marks = MARKS.format(baseline=escaped(experiment.baseline))
    if any(outcome.beside for outcome in run.outcomes):
        marks += f" {BESIDE}"
    contexts = any(outcome.context == "in-context" for outcome in run.outcomes)
    return READING.format(
        resamples=experiment.resamples,
        marks=marks,
        learned=" ".join([*_learned(run), *kinds]),
        contexts=IN_CONTEXT if contexts else ISOLATED,
    )


def _learned(run: Run) -> list[str]:
    """Say which systems learned from the training text, and which came ready-made."""
    systems = run.experiment.systems
    ready = [system.name for system in systems if system.learner.reads == "nothing"]
    found = [SAME] if len(ready) < len(systems) else []
    if ready:
        found.append(READY_MADE.format(systems=escaped(", ".join(ready))))
    return found


def _training(run: Run) -> tuple[str, ...]:
    train = run.corpora.train
    return (
        escaped(train.name),
        "training",
        code(train.words_by, in_table=True),
        _treatment(run.experiment.train),
        f"{train.running:,}",
        f"{len(train.words):,}",
        "",
        "",
        "",
    )


def _corpus(run: Run, test: TestCorpus) -> tuple[str, ...]:
    experiment, words = run.experiment, test.words
    given = {**experiment.tests, **experiment.lists, **experiment.gold}[test.name]
    unseen = words.train_count == 0
    running = int(words.count.sum())
    return (
        escaped(test.name),
        test.kind,
        code(test.words_by, in_table=True),
        _treatment(given),
        f"{running:,}",
        f"{len(words):,}",
        f"{len(words.lines) - 1:,}",
        f"{float(words.count[unseen].sum()) / running:.1%}",
        f"{float(unseen.mean()):.1%}",
    )


def _treatment(corpus: Corpus) -> str:
    options = treatment(corpus)
    return code(options, in_table=True) if options else ""


def _runs(run: Run) -> str:
    """Say where words are runs, because their script does not separate them."""
    texts = [
        test.name
        for test in run.corpora.tests
        if test.kind == "text" and any(UNSPACED.search(word) for word in test.words.text)
    ]
    return RUNS.format(corpora=escaped(", ".join(texts))) if texts else ""


def _systems(run: Run) -> list[tuple[str, str, str, str]]:
    rows = []
    for system in run.experiment.systems:
        outcomes = [o for o in run.outcomes if o.system is system]
        reached = [_reached(o) for o in outcomes if not o.beside]
        contexts = " and ".join(dict.fromkeys(o.context for o in outcomes))
        failed = (f"system {system.name}: ", f"system {system.name} at size ")
        missing = "failed" if any(f.startswith(failed) for f in run.failures) else "left out"
        shown = ", ".join(reached) or missing
        rows.append((system.name, system_signature(system), contexts, shown))
    return rows


def _reached(outcome: Outcome) -> str:
    """Say the size of a vocabulary, with what was asked for or what its library says of it."""
    vocabulary = outcome.vocabulary
    notes = []
    if outcome.size_label not in ("", str(vocabulary.size)):
        notes.append(f"asked {outcome.size_label}")
    if vocabulary.declared is not None and vocabulary.declared != vocabulary.size:
        notes.append(f"its library says {vocabulary.declared}")
    return f"{vocabulary.size}" + (f" ({', '.join(notes)})" if notes else "")


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
