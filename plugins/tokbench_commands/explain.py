"""`tokbench explain`: why a word is cut as it is, step by step."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from tokbench.api import Decision, Explanation, Marks, UsageError, Vocabulary
from tokbench.api.text import byte_length
from tokbench.commands import (
    BrokenPromiseError,
    DescribedCorpus,
    Use,
    core,
    cropped,
    load,
    plugin_option,
)
from tokbench.printing import Table, json_text, one_line, rounded, whole_characters
from tokbench_commands.cutting import checking, described_for, words_of
from tokbench_commands.shared import (
    Treatment,
    choice_option,
    segmenter_option,
    with_output,
    words_options,
)
from tokbench_commands.tokenizers import (
    Tokenizer,
    bind,
    find_vocabularies,
    learner_options,
    size_option,
)

LONGEST = 200
"""The characters of the longest word that is explained."""

GAP = "    "
WIDTH = 80
TOKENS = ("token", "id", "bytes")
WORDS = ("word", "tokenizer", "tokens", "number")


@click.command()
@click.argument("written", metavar="VOCABULARY|RUN")
@click.argument("texts", metavar="WORD...", nargs=-1, required=True)
@click.option("--system", "systems", multiple=True, help="A system of the run [default: all].")
@size_option
@learner_options
@segmenter_option
@words_options
@click.option("--short", is_flag=True, help="Show only the last table: a line for each word.")
@choice_option("--format", "form", ("text", "json"), "How it is printed.")
@plugin_option
@with_output
def command(
    written: str,
    texts: tuple[str, ...],
    systems: tuple[str, ...],
    size: str | None,
    options: Mapping[str, Any],
    segmenter: Use | None,
    treatment: Treatment,
    short: bool,
    form: str,
    plugin_files: tuple[Path, ...],
) -> None:
    """Show step by step why each WORD is cut into its tokens, and last a line for each.

    BPE shows its merges, Unigram its lattice and the next best path, longest match the pieces that
    it tries; ready-made tokenizers show what their libraries tell. A WORD that holds several words
    is cut into these first, unless whole lines are cut. Of a RUN all systems are shown side by
    side, each at its largest size, and words are found as in its training text, unless --words or
    --normalise are given.
    """
    _check(texts)
    registry = load(plugin_files, lazy=True)
    vocabularies = find_vocabularies(registry, written, options, systems, size)
    tokenizers = [bind(registry, vocabulary, segmenter) for vocabulary in vocabularies]
    are_split = not all(tokenizer.bound.cuts_lines for tokenizer in tokenizers)
    corpora = [
        described_for(registry, tokenizer, Path("WORD"), treatment, needs_words=are_split)
        for tokenizer in tokenizers
    ]
    explained = [
        _explained(tokenizer, text, described)
        for text in texts
        for tokenizer, described in zip(tokenizers, corpora, strict=True)
    ]
    rows = [(each.word, each.tokenizer.name, each.spelled, len(each.tokens)) for each in explained]
    if form == "json" and not short:
        click.echo(json_text([word.record() for word in explained], indent=1))
        return
    for begin in range(0, 0 if short else len(explained), len(tokenizers)):
        blocks = [[*_block(word)] for word in explained[begin : begin + len(tokenizers)]]
        for row in _rows(blocks):
            click.echo("\n".join(row) + "\n")
    click.echo(Table(WORDS, rows).to("table" if form == "text" else form), nl=False)


def _check(words: Sequence[str]) -> None:
    """Raise UsageError for what cannot be explained."""
    for word in words:
        if not word:
            raise UsageError("a WORD is empty: give one to explain")
        if len(word) > LONGEST:
            many = f"{len(word):,} characters"
            raise UsageError(f"{word[:20]}... has {many}: at most {LONGEST} can be explained")


@dataclass(frozen=True)
class ExplainedWord:
    """The decisions of a tokenizer about a word, and its tokens with the bytes that they cover.

    None stands for a token that the vocabulary does not hold.
    """

    word: str
    tokenizer: Tokenizer
    decisions: Sequence[Decision]
    tokens: Sequence[tuple[str, int | None, bytes]]

    @property
    def spelled(self) -> str:
        """All tokens, as they are spelled, bytes that make a character as that."""
        return " ".join(whole_characters([token for token, _, _ in self.tokens]))

    def token_table(self) -> Table:
        """Return a row for each token."""
        return Table(
            TOKENS,
            [
                (token, "none" if i is None else i, covered.hex(" "))
                for token, i, covered in self.tokens
            ],
        )

    def candidates(self, step: Decision) -> Table | None:
        """Return a step's candidates, behind `>` if they are chosen; None without any."""
        if not step.candidates:
            return None
        chosen = set(step.chosen)
        rows = [
            [">" if i in chosen else "", *map(self.show, candidate.values())]
            for i, candidate in enumerate(step.candidates)
        ]
        return Table(["", *step.candidates[0]], rows)

    def show(self, value: object) -> str:
        """Spell a value of a candidate; tokens with their marks, texts and numbers as they are."""
        if isinstance(value, tuple):
            return " ".join(map(self.tokenizer.vocabulary.show, value))
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str) and value != value.strip():
            return json_text(value)  # spaces at its edges would not be seen
        if isinstance(value, float):
            return rounded(value, 4)
        return "" if value is None else str(value)

    def record(self) -> Mapping[str, Any]:
        """Return it as JSON holds it."""
        show = self.tokenizer.vocabulary.show

        def plain(value: object) -> object:
            return [show(token) for token in value] if isinstance(value, tuple) else value

        return {
            "word": self.word,
            "tokenizer": self.tokenizer.name,
            "decisions": [
                {
                    "title": step.title,
                    "state": [show(token) for token in step.state],
                    "candidates": [
                        {key: plain(value) for key, value in candidate.items()}
                        for candidate in step.candidates
                    ],
                    "chosen": [*step.chosen],
                    "reason": step.reason,
                }
                for step in self.decisions
            ],
            "tokens": [
                {"token": token, "id": i, "bytes": covered.hex(" ")}
                for token, i, covered in self.tokens
            ],
        }


def _explained(tokenizer: Tokenizer, word: str, described: DescribedCorpus) -> ExplainedWord:
    """Explain what was written; a tokenizer of words explains each word that is found in it."""
    normalised, words = _words_of_text(described, word)
    texts = [normalised]
    if not tokenizer.bound.cuts_lines:
        texts = [text for part in words for text in _pieces_of(tokenizer, part)]
    if not any(texts):
        raise UsageError(f"{word!r} holds no word for {tokenizer.name}: give one to explain")
    decisions: list[Decision] = []
    tokens: list[tuple[str, int | None, bytes]] = []
    if normalised != word:
        decisions.append(Decision("text", [{"text": normalised}], [0], "as it is normalised"))
    if texts != [normalised]:
        pieces = [{"text": text} for text in texts]
        decisions.append(Decision("pieces", pieces, range(len(texts)), "each is cut alone"))
    for text in texts:
        explanation = _explain_word(tokenizer, text)
        of = f"{text}: " if len(texts) > 1 else ""
        decisions += [replace(step, title=f"{of}{step.title}") for step in explanation.decisions]
        tokens += _tokens(explanation, text, tokenizer.vocabulary)
    return ExplainedWord(word, tokenizer, decisions, tokens)


def _words_of_text(described: DescribedCorpus, text: str) -> tuple[str, list[str]]:
    """Return a text of a command line as it is normalised, and its words."""
    source: Any = described.source
    line = core.Line(Path("WORD"), 1, 0, core.normaliser(source.normalise)(text))
    return line.text, next(words_of(described, [line]))[1]


def _pieces_of(tokenizer: Tokenizer, word: str) -> Sequence[str]:
    """Cut a word where the system's own splitter does, if it has one."""
    if tokenizer.splitter is None:
        return [word]
    with checking(tokenizer.where):
        return next(core.split_words([word], tokenizer.splitter))


def _explain_word(tokenizer: Tokenizer, word: str) -> Explanation:
    """Ask a segmenter why a word is cut so, and check that the tokens cover it."""
    with checking(tokenizer.where):
        explanation: object = tokenizer.bound.segmenter.explain(word, tokenizer.bound.prepared)
        if explanation is None:
            step = Decision("tokens", [], (), f"{tokenizer.where} does not tell why")
            explanation = Explanation(
                [step], tokenizer.bound.segmenter.segment(word, tokenizer.bound.prepared)
            )
        if not isinstance(explanation, Explanation):
            what = f"explain gave {cropped(explanation)}, expected an Explanation or None"
            raise BrokenPromiseError(what)
        core.checked_words([[*explanation.tokens]], [word], tokenizer.vocabulary)
    return explanation


def _tokens(
    explanation: Explanation, text: str, vocabulary: Vocabulary
) -> Iterator[tuple[str, int | None, bytes]]:
    """Yield each token as it is spelled, its id, and the bytes of the text that it covers."""
    utf8 = text.encode("utf-8", "surrogatepass")
    position = 0
    for token in explanation.tokens:
        name, size = (token, byte_length(Marks.strip(token))) if isinstance(token, str) else token
        covered = utf8[position : position + size]
        position += size
        if name is None:
            yield "(dropped)", None, covered
            continue
        i = vocabulary.ids.get(name, -1) if isinstance(name, str) else name
        if i >= 0:
            name = vocabulary.tokens[i]
        spelled = (
            vocabulary.show(name) if isinstance(name, str) else covered.decode("utf-8", "replace")
        )
        yield spelled, i if i >= 0 else None, covered


def _block(word: ExplainedWord) -> Iterator[str]:
    """Yield the lines that explain a word on a terminal."""
    yield one_line(f"{word.word} ({word.tokenizer.name}): {word.spelled}")
    for step in word.decisions:
        yield ""
        yield one_line(f"{step.title}  {word.show(tuple(step.state))}".rstrip())
        if table := word.candidates(step):
            yield from table.to("table").splitlines()
        if step.reason:
            yield one_line(f"  {step.reason}")
    yield ""
    yield from word.token_table().to("table").splitlines()


def _rows(blocks: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Put blocks of lines side by side, as many as a terminal holds, wide characters as two."""
    from rich.cells import cell_len, set_cell_size

    room = shutil.get_terminal_size((WIDTH, 1)).columns
    begun: list[Sequence[str]] = []
    widths: list[int] = []

    def put() -> list[str]:
        lines = zip_longest(*begun, fillvalue="")
        return [GAP.join(map(set_cell_size, line, widths)).rstrip() for line in lines]

    for block in blocks:
        width = max(map(cell_len, block))
        if begun and sum(widths) + width + len(GAP) * len(widths) > room:
            yield put()
            begun, widths = [], []
        begun.append(block)
        widths.append(width)
    yield put()
