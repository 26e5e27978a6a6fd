"""Text described, read line by line, and cut by a tokenizer; errors name whose code fails."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby, pairwise
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tokbench.api import InputError, UsageError
from tokbench.commands import STDIN as STDIN_PATH
from tokbench.commands import (
    BrokenPromiseError,
    DescribedCorpus,
    Registry,
    TokbenchError,
    Use,
    run_plugin_code,
    say,
)
from tokbench_commands.shared import WORDS, corpus
from tokbench_commands.tokenizers import STDIN, Tokenizer

if TYPE_CHECKING:
    from tokbench.api.arrays import LineTokens
    from tokbench.commands.texts import Line, TrainingText

T = TypeVar("T")

_AT_A_TIME = 2**18
"""The characters of the lines that one call of a library cuts: some thousand lines."""


class CutToken(NamedTuple):
    """A token of a text: its id, -1 where there is none, and the bytes that it covers."""

    id: int
    start: int
    end: int


def check_words(tokenizer: Tokenizer, words: Use | None) -> None:
    """Raise UsageError for a splitter that is asked for, where nothing is split."""
    if tokenizer.bound.cuts_lines and words not in (None, WORDS):
        raise UsageError(
            f"--words finds words, but {tokenizer.where} cuts whole lines: leave it out"
        )


def described_for(
    registry: Registry,
    tokenizer: Tokenizer,
    path: Path,
    words: Use | None,
    normalise: Sequence[object],
    errors: str = "strict",
    field: str | None = None,
    needs_words: bool = False,
) -> DescribedCorpus:
    """Describe a text as the options say, else as the run of the tokenizer treated its own.

    Where whole lines are cut, the splitter of the run is used only if the command `needs_words`.
    Raises UsageError for a splitter that no plugin offers.
    """
    source = tokenizer.source
    path = STDIN_PATH if str(path) == STDIN else path
    normalise = normalise or source.normalise
    if words or not source.words or (tokenizer.bound.cuts_lines and not needs_words):
        return corpus(registry, [path], words, normalise, errors, field)
    try:
        return corpus(registry, [path], source.words, normalise, errors, field)
    except UsageError as error:
        hint = "give its plugin with -p, or another splitter with --words"
        raise UsageError(f"{source.name}: the splitter of its run: {error}: {hint}") from None


def prepare(tokenizer: Tokenizer, segmenter: Use | None) -> None:
    """Let a segmenter load what it needs, so that it fails before any text is read.

    Raises UsageError where one that was asked for cannot cut this vocabulary.
    """
    try:
        with run_plugin_code(tokenizer.where):
            _ = tokenizer.bound.prepared
    except InputError as error:
        if segmenter is None:
            raise
        raise UsageError(str(error)) from None


@contextmanager
def checking(where: str) -> Iterator[None]:
    """Name the component in the errors of its code and of the core's checks."""
    try:
        with run_plugin_code(where):
            yield
    except BrokenPromiseError as error:
        raise TokbenchError(f"{where}: {error}") from None


def read_lines(described: DescribedCorpus, document: bool = False) -> Iterator["Line"]:
    """Return the lines of the text, normalised, blank ones too; print its warnings at the end.

    As a `document` each file or record is one line, line ends included.
    """
    from tokbench.commands.texts import CorpusReader, join_document, without_end

    reader = CorpusReader("text", described)

    def normalised(lines: Iterable["Line"]) -> Iterator["Line"]:
        for line in lines:
            body = without_end(line.text)
            end = line.text[len(body) :] if document else ""
            yield line._replace(text=reader.normalise(body) + end)

    lines = reader.lines(whole=True)
    if document:
        for _, lines_of_document in groupby(lines, key=attrgetter("document")):
            yield from join_document(normalised(lines_of_document))
    else:
        yield from normalised(lines)
    for warning in reader.warnings:
        say(f"warning: {warning}")


def training_text(described: DescribedCorpus) -> "TrainingText":
    """Read a training text, and count its words."""
    from tokbench.commands.texts import TrainingText, load_corpora

    corpora = load_corpora(described, {}, {}, {}, seed=0)
    for warning in corpora.warnings:
        say(f"warning: {warning}")
    assert corpora.train is not None  # it was asked for
    return TrainingText(corpora.train.words, corpora.train.lines)


def words_of(
    described: DescribedCorpus, lines: Iterable["Line"]
) -> Iterator[tuple["Line", list[str]]]:
    """Yield each line, which is normalised, with its words; warn of words that are too long."""
    from tokbench.commands.texts import WordFinder

    finder = WordFinder(described.splitter, described.splitter_name)
    for line in lines:
        yield line, finder(line)
    for warning in finder.overlong.warnings("words over 10,000 characters", "cut into pieces"):
        say(f"warning: {warning}")


def cut_words(tokenizer: Tokenizer, words: Sequence[str]) -> list[list[CutToken]]:
    """Cut words that each stand alone; a system's own splitter cuts them into pieces first.

    A token that the vocabulary lacks gets the id of the unknown token, if there is one. Dropped
    text gets the id -1.
    """
    with checking(tokenizer.where):
        cuts = tokens_of(tokenizer.bound.alone(words, tokenizer.splitter))
    unknown = tokenizer.vocabulary.unknown
    if unknown is None or all(token.id >= 0 for cut in cuts for token in cut):
        return cuts
    return [
        [
            token if token.id >= 0 or name is None else token._replace(id=unknown)
            for token, name in zip(cut, names, strict=True)
        ]
        for cut, names in zip(cuts, name_words(tokenizer, words), strict=True)
    ]


def name_words(tokenizer: Tokenizer, words: Sequence[str]) -> list[list[str | None]]:
    """Cut words as `cut_words` does, and return the texts of tokens, marks included.

    None stands for one without a text: dropped, or unknown.
    """
    with checking(tokenizer.where):
        return tokenizer.bound.names(words, tokenizer.splitter)


def cut_counted(tokenizer: Tokenizer, words: Mapping[str, int]) -> list[tuple[list[str], int]]:
    """Cut counted words: the tokens and count of each."""
    # Dropped text leaves an empty token, so that it is not lost silently.
    tokens = [[name or "" for name in cut] for cut in name_words(tokenizer, [*words])]
    return list(zip(tokens, words.values(), strict=True))


def cut_lines(
    tokenizer: Tokenizer, lines: Iterable["Line"]
) -> Iterator[tuple["Line", list[CutToken]]]:
    """Cut whole lines, some thousand with one call; a blank one holds no text to be cut."""
    return _in_batches(tokenizer, lines, lambda texts: tokens_of(tokenizer.bound.lines(texts)))


def name_lines(tokenizer: Tokenizer, lines: Iterable["Line"]) -> Iterator[tuple["Line", list[str]]]:
    """Cut lines as `cut_lines` does, and yield the texts of their tokens."""
    return _in_batches(tokenizer, lines, tokenizer.bound.names_in_lines)


def _in_batches(
    tokenizer: Tokenizer, lines: Iterable["Line"], cut: Callable[[list[str]], list[list[T]]]
) -> Iterator[tuple["Line", list[T]]]:
    for batch in _batches(lines):
        with checking(tokenizer.where):
            cuts = iter(cut([line.text for line in batch if line.text]))
        yield from ((line, next(cuts) if line.text else []) for line in batch)


def tokens_of(cut: "LineTokens") -> list[list[CutToken]]:
    """Return the tokens of each row of arrays."""
    tokens = [*map(CutToken, cut.ids.tolist(), cut.starts.tolist(), cut.ends.tolist())]
    return [tokens[begin:end] for begin, end in pairwise(cut.row.tolist())]


def _batches(lines: Iterable["Line"]) -> Iterator[list["Line"]]:
    """Yield some thousand lines at a time, fewer where they are long."""
    batch: list[Line] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += 1 + len(line.text)
        if size >= _AT_A_TIME:
            yield batch
            batch, size = [], 0
    yield batch
