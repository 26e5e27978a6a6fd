"""Words to look at: the frequent ones that are split most, and unseen ones in all systems."""

from collections.abc import Sequence

import numpy as np

from tokbench.api import Segmentation
from tokbench.report.choose import largest, main_corpus
from tokbench.report.table import code, escaped, markdown_table
from tokbench.runner.run import Outcome, Run

SPLIT_WORDS = 15
FREQUENT = 2
UNSEEN_WORDS = 12


def frequent_splits(run: Run) -> str:
    """Show the words of the main corpus that cost a system most extra tokens.

    The system is the baseline, or the first one where there is no baseline with results.
    """
    outcomes = largest(run)
    chosen = [o for o in outcomes if o.system.name == run.experiment.baseline] or outcomes[:1]
    if not chosen:
        return ""
    corpus, outcome = main_corpus(run), chosen[0]
    segmentation = outcome.segmentations[corpus.name]
    count = segmentation.count
    extra = np.where(count >= FREQUENT, count * (segmentation.tokens - 1), 0)
    order = np.lexsort((np.arange(len(extra)), -extra))
    rows = [
        (str(count[s]), str(extra[s]), shown(segmentation, int(s)))
        for s in order[:SPLIT_WORDS]
        if extra[s] > 0
    ]
    title = f"\n## Frequent words that {escaped(outcome.system.name)} splits most\n"
    if not rows:
        return title + f"\nNo word that occurs twice in {corpus.name} is split.\n"
    head = ("count", "extra tokens", "tokens")
    return (
        f"{title}\nOn {corpus.name}, at size {outcome.size_label or outcome.vocabulary.size}: "
        "words that occur at least twice, by the tokens that they cost beyond one a word.\n\n"
        + _table(head, rows)
    )


def unseen_words(run: Run) -> str:
    """Show a sample of words that the training text does not hold, cut by every system."""
    text = ""
    for corpus in run.corpora.tests:
        unseen = np.flatnonzero(corpus.words.train_count == 0)
        if len(unseen) and run.outcomes:
            picks = np.unique(np.linspace(0, len(unseen) - 1, UNSEEN_WORDS).astype(int))
            rows = [
                row for word in unseen[picks] for row in _cuts(largest(run), corpus.name, int(word))
            ]
            text += f"\n**{corpus.name}**\n\n" + _table(("word", "tokens", "systems"), rows)
    if not text:
        return ""
    return (
        "\n## Unseen words, side by side\n\nA sample spread evenly over each test corpus, every "
        "system at its largest size; systems that agree share a line. ⟨ ⟩ holds a token that the "
        "vocabulary does not know.\n" + text
    )


def _cuts(outcomes: list[Outcome], corpus: str, word: int) -> list[tuple[str, str, str]]:
    systems: dict[str, list[str]] = {}
    text = ""
    for outcome in outcomes:
        segmentation = outcome.segmentations[corpus]
        text = segmentation.words.text[word]
        state = int(np.flatnonzero(segmentation.word == word)[0])
        systems.setdefault(shown(segmentation, state), []).append(outcome.system.name)
    return [
        (code(text, in_table=True) if i == 0 else "", cut, ", ".join(names))
        for i, (cut, names) in enumerate(systems.items())
    ]


def shown(segmentation: Segmentation, state: int) -> str:
    """Spell a state's tokens as Markdown code, unknown ones in angle brackets."""
    known = segmentation.known[segmentation.row[state] : segmentation.row[state + 1]]
    pieces = segmentation.pieces(state)
    marked = [p if ok else f"⟨{p}⟩" for p, ok in zip(pieces, known, strict=True)]
    return code(" ".join(marked), in_table=True) if marked else "(nothing)"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return markdown_table(head, rows, verbatim=True)
