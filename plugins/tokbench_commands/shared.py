"""Helpers of the commands that cut text: find its words, refuse what cannot be cut."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokbench.api import InputError, UsageError
from tokbench.commands import DescribedCorpus, Registry, run_plugin_code
from tokbench_commands.components import WORDS, build, corpus
from tokbench_commands.cutting import CutToken, words_of
from tokbench_commands.tokenizers import Tokenizer


def check_words(one: Tokenizer, words: str | None) -> None:
    """Raise UsageError for a splitter that is asked for, where nothing is split."""
    if one.bound.cuts_lines and words not in (None, WORDS):
        raise UsageError(f"--words finds words, but {one.where} cuts whole lines: leave it out")


def described_for(
    registry: Registry,
    one: Tokenizer,
    path: Path,
    words: str | None,
    normalise: Sequence[object],
    errors: str = "strict",
    needs_words: bool = False,
) -> DescribedCorpus:
    """Describe a text as the options say, else as the run of the tokenizer treated its own.

    Where whole lines are cut, the splitter of the run is used only if the command `needs_words`.
    Raises UsageError for a splitter that no plugin offers.
    """
    if words is None and one.words is not None and (needs_words or not one.bound.cuts_lines):
        try:
            build(registry, "splitter", one.words, ())
        except UsageError as error:
            hint = "give its plugin with -p, or another splitter with --words"
            raise UsageError(f"{one.name}: the splitter of its run: {error}: {hint}") from None
        words = one.words
    return corpus(registry, [path], words, normalise or one.normalise, errors)


def prepare(one: Tokenizer, segmenter: str | None) -> None:
    """Let a segmenter load what it needs, so that it fails before any text is read.

    Raises UsageError where one that was asked for cannot cut this vocabulary.
    """
    try:
        with run_plugin_code(one.where):
            _ = one.bound.prepared
    except InputError as error:
        if segmenter is None:
            raise
        raise UsageError(str(error)) from None


def words_of_text(described: DescribedCorpus, text: str) -> tuple[str, list[str]]:
    """Return a text of a command line as it is normalised, and its words."""
    from tokbench.commands.texts import Line, normaliser

    source: Any = described.source
    line = Line(Path("WORD"), 1, 0, normaliser(source.normalise)(text))
    return line.text, next(words_of(described, [line]))


def covered(text: str, token: CutToken) -> str:
    """Return the part of a text that a token covers; bytes of no whole character are U+FFFD."""
    return text.encode()[token.start : token.end].decode(errors="replace")
