"""Words to look at: the frequent ones that are split most, and unseen ones in all systems."""

from collections.abc import Mapping, Sequence

import numpy as np

from tokbench.api.arrays import Segmentation
from tokbench.api.text import to_bytes_text
from tokbench.printing import Table, code, escaped, integer, whole_characters
from tokbench.run_folder import CorpusRecord, OutcomeRecord, Run
from tokbench_views.shared import agreeing, first_test, largest

SPLIT_WORDS = 15
FREQUENT = 2
EXTREME, LEAST_CHARACTERS = 5, 4
SHOWN_CHARACTERS = 20
MOST_COLUMNS = 8
EXTREMES = """
Unseen words split most, then least: the first five and the last five of those of four characters or
more, by the tokens per character of all systems together. A token in ⟨ ⟩ is not known.
"""


def frequent_splits(run: Run) -> str:
    """Show the words of the main corpus that cost a system most extra tokens.

    The system is the baseline, or the first one where there is no baseline with results.
    """
    outcomes = largest(run)
    chosen = [o for o in outcomes if o.system == run.record.baseline] or outcomes[:1]
    if not chosen or run.is_without_text:
        return ""
    corpus, outcome = run.record.tests[0], chosen[0]
    segmentation = _tokens(run, outcome, corpus.name)
    count = segmentation.count
    extra = np.where(count >= FREQUENT, count * (segmentation.tokens - 1), 0)
    order = np.argsort(-extra, kind="stable")[:SPLIT_WORDS]
    states = [int(state) for state in order if extra[state] > 0]
    rows = [(str(count[s]), str(extra[s]), shown(segmentation, s)) for s in states]
    title = f"\n## Frequent words that {escaped(outcome.system)} splits most\n"
    if not rows:
        return title + f"\nNo word that occurs twice in {corpus.name} is split.\n"
    head = ("count", "extra tokens", "tokens")
    return (
        f"{title}\nOn {corpus.name}, at size {outcome.size or outcome.vocabulary_size}: "
        "words that occur at least twice, sorted by their extra tokens. Each token beyond one for "
        "each occurrence is an extra token.\n\n" + Table(head, rows).to("md")
    )


def chosen_words(run: Run) -> str:
    """Show the five unseen words that are split most and the five split least, one per line."""
    corpus = first_test(run, "text")
    words = extremes(run, corpus.name) if corpus else []
    if corpus is None or not words:
        return ""
    outcomes = largest(run)[:MOST_COLUMNS]
    texts = [code(run.words(corpus.name).text[word]) for word in words]
    cuts = [_shown_words(run, outcome, corpus.name, words) for outcome in outcomes]
    columns = ("word", *(outcome.label for outcome in outcomes))
    title = "\n## Unseen words split most and least\n"
    return f"{title}{EXTREMES}\n" + Table(columns, [*zip(texts, *cuts, strict=True)]).to("md")


def best_and_worst(run: Run, test: CorpusRecord) -> str:
    """Show the unseen words that all systems together split most and least, as a table."""
    words = extremes(run, test.name)
    return _cuts(run, {o.label: o for o in largest(run)}, test.name, words) if words else ""


def extremes(run: Run, corpus: str) -> list[int]:
    """Return the unseen words that all systems together split most, then those split least.

    They are sorted by their mean tokens per character; of equal ones the more frequent come first.
    """
    if run.is_without_text:
        return []
    words, outcomes = run.words(corpus), largest(run)
    unseen = np.flatnonzero(words.unseen & (words.chars >= LEAST_CHARACTERS))
    if not len(unseen) or not outcomes:
        return []
    tokens = np.zeros(len(unseen))
    for outcome in outcomes:
        cut = _tokens(run, outcome, corpus)
        tokens += cut.tokens[np.searchsorted(cut.word, unseen)]
    finest = tokens / len(outcomes) / words.chars[unseen]
    order = unseen[np.lexsort((-words.count[unseen], -finest))].tolist()
    return [*dict.fromkeys([*order[:EXTREME], *order[-EXTREME:]])]


def unwritable(run: Run, test: CorpusRecord) -> str:
    """List for each system the characters of unknown words that none of its tokens holds."""
    by_label = {o.label: _unwritable(_tokens(run, o, test.name)) for o in largest(run)}
    lines = agreeing((label, chars) for label, chars in by_label.items() if chars)
    return "".join(
        f"- {escaped(systems)}: {integer(len(chars))}, such as "
        f"{', '.join(code(char) for char in chars[:SHOWN_CHARACTERS])}\n"
        for systems, chars in lines
    )


def _unwritable(cut: Segmentation) -> tuple[str, ...]:
    vocabulary = cut.vocabulary
    characters = {*"".join(cut.words.text[word] for word in set(cut.word[cut.oov].tolist()))}
    if not characters:  # as in most vocabularies of a million tokens
        return ()
    tokens = [t for i, t in enumerate(vocabulary.tokens) if i not in vocabulary.unproduced]
    written = {*"".join(tokens)}
    if vocabulary.units == "bytes":
        lacking = {char for char in characters if not written.issuperset(to_bytes_text(char))}
    else:
        lacking = characters - written
    return tuple(sorted(lacking))


def _tokens(run: Run, outcome: OutcomeRecord, corpus: str) -> Segmentation:
    return run.segmentation(outcome.system, corpus, outcome.size, outcome.context)


def _cuts(
    run: Run, outcomes: Mapping[str, OutcomeRecord], corpus: str, words: Sequence[int]
) -> str:
    """Write a line for each way in which systems cut a word; the first one holds the word."""
    texts = run.words(corpus).text
    cuts = {name: _shown_words(run, o, corpus, words) for name, o in outcomes.items()}
    rows: list[tuple[str, ...]] = []
    for i, word in enumerate(words):
        ways = agreeing((name, tokens[i]) for name, tokens in cuts.items())
        begins = [code(texts[word]), *([""] * (len(ways) - 1))]
        rows += [(b, tokens, names) for b, (names, tokens) in zip(begins, ways, strict=True)]
    return Table(("word", "tokens", "systems"), rows).to("md")


def _shown_words(run: Run, outcome: OutcomeRecord, corpus: str, words: Sequence[int]) -> list[str]:
    """Spell the tokens of some words; those of all words of all systems are too many at once."""
    cut = _tokens(run, outcome, corpus)
    return [shown(cut, int(np.flatnonzero(cut.word == word)[0])) for word in words]


def shown(segmentation: Segmentation, state: int) -> str:
    """Spell a state's tokens as Markdown code, unknown ones in angle brackets.

    Bytes that make a character are shown as that.
    """
    is_known = segmentation.known[segmentation.row[state] : segmentation.row[state + 1]]
    pieces = segmentation.pieces(state)
    marked = [p if ok else f"⟨{p}⟩" for p, ok in zip(pieces, is_known, strict=True)]
    return code(" ".join(whole_characters(marked))) if marked else "(nothing)"
