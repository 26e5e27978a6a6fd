"""Out of vocabulary: what is unseen and why, and how each system cuts rare and special words."""

from collections.abc import Iterable, Mapping, Sequence

from tokbench.printing import escaped
from tokbench.run_folder import (
    BAND,
    COMMON,
    NEW,
    PERTURBED,
    CorpusRecord,
    OutcomeRecord,
    Row,
    Run,
    Subset,
)
from tokbench_views.examples import best_and_worst, unwritable
from tokbench_views.metric_tables import show
from tokbench_views.shared import (
    GATED,
    KINDS,
    agreeing,
    another_domain,
    first_of_learners,
    largest,
    record_table,
)
from tokbench_views.spelling import percent, rounded, whole

Records = Sequence[Mapping[str, str]]

TITLE = """
## Unseen, rare and special words
"""
UNSEEN = """
A word is *unseen* if it does not occur in the training text. That is a property of the two texts,
the same for every system. What a system does with such words is shown below.
"""
BANDS = """
### By frequency

Tokens a word, and in brackets tokens a character, by how often words occur in the training text
(*pm*: in a million of its words). Rare words are longer, so the second number tells whether a
system also cuts them finer. Each system is shown at its largest size.
"""
READY_MADE = """
{systems} learned elsewhere: the bands count occurrences in *your* training text, not in theirs.
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
size. *token-edit-distance*: the share of tokens that are others. *boundary-flips*: the share of the
gaps beside the change that are cut anew, or no more; what cuts everywhere or nowhere has 0 without
being robust. *fertility-change*: how many times as many tokens. *lost-whole*: the share of words
that were one token and are one no more.
"""
GROWTH = """
### Growth

What changes with the amount of training text, by share of its words: the unseen words, then tokens
a word on all words and, in brackets, on those that the whole text lacks, each system at its largest
size. Empty: the share is too little text for this size, or the system learns nothing.
"""
EXTREMES = """
### The worst and the best

The five unseen words of four characters or more that all systems together cut finest, then the five
that they cut least, by tokens a character. A token in ⟨ ⟩ is not known.
"""
UNWRITABLE = """
### Characters that a system cannot write

Characters in words that are not known, which no token of the vocabulary holds.
"""
SIDE_BY_SIDE = """
**Kinds side by side**: token-edit-distance on the {words} words that all of them change.
"""
MOST_SYSTEMS = 6
MEASURES = {
    "oov-words-running": "oov words",
    "unknown-characters": "unknown characters",
    "fertility": "tokens a word",
    "kept-whole-running": "kept whole",
    "single-characters": "single characters",
    "boundary-kappa": "boundary-kappa",
}


def oov(run: Run) -> str:
    """Write the section: what is unseen and why, then a table for each way to group words."""
    text = (
        _unseen(run, run.record.tests) + _bands(run, run.record.tests, largest(run)) + _groups(run)
    )
    return f"{TITLE}{text}" if text else ""


def short_oov(run: Run) -> str:
    """Write of the section what the report has: the first text, and its words by frequency."""
    texts = [test for test in run.record.tests if test.kind == "text"][:1]
    text = _unseen(run, texts) + _bands(run, texts, first_of_learners(run))
    return f"{TITLE}{text}" if text else ""


def _unseen(run: Run, tests: Sequence[CorpusRecord]) -> str:
    told = [test for test in tests if run.unseen and test.kind != "pairs"]
    text = UNSEEN if told else ""
    return text + "".join(f"\n{unseen_paragraph(run, test)}\n" for test in told)


def _bands(run: Run, tests: Sequence[CorpusRecord], systems: Sequence[OutcomeRecord]) -> str:
    ready = ", ".join(system.name for system in run.record.systems if system.reads == "nothing")
    about = BANDS + (READY_MADE.format(systems=escaped(ready)) if ready else "")
    return _tables(
        about, {t.name: band_records(run, t, systems) for t in tests if t.kind == "text"}
    )


def _groups(run: Run) -> str:
    """Write the tables by category, under noise, of growth, and of chosen words."""
    tests = run.record.tests
    shown = ", ".join(one.label for one in first_of_learners(run, MOST_SYSTEMS))
    about = CATEGORIES.format(systems=escaped(shown), most=MOST_SYSTEMS)
    entries = [test for test in tests if test.kind in ("list", "gold")]
    text = _tables(about, {test.name: category_records(run, test) for test in entries})
    pairs = [test for test in tests if test.kind == "pairs"]
    text += _tables(NOISE, {test.name: noise_records(run, test) for test in pairs})
    text += _side_by_side(run, pairs)
    grown = [test for test in tests if test.kind == "text" and run.growth]
    text += _tables(GROWTH, {test.name: growth_records(run, test) for test in grown})
    return text + _examples(run, [test for test in tests if test.kind == "text"])


def _examples(run: Run, texts: Sequence[CorpusRecord]) -> str:
    """Show the unseen words that are cut finest and least, and what no system can write."""
    found = {test.name: best_and_worst(run, test.name) for test in texts}
    text = "".join(f"\n**{escaped(name)}**\n\n{table}" for name, table in found.items() if table)
    text = text and EXTREMES + text
    lacking = {test.name: unwritable(run, test.name) for test in texts}
    lists = "".join(f"\n**{escaped(name)}**\n\n{one}" for name, one in lacking.items() if one)
    return text + (lists and UNWRITABLE + lists)


def _tables(about: str, records: Mapping[str, Records]) -> str:
    """Write a table for each corpus that has one; nothing where none has."""
    found = "".join(
        f"\n**{escaped(corpus)}**\n\n{record_table(rows, right=2)}"
        for corpus, rows in records.items()
        if rows
    )
    return found and about + found


def unseen_paragraph(run: Run, test: CorpusRecord) -> str:
    """Say how many words of a corpus are unseen, how many one expects, and of which kinds."""
    every, *kinds = (row for row in run.unseen if row.corpus == test.name)
    text = f"**{escaped(test.name)}**: {whole(every.words_running)} of {whole(test.running)} "
    text += f"words are unseen ({percent(every.share_running, 1)}"
    if every.low is not None and every.high is not None:
        text += f", 95 % interval {percent(every.low, 1)} to {percent(every.high, 1)}"
    text += ")."
    if every.good_turing is not None:
        expected = percent(every.good_turing, 1)
        text += f" From the words that occur once in the training text one expects {expected} "
        text += "(Good-Turing)."
        if another_domain(every):
            text += " The share is more than twice as high: the test text is another domain."
    said = [
        f"{KINDS[row.kind]} {whole(row.words_running)} "
        f"({percent(row.words_running / every.words_running, 1)})"
        for row in kinds
        if row.words_running
    ]
    return f"{text} By kind: {', '.join(said)}." if said else text


def band_records(run: Run, test: CorpusRecord, shown_systems: Sequence[OutcomeRecord]) -> Records:
    """Return a text's bands as columns: their words, then tokens a word of each system."""
    words = run.words(test.name)
    bands = {name: held for name, held in words.groups.items() if Subset.parse(name).family == BAND}
    found = _values(run, test, "fertility")
    sizes = {band: int(words.count[held].sum()) for band, held in bands.items()}
    characters = {
        band: float((words.count * words.chars)[held].sum() / sizes[band])
        for band, held in bands.items()
    }

    def record(system: str, what: str, cells: Mapping[str, str]) -> dict[str, str]:
        titles = {f"seen {Subset.parse(band).name}": text for band, text in cells.items()}
        return {"system": system, "": what, **titles}

    def shown(row: Row | None, band: str) -> str:
        if row is None or row.value is None:
            return ""
        text = rounded(row.value, 2) + GATED * bool(row.gated)
        return f"{text} ({rounded(row.value / characters[band], 2)})"

    systems = {
        one.label: {band: shown(found.get((one.label, band)), band) for band in bands}
        for one in shown_systems
        if (one.label, "all") in found
    }
    if not bands or not systems:
        return []
    return [
        record("", "words", {band: whole(size) for band, size in sizes.items()}),
        record("", "characters a word", {band: rounded(n, 2) for band, n in characters.items()}),
        *(record(label, "tokens a word", cells) for label, cells in systems.items()),
    ]


def category_records(run: Run, test: CorpusRecord) -> Records:
    """Return the categories of a list or of gold words, in each what systems do with them."""
    words, systems = (
        run.words(test.name),
        [one.label for one in first_of_learners(run, MOST_SYSTEMS)],
    )
    sizes = {"all": ("all words", len(words))}
    for name in test.categories:
        sizes[f"category:{name}"] = name, (words.category or ()).count(name)
    if test.kind == "gold":
        held = words.groups.get(NEW)
        sizes[NEW] = NEW, 0 if held is None else int(held.sum())
    values = {
        title: {
            place: row
            for place, row in _values(run, test, metric).items()
            if place[0] in systems and place[1] in sizes
        }
        for metric, title in MEASURES.items()
    }
    kept = {title: rows for title, rows in values.items() if any(r.value for r in rows.values())}

    def cells(place: tuple[str, str]) -> tuple[str, ...]:
        found = (rows.get(place) for rows in kept.values())
        return tuple(show(row, intervals=False) if row else "" for row in found)

    return [
        {"category": name, "system": together, "n": whole(size)}
        | dict(zip(kept, line, strict=True))
        for subset, (name, size) in sizes.items()
        for together, line in agreeing((system, cells((system, subset))) for system in systems)
        if kept
    ]


def noise_records(run: Run, test: CorpusRecord) -> Records:
    """Return what each kind of change does to the tokens of each system."""
    systems, sizes = (
        [one.label for one in first_of_learners(run, MOST_SYSTEMS)],
        _changed_words(run, test, PERTURBED),
    )
    metrics = [metric.name for metric in run.record.metrics if metric.family == "noise"]
    values = {metric: _values(run, test, metric) for metric in metrics}

    def cells(place: tuple[str, str]) -> tuple[str, ...]:
        rows = (found.get(place) for found in values.values())
        return tuple(show(row, intervals=False) if row else "" for row in rows)

    return [
        {"kind": Subset.parse(subset).name, "system": together, "words": whole(len(words))}
        | dict(zip(metrics, line, strict=True))
        for subset, words in sizes.items()
        for together, line in agreeing((system, cells((system, subset))) for system in systems)
        if any(line)
    ]


def _changed_words(run: Run, test: CorpusRecord, family: str) -> dict[str, frozenset[str]]:
    """Return the originals of the pairs of each subset of a family."""
    words = run.words(test.name)
    assert words.pairs is not None
    return {
        name: frozenset(words.text[i] for i in words.pairs.original[held].tolist())
        for name, held in words.groups.items()
        if Subset.parse(name).family == family
    }


def _side_by_side(run: Run, pairs: Sequence[CorpusRecord]) -> str:
    """Compare kinds on the words that all of them change, where there are several kinds."""
    together: dict[frozenset[str], list[tuple[str, str, Mapping[tuple[str, str], Row]]]] = {}
    for test in pairs:
        values = _values(run, test, "token-edit-distance")
        for subset, words in _changed_words(run, test, COMMON).items():
            kind = Subset.parse(subset).name
            title = kind if kind == test.name else f"{kind} ({test.name})"
            together.setdefault(words, []).append((title, subset, values))
    text = ""
    for words, kinds in together.items():
        records = [
            {"system": system.label}
            | {
                title: show(row, intervals=False) if row else ""
                for title, row in ((t, values.get((system.label, s))) for t, s, values in kinds)
            }
            for system in first_of_learners(run, MOST_SYSTEMS)
        ]
        text += f"{SIDE_BY_SIDE.format(words=whole(len(words)))}\n{record_table(records, right=1)}"
    return text


def growth_records(run: Run, test: CorpusRecord) -> Records:
    """Return what changes with the training text, its shares as columns."""
    shares = [row for row in run.growth if row.corpus == test.name]

    def record(system: str, what: str, cells: Iterable[str]) -> dict[str, str]:
        titles = (f"{row.training_share:g}" for row in shares)
        return {"system": system, "": what, **dict(zip(titles, cells, strict=True))}

    def length(label: str, share: float) -> str:
        rows = [values[share].get((label, subset)) for subset in ("all", "unseen")]
        shown = [show(row, intervals=False) if row else "" for row in rows]
        return f"{shown[0]} ({shown[1]})" if all(shown) else shown[0]

    values = {
        row.training_share: _values(run, test, "fertility", row.training_share) for row in shares
    }
    facts = {
        "training words": [whole(row.training_words) for row in shares],
        "distinct training words": [whole(row.training_distinct) for row in shares],
        "unseen words": [percent(row.share_running, 1) for row in shares],
        "expected (Good-Turing)": [
            "" if row.good_turing is None else percent(row.good_turing, 1) for row in shares
        ],
    }
    labels = [one.label for one in largest(run)]
    lengths = {label: [length(label, share) for share in values] for label in labels}
    return [
        *(record("", what, cells) for what, cells in facts.items() if any(cells)),
        *(record(label, "tokens a word", cells) for label, cells in lengths.items() if any(cells)),
    ]


def _values(
    run: Run, test: CorpusRecord, metric: str, share: float = 1.0
) -> dict[tuple[str, str], Row]:
    """Return the rows of a metric by the label of the system, in its own context, and subset."""
    labels = {(one.system, one.size): one.label for one in largest(run)}
    return {
        (labels[row.system, row.size], row.subset): row
        for row in reversed(run.rows)  # of what stands both in context and alone the first counts
        if (row.corpus, row.metric, row.training_share) == (test.name, metric, share)
        and (row.system, row.size) in labels
    }
