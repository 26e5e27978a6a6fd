"""Text described, read line by line, and cut by a tokenizer; errors name whose code fails."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby, pairwise
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from tokbench.api import UsageError
from tokbench.commands import STDIN as STDIN_PATH
from tokbench.commands import (
    BrokenPromiseError,
    DescribedCorpus,
    Registry,
    TokbenchError,
    core,
    run_plugin_code,
    say,
)
from tokbench_commands.shared import WORDS, Treatment, corpus
from tokbench_commands.tokenizers import STDIN, Tokenizer

_AT_A_TIME = 2**18
"""The characters of the lines that one call of a library cuts: some thousand lines."""


class CutText(NamedTuple):
    """The tokens of a text: their ids (-1 for a token without one), their bytes and their names.

    A name has its marks. Text that is dropped has no id; it may have None among the names.
    """

    ids: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    names: Sequence[str | None]


def described_for(
    registry: Registry,
    tokenizer: Tokenizer,
    path: Path,
    treatment: Treatment,
    needs_words: bool = False,
) -> DescribedCorpus:
    """Describe a text as the options say, else as the run of the tokenizer treated its own.

    Where whole lines are cut, the splitter of the run is used only if the command `needs_words`.
    Raises UsageError for a splitter that no plugin offers, or that is asked for though nothing is
    split.
    """
    source, is_split = tokenizer.source, needs_words or not tokenizer.bound.cuts_lines
    if not is_split and treatment.words not in (None, WORDS):
        raise UsageError(
            f"--words finds words, but {tokenizer.where} cuts whole lines: leave it out"
        )
    path = STDIN_PATH if str(path) == STDIN else path
    treatment = treatment._replace(normalise=treatment.normalise or source.normalise)
    if treatment.words or not source.words or not is_split:
        return corpus(registry, [path], treatment)
    try:
        return corpus(registry, [path], treatment._replace(words=source.words))
    except UsageError as error:
        hint = "give its plugin with -p, or another splitter with --words"
        raise UsageError(f"{source.name}: the splitter of its run: {error}: {hint}") from None


@contextmanager
def checking(where: str) -> Iterator[None]:
    """Name the component in the errors of its code and of the core's checks."""
    try:
        with run_plugin_code(where):
            yield
    except BrokenPromiseError as error:
        raise TokbenchError(f"{where}: {error}") from None


def read_lines(described: DescribedCorpus, document: bool = False) -> Iterator["core.Line"]:
    """Return the lines of the text, normalised, blank ones too; print its warnings at the end.

    As a `document` each file or record is one line, line ends included.
    """
    reader = core.CorpusReader("text", described)

    def normalised(lines: Iterable["core.Line"]) -> Iterator["core.Line"]:
        for line in lines:
            body = core.without_end(line.text)
            end = line.text[len(body) :] if document else ""
            yield line._replace(text=reader.normalise(body) + end)

    lines = reader.lines(whole=True)
    if document:
        for _, lines_of_document in groupby(lines, key=attrgetter("document")):
            yield core.join_document(normalised(lines_of_document))
    else:
        yield from normalised(lines)
    for warning in reader.warnings:
        say(f"warning: {warning}")


def training_text(described: DescribedCorpus) -> "core.TrainingText":
    """Read a training text, and count its words."""
    corpora = core.load_corpora(described, {}, {}, {}, seed=0)
    for warning in corpora.warnings:
        say(f"warning: {warning}")
    assert corpora.train is not None  # it was asked for
    return core.TrainingText(corpora.train.words, corpora.train.lines)


def words_of(
    described: DescribedCorpus, lines: Iterable["core.Line"]
) -> Iterator[tuple["core.Line", list[str]]]:
    """Yield each line, which is normalised, with its words; warn of words that are too long."""
    finder = core.WordFinder(described.splitter, described.splitter_name)
    for line in lines:
        yield line, finder(line)
    for warning in finder.overlong.warnings("words over 10,000 characters", "cut into pieces"):
        say(f"warning: {warning}")


def cut_words(tokenizer: Tokenizer, words: Sequence[str]) -> list[CutText]:
    """Cut words that each stand alone; a system's own splitter cuts them into pieces first.

    A token that the vocabulary lacks gets the id of the unknown token, if there is one.
    """
    bound, unknown = tokenizer.bound, tokenizer.vocabulary.unknown
    with checking(tokenizer.where):
        cuts = _cuts(tokenizer, bound.alone(words, tokenizer.splitter))
        # Arrays hold no names, which those that the vocabulary lacks have too.
        lacking = [number for number, cut in enumerate(cuts) if -1 in cut.ids]
        named = bound.names([words[i] for i in lacking], tokenizer.splitter) if lacking else []
    for number, names in zip(lacking, named, strict=True):
        ids = [unknown if i < 0 and unknown is not None else i for i in cuts[number].ids]
        cuts[number] = cuts[number]._replace(ids=ids, names=names)
    return cuts


def cut_counted(tokenizer: Tokenizer, words: Mapping[str, int]) -> list[tuple[list[str], int]]:
    """Cut counted words: the tokens and count of each."""
    with checking(tokenizer.where):
        cuts = tokenizer.bound.names([*words], tokenizer.splitter)
    # Dropped text leaves an empty token, so that it is not lost silently.
    tokens = [[name or "" for name in names] for names in cuts]
    return list(zip(tokens, words.values(), strict=True))


def cut_lines(
    tokenizer: Tokenizer, lines: Iterable["core.Line"]
) -> Iterator[tuple["core.Line", CutText]]:
    """Cut whole lines, some thousand with one call; a blank one holds no text to be cut.

    A token without an id has the text that it covers as its name.
    """
    for batch in _batches(lines):
        with checking(tokenizer.where):
            texts = [line.text for line in batch if line.text]
            cuts = iter(_cuts(tokenizer, tokenizer.bound.lines(texts)))
        for line in batch:
            cut = next(cuts) if line.text else CutText([], [], [], [])
            names = [
                covered(line.text, start, end) if name is None else name
                for _, start, end, name in zip(*cut, strict=True)
            ]
            yield line, cut._replace(names=names)


def _cuts(tokenizer: Tokenizer, cut: "core.LineTokens") -> list[CutText]:
    """Return the tokens of each row of arrays, without the names of those that have no id."""
    tokens = tokenizer.vocabulary.tokens
    ids, starts, ends = cut.ids.tolist(), cut.starts.tolist(), cut.ends.tolist()
    names = [tokens[i] if i >= 0 else None for i in ids]
    return [
        CutText(ids[begin:end], starts[begin:end], ends[begin:end], names[begin:end])
        for begin, end in pairwise(cut.row.tolist())
    ]


def covered(text: str, start: int, end: int) -> str:
    """Return the part of a text between two bytes; those of no whole character are U+FFFD."""
    return text.encode("utf-8", "surrogatepass")[start:end].decode(errors="replace")


def _batches(lines: Iterable["core.Line"]) -> Iterator[list["core.Line"]]:
    """Yield some thousand lines at a time, fewer where they are long."""
    batch: list[core.Line] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += 1 + len(line.text)
        if size >= _AT_A_TIME:
            yield batch
            batch, size = [], 0
    yield batch
