"""Character, subword, word: one table with the price and the gain of each."""

from tokbench.report.choose import largest, main_corpus
from tokbench.report.numbers import number
from tokbench.report.table import markdown_table
from tokbench.run_folder import Run
from tokbench.run_folder.record import OutcomeRecord
from tokbench.run_folder.tables import CoverageRow

INTRODUCTION = """
## From characters to words: what each vocabulary costs and gains

On {corpus}, each system at its largest size. A vocabulary of characters knows every word, but its
lines are long. A vocabulary of words has short lines, but meets words that it does not know.
Subwords are between the two. *Attention cost* is the cost of a model whose cost grows with the
square of the length of a line: the sum over lines of squared tokens, divided by the sum over lines
of squared characters. Characters cost 1.
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
        "tokens per line",
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
