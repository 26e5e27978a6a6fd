"""Out of vocabulary: what is unseen and why, and how each system cuts rare and special words."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from tokbench.printing import NARROW_MEANS, Table, escaped, integer, percent, prose, rounded
from tokbench.run_folder import (
    BAND,
    COMMON,
    NEW,
    PERTURBED,
    CorpusRecord,
    MetricRecord,
    OutcomeRecord,
    Row,
    Run,
    Subset,
)
from tokbench_views.examples import EXTREMES, best_and_worst, unwritable
from tokbench_views.metric_tables import show
from tokbench_views.shared import (
    KINDS,
    agreeing,
    first_of_learners,
    first_test,
    largest,
    rows_of,
    signs,
    unlike_training,
)

Values = Mapping[tuple[str, str], Row]
"""The rows of a metric, by the label of the system and the subset."""

TITLE = """
## Unseen, rare and special words
"""
UNSEEN = """
A word is *unseen* if it does not occur in the training text. That is a property of the two texts,
the same for every system. What a system does with such words is shown below.
"""
BANDS = """
### By frequency

Tokens per word, and in brackets tokens per character, by how often words occur in the training text
(*pm*: in a million of its words). Rare words are longer, so the second number tells whether a
system also cuts them finer. Each system is shown at its largest size.
"""
READY_MADE = """
The bands count occurrences in *your* training text. {systems}: trained on other text.
"""
CATEGORIES = """
### By category

Lists and gold words, cut by {systems}, each at its largest size. Of more than {most} systems the
first of each learner is shown; `results.csv` holds all. Systems that agree share a line. Measures
that are 0 or undefined in all lines are left out. *new*: gold words that no training word holds,
of two or more morphemes, each of which two or more training words hold.
"""
NOISE = """
### Under noise

How the tokens of words change when the words do, by kind of change, each system at its largest
size.

{meanings}"""
GROWTH = """
### Growth

What changes with the amount of training text, by share of its words: the unseen words, then tokens
per word on all words and, in brackets, on those that the whole text lacks, each system at its
largest size. Empty: the share is too little text for this size, or the system learns nothing.
"""
UNWRITABLE = """
### Characters that a system cannot write

Characters in words that are not known, which no token of the vocabulary holds.
"""
SIDE_BY_SIDE = """
**Kinds side by side**: {label} on the {words} words that all of them change.
"""
MOST_SYSTEMS = 6
FERTILITY, CHANGED = "fertility", "token-edit-distance"
MEASURES = (
    "oov-words-running", "unknown-characters", FERTILITY, "kept-whole-running",
    "single-characters", "boundary-kappa",
)  # fmt: skip


def oov(run: Run) -> str:
    """Write the section: what is unseen and why, then a table for each way to group words."""
    tests = run.record.tests
    texts = [test for test in tests if test.kind == "text"]
    with_words = () if run.is_without_text else tests
    pairs = [test for test in with_words if test.kind == "pairs"]
    entries = [test for test in with_words if test.kind in ("list", "gold")]
    systems = ", ".join(outcome.label for outcome in first_of_learners(run, MOST_SYSTEMS))
    categories = CATEGORIES.format(systems=escaped(systems), most=MOST_SYSTEMS)
    labels = run.record.labels
    meanings = (f"- *{escaped(labels[m.name])}*: {prose(m.meaning)}\n" for m in _noise_metrics(run))
    noise = NOISE.format(meanings="".join(meanings))
    parts = [
        _unseen(run, tests),
        _bands(run, texts, largest(run)),
        _by_corpus(run, categories, entries, _category_table),
        _by_corpus(run, noise, pairs, _noise_table),
        _side_by_side(run, pairs),
        _by_corpus(run, GROWTH, texts, _growth_table),
        _by_corpus(run, f"\n### The worst and the best\n{EXTREMES}", texts, best_and_worst),
        _by_corpus(run, UNWRITABLE, [] if run.is_without_text else texts, unwritable),
    ]
    return f"{TITLE}{''.join(parts)}" if any(parts) else ""


def short_oov(run: Run) -> str:
    """Write of the section what the report has: the first text, and its words by frequency."""
    test = first_test(run, "text")
    texts = [test] if test else []
    text = _unseen(run, texts) + _bands(run, texts, first_of_learners(run))
    return f"{TITLE}{text}" if text else ""


def _by_corpus(
    run: Run, about: str, tests: Iterable[CorpusRecord], write: Callable[[Run, CorpusRecord], str]
) -> str:
    """Write what there is of each corpus under its name; nothing where there is none."""
    parts = {test.name: write(run, test) for test in tests}
    text = "".join(f"\n**{escaped(name)}**\n\n{part}" for name, part in parts.items() if part)
    return text and about + text


def _unseen(run: Run, tests: Sequence[CorpusRecord]) -> str:
    described = [test for test in tests if run.unseen and test.kind != "pairs"]
    text = UNSEEN if described else ""
    return text + "".join(f"\n{unseen_paragraph(run, test)}\n" for test in described)


def unseen_paragraph(run: Run, test: CorpusRecord) -> str:
    """Say how many words of a corpus are unseen, how many one expects, and of which kinds."""
    every, *kinds = (row for row in run.unseen if row.corpus == test.name)
    text = f"**{escaped(test.name)}**: {integer(every.words_running)} of {integer(test.running)} "
    text += "words never occur in the training text "
    text += f"({percent(every.share_running, 1)}"
    if every.low is not None and every.high is not None:
        text += f", 95 % interval {percent(every.low, 1)} to {percent(every.high, 1)}"
        text += f", {NARROW_MEANS}" * bool(every.short_text)
    if every.good_turing is not None:
        text += f"; about {percent(every.good_turing, 1)} would be normal, by Good-Turing"
    text += ")."
    between = unlike_training(run, every)
    if every.good_turing is not None and between is not None:
        text += f" Between tenths of the training text it is {percent(between, 1)}: the test text "
        text += "is less like the training text than its parts are like each other."
    shares = [
        f"{KINDS[row.kind]} {integer(row.words_running)} "
        f"({percent(row.words_running / every.words_running, 1)})"
        for row in kinds
        if row.words_running
    ]
    if shares:
        text += f" By kind, as they look: {', '.join(shares)}."
        text += " Kana and Chinese characters have no rule for endings." * test.unspaced
    return text


def _bands(run: Run, texts: Sequence[CorpusRecord], systems: Sequence[OutcomeRecord]) -> str:
    if run.is_without_text:
        return ""
    ready = ", ".join(system.name for system in run.record.systems if system.reads == "nothing")
    about = BANDS + (READY_MADE.format(systems=escaped(ready)) if ready else "")
    return _by_corpus(run, about, texts, partial(_band_table, systems))


def _band_table(systems: Sequence[OutcomeRecord], run: Run, test: CorpusRecord) -> str:
    """Show a text's bands as columns: their words, then tokens per word of each system."""
    words = run.words(test.name)
    bands = {name: mask for name, mask in words.groups.items() if Subset.parse(name).family == BAND}
    bands.pop("band:0", None)  # older runs have it, equal to the unseen words
    if bands and words.unseen.any():
        bands = {"unseen": words.unseen, **bands}
    titles = [f"seen {Subset.parse(band).name or 0}" for band in bands]
    sizes = {band: int(words.count[mask].sum()) for band, mask in bands.items()}
    characters = {
        band: float((words.count * words.chars)[mask].sum() / sizes[band])
        for band, mask in bands.items()
    }
    values = _values(run, test, FERTILITY)
    labels = [outcome.label for outcome in systems if (outcome.label, "all") in values]

    def shown(row: Row | None, band: str) -> str:
        if row is None or row.value is None:
            return ""
        text = rounded(row.value, 2) + signs(run, row)
        return f"{text} ({rounded(row.value / characters[band], 2)})"

    lines = [
        ("", "words", *map(integer, sizes.values())),
        ("", "characters per word", *(rounded(mean, 2) for mean in characters.values())),
        *(
            (
                label,
                run.record.labels[FERTILITY],
                *(shown(values.get((label, band)), band) for band in bands),
            )
            for label in labels
        ),
    ]
    return Table(("system", "", *titles), lines, right=2).to("md") if bands and labels else ""


def _category_table(run: Run, test: CorpusRecord) -> str:
    """Show the categories of a list or of gold words, in each what systems do with them."""
    words, labels = run.words(test.name), _labels(run)
    sizes = {"all": ("all words", len(words))}
    for name in test.categories:
        sizes[str(Subset("category", name))] = name, (words.category or ()).count(name)
    if test.kind == "gold":
        mask = words.groups.get(NEW)
        sizes[NEW] = NEW, 0 if mask is None else int(mask.sum())
    values = {metric: _values(run, test, metric) for metric in MEASURES}
    shown = {
        run.record.labels[metric]: rows
        for metric, rows in values.items()
        if any(row.value and of in labels and at in sizes for (of, at), row in rows.items())
    }
    rows = [
        (name, systems, integer(size), *cells)
        for subset, (name, size) in sizes.items()
        for systems, cells in _agreeing_systems(run, subset, shown)
    ]
    return Table(("category", "system", "n", *shown), rows, right=2).to("md") if shown else ""


def _noise_table(run: Run, test: CorpusRecord) -> str:
    """Show what each kind of change does to the tokens of each system."""
    metrics = [metric.name for metric in _noise_metrics(run)]
    values = {metric: _values(run, test, metric) for metric in metrics}
    rows = [
        (Subset.parse(subset).name, systems, integer(len(words)), *cells)
        for subset, words in _changed_words(run, test, PERTURBED).items()
        for systems, cells in _agreeing_systems(run, subset, values)
        if any(cells)
    ]
    titles = [run.record.labels[metric] for metric in metrics]
    return Table(("kind", "system", "words", *titles), rows, right=2).to("md") if rows else ""


def _noise_metrics(run: Run) -> list[MetricRecord]:
    return [metric for metric in run.record.metrics if metric.family == "noise"]


def _labels(run: Run) -> list[str]:
    return [outcome.label for outcome in first_of_learners(run, MOST_SYSTEMS)]


def _agreeing_systems(
    run: Run, subset: str, values: Mapping[str, Values]
) -> list[tuple[str, tuple[str, ...]]]:
    """Return what is shown of each measure on a subset, joined for systems that agree in all."""
    return agreeing(
        (
            label,
            tuple(show(run, of.get((label, subset)), intervals=False) for of in values.values()),
        )
        for label in _labels(run)
    )


def _changed_words(run: Run, test: CorpusRecord, family: str) -> dict[str, frozenset[str]]:
    """Return the originals of the pairs of each subset of a family."""
    words = run.words(test.name)
    assert words.pairs is not None
    return {
        name: frozenset(words.text[i] for i in words.pairs.original[mask].tolist())
        for name, mask in words.groups.items()
        if Subset.parse(name).family == family
    }


def _side_by_side(run: Run, pairs: Sequence[CorpusRecord]) -> str:
    """Compare kinds on the words that all of them change, where there are several kinds."""
    kinds: dict[frozenset[str], list[tuple[str, str, Values]]] = {}
    for test in pairs:
        values = _values(run, test, CHANGED)
        for subset, words in _changed_words(run, test, COMMON).items():
            kind = Subset.parse(subset).name
            title = kind if kind == test.name else f"{kind} ({test.name})"
            kinds.setdefault(words, []).append((title, subset, values))
    text = ""
    title = run.record.labels[CHANGED]
    for words, columns in kinds.items():
        rows = [
            (label, *(show(run, v.get((label, at)), intervals=False) for _, at, v in columns))
            for label in _labels(run)
        ]
        table = Table(("system", *(title for title, _, _ in columns)), rows, right=1).to("md")
        text += f"{SIDE_BY_SIDE.format(label=title, words=integer(len(words)))}\n{table}"
    return text


def _growth_table(run: Run, test: CorpusRecord) -> str:
    """Show what changes with the training text, its shares as columns."""
    growth = [row for row in run.growth if row.corpus == test.name]
    length_of_words = run.record.labels[FERTILITY]
    by_share = [_values(run, test, FERTILITY, row.training_share) for row in growth]

    def length(label: str, values: Values) -> str:
        shown = [show(run, values.get((label, at)), intervals=False) for at in ("all", "unseen")]
        return f"{shown[0]} ({shown[1]})" if all(shown) else shown[0]

    lines = [
        ("", "training words", *(integer(row.training_words) for row in growth)),
        ("", "distinct training words", *(integer(row.training_distinct) for row in growth)),
        ("", "unseen words", *(percent(row.share_running, 1) for row in growth)),
        (
            *("", "expected (Good-Turing)"),
            *("" if row.good_turing is None else percent(row.good_turing, 1) for row in growth),
        ),
        *(
            (outcome.label, length_of_words, *(length(outcome.label, v) for v in by_share))
            for outcome in largest(run)
        ),
    ]
    columns = ("system", "", *(f"{row.training_share:g}" for row in growth))
    rows = [line for line in lines if any(line[2:])]
    return Table(columns, rows, right=2).to("md") if rows else ""


def _values(run: Run, test: CorpusRecord, metric: str, share: float = 1.0) -> Values:
    """Return the rows of a metric at the largest sizes, each system in its own context."""
    rows = (
        row
        for row in run.rows
        if (row.corpus, row.metric, row.training_share) == (test.name, metric, share)
    )
    return rows_of(largest(run), rows, lambda row: row.subset)
