"""The whole report, the measured cost, and the short table at the end of a run."""

from dataclasses import replace

from tokbench.printing import aligned_table, code, markdown_table
from tokbench.run_folder import OutcomeRecord, Run
from tokbench_views.coverage import coverage, tradeoff
from tokbench_views.curves import curve_tables
from tokbench_views.examples import frequent_splits, unseen_words
from tokbench_views.health import health, numbers
from tokbench_views.metric_tables import family
from tokbench_views.oov import oov
from tokbench_views.overview import overview
from tokbench_views.shared import GATED, agreeing, headline_metrics, largest
from tokbench_views.sizes import which_size
from tokbench_views.spelling import number, percent

OOV = "oov-words-running"
TOKENS_UNSEEN = "tokens an unseen word"
HEADLINES = (
    "oov-words-running", "fertility", "kept-whole-running", "boundary-f1-micro", "boundary-kappa",
)  # fmt: skip


def report(run: Run) -> str:
    """Write the report: coverage first, then what is unseen and unknown, then the rest."""
    every, run = run, whole_text(run)
    gold = next((test.name for test in run.record.tests if test.kind == "gold"), None)
    sections = [
        overview(run),
        coverage(run),
        oov(every),
        health(run),
        numbers(run),
        family(run, "oov", "Out of vocabulary"),
        tradeoff(run),
        which_size(run.advice, run.sizes, run.record.tests[0].name, gold),
        family(run, "segmentation", "Segmentation"),
        family(run, "boundaries", "Boundaries against gold segmentations"),
        curve_tables(run),
        frequent_splits(run),
        unseen_words(run),
        signatures(run),
    ]
    return "\n".join(section for section in sections if section)


def whole_text(run: Run) -> Run:
    """Return a run without what was learned from a share of the training text."""
    return replace(run, rows=tuple(row for row in run.rows if row.training_share == 1))


def signatures(run: Run) -> str:
    """List one signature for each system, size and context, on the first corpus."""
    test = run.record.tests[0]
    lines = [code(run.signed(row, "METRIC")) for row in run.coverage if row.corpus == test.name]
    return (
        "\n## Signatures\n\nCite a number with its signature. The signature names everything that "
        "the number depends on: components with options that differ from their defaults, size, "
        "corpora with the first digits of their SHA-256, scoring words, metric, resampling, "
        f"versions. These are the signatures for {test.name}. `signatures.csv` holds the parts of "
        "all signatures.\n\n" + "".join(f"- {line}\n" for line in lines)
    )


def cost_report(run: Run) -> str:
    """Write cost.md: each step's seconds, and the peak memory of the process at its end."""
    rows = [
        (cost.system, cost.step, cost.size or "all", f"{cost.seconds:.3f}", f"{cost.peak_mb:.0f}")
        for cost in run.record.cost
    ]
    total = sum(cost.seconds for cost in run.record.cost)
    head = ("system", "step", "size", "seconds", "peak memory, MB")
    return (
        "# Measured cost\n\nIf smaller vocabularies can be cut from a larger one, a system learns "
        "once, at its largest size. The peak memory is that of the whole process, from its start "
        "to the end of the step. The seconds were measured once, on one machine (see `run.json`): "
        f"compare them as ratios.\n\nAll steps: {total:.2f} s.\n\n"
        + markdown_table(head, rows, right=2)
    )


def summary(run: Run) -> str:
    """Show each system at its largest size: a few headline metrics, or the first that there are."""
    run = whole_text(run)
    measured = {row.metric for row in run.rows}
    names = [metric.name for metric in run.record.metrics if metric.name in measured]
    wanted = headline_metrics(HEADLINES, names)
    # Reversed, so that the first corpus of a metric counts; and of what stands both in context and
    # alone the first, which is the system's own.
    corpora = {row.metric: row.corpus for row in reversed(run.rows)}
    found = {
        (row.system, row.size, row.metric, row.subset): row
        for row in reversed(run.rows)
        if row.corpus == corpora[row.metric]
    }
    # Pairs of one kind have no other subset.
    subsets = {key[2]: key[3] for key in found} | {
        key[2]: "all" for key in found if key[3] == "all"
    }
    columns = {name: (name, subsets[name]) for name in wanted}
    unseen = {key[:2]: row for key, row in found.items() if key[2:] == ("fertility", "unseen")}
    known = [found.get((*key, OOV, "all")) for key, row in unseen.items() if not row.gated]
    if OOV in columns and unseen and len({number(row.value) for row in known if row}) <= 1:
        # All that can be compared agree, so that another number tells more.
        columns = {TOKENS_UNSEEN if n == OOV else n: c for n, c in columns.items()}
        columns[TOKENS_UNSEEN] = "fertility", "unseen"

    def shown(outcome: OutcomeRecord, column: tuple[str, str]) -> str:
        row = found.get((outcome.system, outcome.size, *column))
        return "" if row is None else number(row.value) + GATED * bool(row.gated)

    rows = [
        (one.system, str(one.vocabulary_size), *(shown(one, of) for of in columns.values()))
        for one in largest(run)
    ]
    chosen = [(title, corpora[metric]) for title, (metric, _) in columns.items()]
    where = "; ".join(f"{metrics}: {corpus}" for metrics, corpus in agreeing(chosen))
    text = aligned_table(("system", "|V|", *columns), rows) + (f"({where})" if where else "")
    if any(GATED in cell for row in rows for cell in row[2:]):
        gate = percent(run.record.gate)
        text += f"\n({GATED}: more than {gate} of the words are unknown or lossy: not comparable)"
    return text
