"""Character, subword, word: one table with the price and the gain of each."""

from tokbench.report.choose import largest, main_corpus
from tokbench.report.numbers import number
from tokbench.report.table import markdown_table
from tokbench.run_folder import Run
from tokbench.run_folder.record import OutcomeRecord
from tokbench.run_folder.tables import CoverageRow

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
    if corpus.kind != "text" or not run.record.outcomes:
        return ""
    # Of a system cut both in context and alone, the first is the system's own.
    covered = {(r.system, r.size): r for r in reversed(run.coverage) if r.corpus == corpus.name}
    rows = [(o.label, *_measured(o, covered[o.system, o.size])) for o in largest(run)]
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


def _measured(outcome: OutcomeRecord, covered: CoverageRow) -> tuple[str, ...]:
    return (
        f"{outcome.vocabulary_size:,}",
        "" if outcome.learned is None else f"{outcome.learned:,}",
        f"{covered.oov:.1%}",
        "" if covered.tokens_a_line is None else number(covered.tokens_a_line),
        f"{covered.kept_whole:.1%}",
        "" if covered.attention_cost is None else number(covered.attention_cost),
    )
