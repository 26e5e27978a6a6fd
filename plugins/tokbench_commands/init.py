"""`tokbench init`: a commented config for one's own text."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click

from tokbench.api import InputError, Learner, UsageError
from tokbench.commands import (
    FILE,
    PATH,
    WORDS,
    build,
    corpus,
    load,
    plugin_option,
    training_text,
    write_files,
)

FEWEST_LINES = 20
"""Of a text with fewer lines no tenth can be held out: a test needs 20 lines for intervals."""

SIZES = (250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000)
MOST_SIZES = 5
KOREAN = 0.3
"""A text is Korean, or unspaced, if so many of its letters are."""

HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]")
PLAIN = re.compile(r"[\w./~-]+")


@dataclass(frozen=True)
class TextFacts:
    """What a config depends on: counts of a text, and the shares of letters of some scripts."""

    running: int
    distinct: int
    letters: int
    korean: float
    unspaced: float

    @classmethod
    def of(cls, words: Mapping[str, int]) -> "TextFacts":
        """Count words."""
        letters = sum(len(word) * count for word, count in words.items())

        def share(script: re.Pattern[str]) -> float:
            return sum(len(script.findall(w)) * n for w, n in words.items()) / max(letters, 1)

        alphabet = len(set().union(*words))
        return cls(sum(words.values()), len(words), alphabet, share(HANGUL), share(UNSPACED))


@click.command()
@click.argument("text", type=FILE)
@click.argument("test", type=FILE, required=False)
@click.option(
    "--pretrained",
    metavar="NAME",
    multiple=True,
    help="A ready-made tokenizer to compare with: gpt2, bert-base-uncased, cl100k, o200k, ...",
)
@click.option(
    "-o", "--output", type=PATH, default="tokbench.yaml", show_default=True, help="The config."
)
@plugin_option
def command(
    text: Path,
    test: Path | None,
    pretrained: tuple[str, ...],
    output: Path,
    plugin_files: tuple[Path, ...],
) -> None:
    """Write a commented config that compares tokenizers on TEXT.

    They are scored on TEST, or else on a tenth of the lines of TEXT, which none of them learns
    from. Sizes follow from the number of distinct words. No file is written over.
    """
    registry = load(plugin_files, lazy=True)
    for name in pretrained:
        learner = build(registry, "learner", name, ())
        assert isinstance(learner, Learner)  # the registry gives what it was asked for
        if learner.reads != "nothing":
            raise UsageError(f"--pretrained {name}: this learner reads {learner.reads}")
    if output.exists() or output.is_symlink():
        raise UsageError(f"{output}: is there already: name another file with -o")
    described = corpus(registry, [text], WORDS, (), "strict")
    read = training_text(described)
    facts = TextFacts.of(read.words)
    lines = sum(1 for _ in read.lines)
    if test is None and lines < FEWEST_LINES:
        raise InputError(
            f"{text}: has {lines} lines with words, too few to hold out a tenth of them (at least"
            f" {FEWEST_LINES}): give a TEST, another text to score"
        )
    scored = None if test is None else _path(test, output)
    config = written(facts, _path(text, output), scored, pretrained)
    write_files({output: config})
    shown = output if PLAIN.fullmatch(str(output)) else json.dumps(str(output))
    click.echo(
        f"{output}: compares tokenizers on {text} ({facts.running:,} words, {facts.distinct:,}"
        f" distinct)\nNext: tokbench run {shown}"
    )


def _path(file: Path, config: Path) -> str:
    """Spell the path of a file as a config in another folder names it."""
    path = str(file) if file.is_absolute() else os.path.relpath(file, config.parent)
    return path if PLAIN.fullmatch(path) else json.dumps(path, ensure_ascii=False)


def sizes_for(facts: TextFacts) -> list[str]:
    """Return the lines of the sizes: at most five, between the alphabet and half the words."""
    # An alphabet holds each letter twice: inside a word, and at its end.
    fitting = [size for size in SIZES if 2.5 * facts.letters <= size <= facts.distinct / 2]
    if fitting:
        words = f"of at most half of the {facts.distinct:,} distinct words"
        return [f"# Vocabulary sizes, {words}.", f"sizes: {fitting[-MOST_SIZES:]}"]
    most = max(facts.distinct, 4)
    why = "too few words for usual sizes: so these are numbers of merges, beside the alphabet"
    return [
        f"# {facts.distinct:,} distinct words and {facts.letters:,} letters are {why}.",
        f"merges: {[most // 4, most // 2, most]}",
    ]


def written(facts: TextFacts, text: str, test: str | None, pretrained: Sequence[str]) -> str:
    """Write the config."""
    scored = "{split: 0.1, of: train, by: line}   # a tenth of its lines" if test is None else test
    head = ["# Compares tokenizers on one text. Change what you like: configs/README.md explains"]
    head.append("# all keys, and `tokbench plugins --components` lists all learners.")
    if facts.unspaced > KOREAN:
        head.append("# This script puts no spaces between words, so that words are whole runs.")
    return "\n".join(
        [
            *head,
            "corpora:",
            f"  train: {text}   # all systems learn from it",
            "  test:   # and are scored on what none of them has seen",
            f"    held-out: {scored}",
            "",
            *sizes_for(facts),
            "",
            "systems:",
            "  - bpe       # byte pair encoding; the first system is the baseline",
            "  - unigram   # a probabilistic model, as SentencePiece learns it",
            *_korean(facts),
            "  - char      # two simple ones: every character is a token,",
            "  - word      # or every frequent word",
            *(f"  - {name}" for name in pretrained),
            "  # - byte-bpe   # as GPT-2 does it: on bytes, in whole lines",
            "",
            "# metrics: all   # every metric; without this key a core of them is scored",
            "# assert: ['bpe fertility[held-out] <= 2']   # what must hold, else the code is 5",
            "",
        ]
    )


def _korean(facts: TextFacts) -> list[str]:
    if facts.korean <= KOREAN:
        return []
    line = "  - {name: bpe-morphemes, learner: bpe, split: kiwi}   # inside Korean morphemes"
    if find_spec("kiwipiepy") is not None:
        return [line]
    return [f"  # needs `pip install 'tokbench[korean]'`:\n  #{line[1:]}"]
