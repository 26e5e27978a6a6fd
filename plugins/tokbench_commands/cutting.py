"""Text read line by line, and cut by a tokenizer; errors name whose code they come from."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tokbench.api import Decision, Explanation, Token
from tokbench.commands import (
    BrokenPromiseError,
    DescribedCorpus,
    Source,
    TokbenchError,
    cropped,
    lines_of_stream,
    raw_lines,
    run_plugin_code,
    say,
)
from tokbench_commands.tokenizers import Tokenizer

if TYPE_CHECKING:
    from tokbench.api import LineTokens
    from tokbench.commands.texts import Line, TrainingText

STDIN = Path("-")
_AT_A_TIME = 2**18
"""The characters of the lines that one call of a library cuts: some thousand lines."""


class CutToken(NamedTuple):
    """A token of a text: its id, -1 where there is none, and the bytes that it covers."""

    id: int
    start: int
    end: int


@contextmanager
def checking(where: str) -> Iterator[None]:
    """Name the component in the errors of its code and of the core's checks."""
    try:
        with run_plugin_code(where):
            yield
    except BrokenPromiseError as error:
        raise TokbenchError(f"{where}: {error}") from None


def read_lines(described: DescribedCorpus, document: bool = False) -> Iterator["Line"]:
    """Return the lines of the text, normalised, blank ones too; warn of invalid UTF-8.

    As one `document`, the whole text is one line, line ends included.
    """
    from tokbench.commands.texts import join_document

    read = _read(described, keep_ends=document)
    return join_document(read) if document else read


def _read(described: DescribedCorpus, keep_ends: bool) -> Iterator["Line"]:
    from tokbench.commands.texts import (
        DONE,
        IssueCounter,
        Line,
        decode_lines,
        normaliser,
        without_end,
    )

    assert isinstance(described.source, Source)  # a command names files, never a split
    source = described.source
    path, errors = source.path[0], source.errors
    normalise = normaliser(described.source.normalise)
    raws, shown = raw_lines(path), path
    if path == STDIN:
        shown = Path("<stdin>")
        raws = lines_of_stream(sys.stdin.buffer, shown)
    invalid = IssueCounter()
    for number, text in decode_lines(raws, shown, errors, invalid, keep_ends=keep_ends):
        body = without_end(text) if keep_ends else text
        yield Line(shown, number, 0, normalise(body) + text[len(body) :])
    for warning in invalid.warnings("lines that are not valid UTF-8", DONE[errors]):
        say(f"warning: {warning}")


def training_text(described: DescribedCorpus) -> "TrainingText":
    """Read a training text, and count its words."""
    from tokbench.commands.texts import TrainingText, load_corpora

    corpora = load_corpora(described, {}, {}, {}, seed=0)
    for warning in corpora.warnings:
        say(f"warning: {warning}")
    assert corpora.train is not None  # it was asked for
    return TrainingText(corpora.train.words, corpora.train.lines)


def words_of(described: DescribedCorpus, lines: Iterable["Line"]) -> Iterator[list[str]]:
    """Return the words of each line, which is normalised; none of a blank line."""
    from tokbench.commands.texts import WordFinder

    finder = WordFinder(str, described.splitter, described.splitter_name)
    yield from map(finder, lines)
    for warning in finder.overlong.warnings("words over 10,000 characters", "cut into pieces"):
        say(f"warning: {warning}")


def places_of(
    described: DescribedCorpus, lines: Iterable["Line"]
) -> Iterator[list[tuple[int, int]]]:
    """Return where the words that `words_of` finds begin and end, in characters of each line."""
    from tokbench.commands.texts import WordFinder

    return map(WordFinder(str, described.splitter, described.splitter_name).places, lines)


def cut_words(one: Tokenizer, words: Sequence[str]) -> list[list[CutToken]]:
    """Cut words that each stand alone; a system's own splitter cuts them into pieces first."""
    with checking(one.where):
        return tokens_of(one.bound.alone(words, one.splitter, few=True))


def name_words(one: Tokenizer, words: Sequence[str]) -> list[list[str | None]]:
    """Cut words as `cut_words` does, and return the texts of tokens, marks included.

    None stands for one without a text: dropped, or unknown.
    """
    with checking(one.where):
        if one.splitter is None:
            return _names(one, words)
        from tokbench.commands.texts import SplitWords

        parts = SplitWords.of(words, one.splitter)
        names = _names(one, parts.text)
        pieces = (parts.number[a:b].tolist() for a, b in pairwise(parts.row.tolist()))
        return [[name for number in found for name in names[number]] for found in pieces]


def _names(one: Tokenizer, words: Sequence[str]) -> list[list[str | None]]:
    tokens = one.vocabulary.tokens

    def name(token: Token) -> str | None:
        found = token if isinstance(token, str) else token[0]
        if isinstance(found, int):
            return tokens[found] if found >= 0 else None
        return found

    return [[name(token) for token in cut] for cut in one.bound.cut(words)[0]]


def pieces_of(one: Tokenizer, word: str) -> Sequence[str]:
    """Cut a word where the system's own splitter does, if it has one."""
    if one.splitter is None:
        return [word]
    from tokbench.commands.texts import split_words

    with checking(one.where):
        return next(split_words([word], one.splitter))


def explain_word(one: Tokenizer, word: str) -> Explanation:
    """Ask a segmenter why a word is cut so, and check that the tokens cover it."""
    from tokbench.commands.texts import checked_words

    with checking(one.where):
        given: object = one.bound.segmenter.explain(word, one.bound.prepared)
        if given is None:
            step = Decision("tokens", [], (), f"{one.where} does not tell why")
            given = Explanation([step], one.bound.segmenter.segment(word, one.bound.prepared))
        if not isinstance(given, Explanation):
            what = f"explain gave {cropped(given)}, expected an Explanation or None"
            raise BrokenPromiseError(what)
        checked_words([[*given.tokens]], [word], one.vocabulary)
    return given


def cut_counted(one: Tokenizer, words: Mapping[str, int]) -> list[tuple[list[str], int]]:
    """Cut counted words: the tokens and count of each."""
    # Dropped text leaves an empty token, so that it is not lost silently.
    tokens = [[name or "" for name in cut] for cut in name_words(one, [*words])]
    return list(zip(tokens, words.values(), strict=True))


def cut_lines(one: Tokenizer, lines: Iterable[str]) -> Iterator[list[CutToken]]:
    """Cut whole lines, some thousand with one call; a blank one holds no text to be cut."""
    for batch in _batches(lines):
        with checking(one.where):
            found = iter(tokens_of(one.bound.lines([*filter(None, batch)])))
        yield from (next(found) if line else [] for line in batch)


def tokens_of(found: "LineTokens") -> list[list[CutToken]]:
    """Return the tokens of each row of arrays."""
    columns = (found.ids.tolist(), found.starts.tolist(), found.ends.tolist())
    tokens = [*map(CutToken, *columns)]
    return [tokens[first:last] for first, last in pairwise(found.row.tolist())]


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    """Return some thousand lines at a time, fewer where they are long."""
    batch: list[str] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += 1 + len(line)
        if size >= _AT_A_TIME:
            yield batch
            batch, size = [], 0
    yield batch
