"""The documents of a run: the report, all metrics with all details, and the measured cost."""

from collections.abc import Iterator, Sequence
from statistics import median

from tokbench.printing import (
    NARROW,
    NARROW_MEANS,
    PUNCTUATION_COUNTS,
    Table,
    code,
    escaped,
    integer,
    number,
    rounded,
)
from tokbench.run_folder import CorpusRecord, OutcomeRecord, Run
from tokbench_views.answer import answer_section
from tokbench_views.by_text import by_text, in_a_model
from tokbench_views.examples import chosen_words, frequent_splits
from tokbench_views.metric_tables import corpus_tables, curve_tables, family
from tokbench_views.oov import oov, short_oov
from tokbench_views.shared import (
    MOST_SYSTEMS,
    TRAP,
    VOCABULARY_SIZE,
    first_of_learners,
    largest,
    trapped,
    whole_text,
)
from tokbench_views.sizes import short_advice, which_size
from tokbench_views.systems import coverage, gate, health, numbers, tradeoff

TITLE = """## What was compared

"""
READING = """
How to read the tables:

- Columns are sizes as they were asked for, in tokens or, as `merges:1000`, in learned items.
- Brackets hold 95 % intervals, from {resamples} bootstrap resamples of the test text, or how many
  events there are, where a share counts too few. They are about text like this test text, not about
  a whole book or language. {sign}: {narrow}. *sd*: the standard deviation over training samples,
  which are documents of the training text, drawn with replacement.
- {marks} Each table says whether higher or lower is better.
- An empty cell is undefined or was not measured; it is never zero.
- Systems *in-context* cut whole lines, spaces included, and a token counts for the word that it
  covers. All others, and all systems in lists, cut words one by one, without the space before them
  (*isolated*).
- Ready-made systems were trained on other text, which may contain the test text.

There is no overall rank: your use decides which number matters.
"""
MARKS = (
    "▲ and ▼ mark a value that is significantly above or below the baseline's, *{baseline}*, at the"
    " same size (paired resamples, Holm's correction over the systems, 5 %), in all training"
    " samples."
)
NO_MARKS = "There is no baseline, so no differences are tested."
TRAINED_ON = (
    "The training text is *{training}*. Words of a test corpus that do not occur in it are unseen. "
    "They are the same for every system.\n\n"
)
LEFT_OUT = (
    "\nOf more than {most} systems, some tables show the first of each learner: {missing} are left "
    "out. `data/metrics.md` and `data/coverage.csv` have them.\n"
)
RUNS = (
    "\n*{corpora}*: this text contains a script without spaces between words (Chinese, Japanese, "
    "Thai, ...). It was split into runs of letters, not into words. Read numbers per word as "
    "numbers per run.\n"
)
MORE = """
## More

`data/metrics.md` has every metric at all sizes and the details of this report; `report.html` the
same numbers as charts; `results.csv` all numbers. `tokbench show RUN cite` prints the signatures
with which to cite a number.
"""
SIGNATURES = """
## Signatures

Cite a number with its signature. The signature names everything that the number depends on:
components with options that differ from their defaults, size, corpora with the first digits of
their SHA-256, scoring words, metric, resampling, versions. These are the signatures for {corpus}.
`data/signatures.csv` holds the parts of all signatures.

{lines}
In a caption of a table that names systems and sizes, what all of them share is enough:

{shared}
"""
COST = (
    "# Measured cost\n\n## Steps\n\n"
    "If smaller vocabularies can be cut from a larger one, a system learns "
    "once, at its largest size. The peak memory is that of the whole process, from its start "
    "to the end of the step. The seconds were measured once, on one machine (see `run.json`): "
    "compare them as ratios. A step that is marked `cached` took its result, or a part of it, from "
    "an earlier run or from another system of this one, so its seconds are not those of the work: "
    "`tokbench run --fresh` takes nothing from earlier runs.\n\nAll steps: {total} s.\n\n"
)
SPEED = """
## Speed

{meaning}

"""
SPEED_MEANS = (
    "How fast each system cuts the first text at its largest size, tokbench's checks included: the "
    "median of five repetitions, and their range. Systems that work in context cut whole lines, "
    "all others distinct words. A request is the first 12 words of a line."
)


def report(run: Run) -> str:
    """Write the report: the answer, what was compared, and one table for each question."""
    run = whole_text(run)
    sections = [
        overview(run),
        gate(run),
        short_oov(run),
        corpus_tables(run),
        by_text(run),
        tradeoff(run),
        short_advice(run),
        in_a_model(run),
        chosen_words(run),
        *(f"\n## {escaped(title)}\n\n{text}" for title, text in run.added.report.items()),
        MORE,
    ]
    text = "\n".join(f"{section.strip()}\n" for section in sections if section)
    title = f"# Tokenizer comparison: {escaped(run.record.name)}\n"
    return f"{title}{answer_section(run, text)}\n{text}"


def cost_report(run: Run) -> str:
    """Write cost.md: each step's seconds, the peak memory at its end, and the speed of cutting."""
    columns = ("system", "step", "size", "seconds", "peak memory, MB", "from where")
    rows = [
        (
            *(c.system, c.step, c.size or "all", rounded(c.seconds, 3)),
            "" if c.peak_mb is None else rounded(c.peak_mb, 0),
            "cached" * c.cached,
        )
        for c in run.record.cost
    ]
    total = sum(cost.seconds for cost in run.record.cost)
    steps = COST.format(total=rounded(total, 2))
    steps += Table(columns, rows, right=2).to("md") if rows else ""
    return steps + (
        SPEED.format(meaning=SPEED_MEANS) + speed_table(run).to("md") if run.record.speeds else ""
    )


def speed_table(run: Run) -> Table:
    """Return how fast each system cuts: MB/s (10^6 bytes) and ms a request, with their ranges."""
    rows = []
    for speed in run.record.speeds:
        megabytes = [speed.cut_bytes / 1e6 / seconds for seconds in speed.cut_seconds]
        milliseconds = [1000 * seconds for seconds in speed.request_seconds]
        size = speed.size or "all"
        rows.append((speed.system, size, _with_range(megabytes), _with_range(milliseconds)))
    return Table(("system", "size", "MB/s", "ms per request"), rows, right=2)


def _with_range(values: Sequence[float]) -> str:
    """Spell the median of values with their range; nothing where there are none."""
    if not values:
        return ""
    return f"{number(median(values))} ({number(min(values))} to {number(max(values))})"


def details(run: Run) -> str:
    """Write coverage, unseen words, health, then one section a metric, sizes and examples."""
    every, run = run, whole_text(run)
    sections = [
        f"# All metrics: {escaped(run.record.name)}\n{reading(run)}",
        coverage(run),
        oov(every),
        health(run),
        numbers(run),
        family(run, "oov", "Out of vocabulary"),
        which_size(run),
        family(run, "segmentation", "Segmentation"),
        family(run, "boundaries", "Boundaries against gold segmentations"),
        curve_tables(run),
        frequent_splits(run),
        signatures(run),
    ]
    return "\n".join(f"{section.strip()}\n" for section in sections if section)


def signatures(run: Run) -> str:
    """List the signatures of each system and size on the first corpus, and what they share."""
    cited, shared = citations(run)
    lines = "".join(f"- {code(signature)}\n" for signature in cited)
    name = escaped(run.record.tests[0].name)
    return SIGNATURES.format(corpus=name, lines=lines, shared=code(shared)) if cited else ""


def citations(
    run: Run, corpus: str = "", metrics: Sequence[str] = ("METRIC",)
) -> tuple[list[str], str]:
    """Return the signatures of each system and size on a corpus, and what they share.

    Without a name it is the first corpus.
    """
    corpus = corpus or run.record.tests[0].name
    rows = [row for row in run.coverage if row.corpus == corpus]
    cited = [run.signed(row, metric) for row in rows for metric in metrics]
    parts = [signature.split("|") for signature in cited]
    shared = [part for part in (parts or [[]])[0] if all(part in own for own in parts)]
    return cited, "|".join(shared)


def overview(run: Run) -> str:
    """Say what was compared, on what, and what went wrong."""
    record = run.record
    training = [corpus.name for corpus in record.corpora if corpus.kind == "training"]
    about = TRAINED_ON.format(training=escaped(training[0])) if training else ""
    facts = [_corpus(corpus, bool(training)) for corpus in record.corpora]
    text = f"{TITLE}{about}{Table.of(facts, right=4).to('md')}"
    if any(corpus.counts_punctuation for corpus in record.corpora):
        text += f"\nIn these counts {PUNCTUATION_COUNTS}.\n"
    if unspaced := [test.name for test in record.tests if test.unspaced]:
        text += RUNS.format(corpora=escaped(", ".join(unspaced)))
    columns = ("system", "components", "context", VOCABULARY_SIZE)
    text += "\n" + Table(columns, [*_systems(run)]).to("md")
    for meaning in sorted({*trapped(run).values()}):
        text += f"\n{TRAP} {meaning}.\n"
    if missing := len(largest(run)) - len(first_of_learners(run)):
        text += LEFT_OUT.format(missing=missing, most=MOST_SYSTEMS)
    warnings = (*record.warnings, *record.notes)
    for title, problems in (("Failures", record.failures), ("Warnings", warnings)):
        if problems:
            text += f"\n{title}:\n\n" + "".join(f"- {escaped(problem)}\n" for problem in problems)
    return text


def reading(run: Run) -> str:
    """Say what columns, brackets and marks mean, and how words are cut."""
    baseline = run.record.baseline
    marks = NO_MARKS if baseline is None else MARKS.format(baseline=escaped(baseline))
    return READING.format(
        resamples=run.record.resamples, sign=NARROW, narrow=NARROW_MEANS, marks=marks
    )


def _corpus(corpus: CorpusRecord, trained: bool) -> dict[str, str]:
    facts = {
        "corpus": corpus.name,
        "kind": corpus.kind,
        "splitter": code(corpus.words_by),
        "normalisation and options": corpus.treatment and code(corpus.treatment),
        "words": integer(corpus.running),
        "distinct words": integer(corpus.distinct),
        "lines": integer(corpus.lines),
    }
    if trained:
        facts["unseen words"] = _share(corpus.unseen, corpus.running)
        facts["unseen distinct words"] = _share(corpus.unseen_distinct, corpus.distinct)
    return facts


def _share(part: int | None, every: int) -> str:
    return "" if part is None else f"{rounded(100 * (part / every), 1)}%"


def _systems(run: Run) -> Iterator[tuple[str, str, str, str]]:
    # A row without a metric says why there are no numbers.
    failed = {row.system for row in run.rows if not row.metric and not row.is_left_out}
    traps = trapped(run)
    for system in run.record.systems:
        outcomes = [o for o in run.record.outcomes if o.system == system.name]
        reached = ", ".join(_reached(o) for o in outcomes if not o.isolated_copy)
        contexts = " and ".join(dict.fromkeys(o.context for o in outcomes))
        missing = "failed" if system.name in failed else "left out"
        sign = f" {TRAP}" * (system.name in traps)
        yield system.name + sign, system.components, contexts, reached or missing


def _reached(outcome: OutcomeRecord) -> str:
    """Say the size of a vocabulary, with what was asked for or what its library says of it."""
    size = outcome.vocabulary_size
    notes = []
    if outcome.size not in ("", str(size)):
        notes.append(f"requested {outcome.size}")
    if outcome.declared is not None and outcome.declared != size:
        notes.append(f"its library reports {outcome.declared}")
    return f"{size}" + (f" ({', '.join(notes)})" if notes else "")
