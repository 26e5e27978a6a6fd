"""Character, subword, word: one table with the price and the gain of each."""

import numpy as np

from tokbench.report.choose import label, largest, main_corpus
from tokbench.report.numbers import number
from tokbench.report.table import markdown_table
from tokbench.runner.run import Outcome, Run

INTRODUCTION = """
## From characters to words: what each vocabulary costs and gains

On {corpus}, each system at its largest size. Characters know every word but write long lines;
words write short lines but meet words that they do not know; subwords stand between. *Attention
cost* is the sum of squared tokens over the sum of squared characters, by line: what a model pays
whose cost grows with the square of the length, 1 being the price of characters.
"""


def tradeoff(run: Run) -> str:
    """Show |V|, learned items, oov words, tokens a line, kept whole and attention cost."""
    corpus = main_corpus(run)
    if corpus.kind != "text" or not run.outcomes:
        return ""
    rows = [(label(outcome), *_measured(outcome, corpus.name)) for outcome in largest(run)]
    head = (
        "system",
        "|V|",
        "learned (merges)",
        "oov words",
        "tokens a line",
        "kept whole",
        "attention cost",
    )
    return INTRODUCTION.format(corpus=corpus.name) + "\n" + markdown_table(head, rows, right=1)


def _measured(outcome: Outcome, corpus: str) -> tuple[str, ...]:
    seg = outcome.segmentations[corpus]
    learned = len(outcome.vocabulary.learned)
    count = seg.count
    tokens = seg.line_tokens.astype(np.float64)
    chars = seg.sum_lines(seg.chars).astype(np.float64)
    return (
        f"{outcome.vocabulary.size:,}",
        # A vocabulary that does not say how it was learned has no such number.
        f"{learned:,}" if learned or outcome.vocabulary.alphabet else "",
        f"{float(np.sum(count[seg.oov]) / count.sum()):.1%}",
        number(float(tokens.mean())),
        f"{float(np.sum(count[seg.kept_whole]) / count.sum()):.1%}",
        number(float(np.sum(tokens**2) / np.sum(chars**2))),
    )
