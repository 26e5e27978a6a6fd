"""Coverage, a gate without which other numbers mislead; and the price of each vocabulary."""

from tokbench.run_folder import CoverageRow, OutcomeRecord, Run
from tokbench_views.shared import (
    GATED,
    by_size,
    first_of_learners,
    largest,
    record_table,
    system_table,
)
from tokbench_views.spelling import number, percent, rounded, whole

COVERAGE = """## Coverage: is anything unknown or lossy?

A tokenizer that drops part of the text, or does not know it, needs fewer tokens than it should.
Where more than {gate} of the words of a corpus are unknown or lossy, {sign} marks the lengths and
compression rates of that system in the other tables. They are not compared with others, and advice
leaves them out. *clean*: every token of every word is known, and the
ids decode to the same text. *oov*: the share of running words with an unknown token or dropped
text. *lossy*: the share of running words that their ids do not decode to; shown if it differs from
*oov*.
"""
GATE = """
## Coverage: is anything unknown or lossy?

*clean*: every word is known and comes back from its ids. {sign}: more than {gate} of the words are
unknown (*oov*) or do not come back (*lossy*), so that these lengths are not compared.

"""
TRADEOFF = """
## From characters to words: what each vocabulary costs and gains

On {corpus}, each system at its largest size. A vocabulary of characters knows every word, but its
lines are long. A vocabulary of words has short lines, but meets words that it does not know.
Subwords are between the two. *Attention cost* is the cost of a model whose cost grows with the
square of the length of a line: the sum over lines of squared tokens, divided by the sum over lines
of squared characters. Characters cost 1.
"""


def coverage(run: Run) -> str:
    """Show for each corpus, system and size whether every word is known and comes back."""
    text = COVERAGE.format(gate=percent(run.record.gate), sign=GATED)
    for test in run.record.tests:
        here = (row for row in run.coverage if row.corpus == test.name)
        text += f"\n**{test.name}**\n\n{system_table(by_size(run, here, _cell))}"
    return text


def gate(run: Run) -> str:
    """Show for each system at its largest size whether every word is known and comes back."""
    shown = {(one.system, one.size): one.label for one in largest(run)}
    corpora = {test.name: test.name for test in run.record.tests if test.kind != "pairs"}
    # Of a system that is cut both in context and alone the first row counts, its own.
    cells = {
        (shown[row.system, row.size], row.corpus): _cell(row) + GATED * bool(row.gated)
        for row in reversed(run.coverage)
        if (row.system, row.size) in shown and row.corpus in corpora
    }
    if not cells:
        return ""
    text = GATE.format(gate=percent(run.record.gate), sign=GATED)
    return text + system_table((shown.values(), corpora, cells), right=1)


def _cell(row: CoverageRow) -> str:
    oov = [f"oov {rounded(100 * row.oov, 2)}%"] if row.oov else []
    lossy = [f"lossy {rounded(100 * row.lossy, 2)}%"] if row.lossy != row.oov else []
    return ", ".join(oov + lossy) or "clean"


def tradeoff(run: Run) -> str:
    """Show |V|, learned items, oov words, tokens a line, kept whole and attention cost."""
    corpus = run.record.tests[0]
    if corpus.kind != "text" or not run.record.outcomes:
        return ""
    # If a system is cut both in context and alone, the first row is the system's own.
    covered = {(r.system, r.size): r for r in reversed(run.coverage) if r.corpus == corpus.name}
    records = [_measured(o, covered[o.system, o.size]) for o in first_of_learners(run)]
    return TRADEOFF.format(corpus=corpus.name) + "\n" + record_table(records, right=1)


def _measured(outcome: OutcomeRecord, covered: CoverageRow) -> dict[str, str]:
    sign = GATED * bool(covered.gated)
    return {
        "system": outcome.label,
        "|V|": whole(outcome.vocabulary_size),
        "learned (merges)": whole(outcome.learned),
        "oov words": rounded(100 * covered.oov, 1) + "%",
        "tokens per line": number(covered.tokens_a_line) + sign,
        "kept whole": rounded(100 * covered.kept_whole, 1) + "%",
        "attention cost": number(covered.attention_cost) + sign,
    }
