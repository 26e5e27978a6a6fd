"""`tokbench init`: a commented config for one's own text."""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import click

from tokbench.api import InputError, Learner, Size, UsageError
from tokbench.commands import PATH, EncodingError, Registry, Use, load, plugin_option, read_value
from tokbench.printing import json_text, percent, printable
from tokbench_commands.cutting import training_text
from tokbench_commands.shared import build, check_absent, corpus, field_option, write_files

FEWEST_LINES = 20
"""Of a text with fewer lines, a tenth is less than two lines: too few to score anything."""

INTERVAL_LINES = 20
"""A test with fewer lines has no intervals."""

SIZES = (300, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000)
"""None is below 256: a vocabulary of bytes has all of them, and so no smaller size."""

FEWEST_SIZES, MOST_SIZES = 3, 5
"""With fewer sizes, nothing could be read about size."""

GATE = 0.01
"""Systems with more unknown words are not compared by length: the default `gate` of a config."""

TRIED_WORDS = 5000
"""So many words show quickly how much a short text gives to learn."""

REACHED = 2 / 3
"""Of the tokens that a whole text gives; so many remain when a tenth of its lines is held out."""

KOREAN = 0.3
"""A text is Korean, or unspaced, if so many of its letters are."""

HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]")
LEARNED_BY = ("bpe", "unigram")
SYSTEMS = (
    "  - bpe       # byte pair encoding; the first system is the baseline",
    "  - unigram   # a probabilistic model, as SentencePiece learns it",
)
ON_BYTES = (
    "  - byte-bpe  # on bytes, so that no character is unknown; the first is the baseline",
    "  - bpe       # on characters: those that it never saw are unknown",
    SYSTEMS[1],
)


@dataclass(frozen=True)
class TextFacts:
    """Counts of a text, its scripts, and the share of test words that hold an unknown character."""

    running: int
    distinct: int
    letters: int
    korean: bool
    unspaced: bool
    unknown: float

    @property
    def needs_bytes(self) -> bool:
        """Whether systems on characters are likely to know too little of the test."""
        return self.korean or self.unknown > GATE

    @classmethod
    def of(cls, words: Mapping[str, int], test: Mapping[str, int]) -> "TextFacts":
        """Count the words of a text, and those of its test; an empty test is a part of the text."""
        letters = sum(len(word) * count for word, count in words.items())

        def is_written_in(script: re.Pattern[str]) -> bool:
            letters_in_script = sum(
                len(script.findall(word)) * count for word, count in words.items()
            )
            return letters_in_script > KOREAN * letters

        alphabet = set().union(*words)
        korean, unspaced = map(is_written_in, (HANGUL, UNSPACED))
        unknown = sum(count for word, count in test.items() if not alphabet.issuperset(word))
        share = unknown / max(sum(test.values()), 1)
        return cls(sum(words.values()), len(words), len(alphabet), korean, unspaced, share)


@click.command()
@click.argument("text", type=PATH)
@click.argument("test", type=PATH, required=False)
@click.option(
    "--pretrained",
    metavar="NAME",
    multiple=True,
    help="A ready-made tokenizer to compare with: gpt2, bert-base-uncased, cl100k, o200k, ...",
)
@field_option
@click.option(
    "-o", "--output", type=PATH, default="tokbench.yaml", show_default=True, help="The config."
)
@plugin_option
def command(
    text: Path,
    test: Path | None,
    pretrained: tuple[str, ...],
    field: str | None,
    output: Path,
    plugin_files: tuple[Path, ...],
) -> None:
    """Write a commented config that compares tokenizers on TEXT.

    They are scored on TEST, or else on a tenth of the lines of TEXT, which none of them learns
    from. Sizes follow from the number of distinct words. No file is written over.
    """
    registry = load(plugin_files, lazy=True)
    pretrained = tuple(dict.fromkeys(pretrained))
    for name in pretrained:
        _check_ready_made(registry, name)
    check_absent(output)
    words, lines = _read(registry, text, field)
    test_words: Mapping[str, int] = {}
    if test is None:
        held_out = round(0.1 * lines)
        scored = "{split: 0.1, of: train, by: line}   # a tenth of its lines"
        if lines < FEWEST_LINES:
            raise InputError(
                f"{text}: has {_counted(lines, 'line')}, too few to hold out a tenth of them (at"
                f" least {FEWEST_LINES}): give a TEST, another text to score"
            )
    else:
        test_words, held_out = _read(registry, test, field)
        if test.exists() and text.exists() and test.samefile(text):
            raise UsageError(
                f"{test}: TEST is the same file as TEXT: leave it out, and a tenth of the lines"
                " is held out"
            )
        scored = _path(test, output, field)
    facts = TextFacts.of(words, test_words)
    notes = _notes(facts, held_out)
    sizes = _sizes(facts) or _merges(facts, _learnable(registry, words))
    write_files(
        {output: _config(facts, _path(text, output, field), scored, notes, sizes, pretrained)}
    )
    sentences = [
        f"{output}: compares tokenizers on {text} ({_counted(facts.running, 'word')},"
        f" {facts.distinct:,} distinct)",
        *(f"Note: {note}" for note in notes),
        f"Next: tokbench run {shlex.quote(str(output))}",
    ]
    click.echo(printable("\n".join(sentences)))


def _check_ready_made(registry: Registry, name: str) -> None:
    """Raise UsageError for what is no ready-made tokenizer, or has its files nowhere."""
    registry.find("learner", name)
    learner: Learner = build(registry, "learner", Use(use=name))
    if learner.reads != "nothing":
        raise UsageError(
            f"--pretrained {name}: is not ready-made, it learns from a text: add it to `systems`"
            " of the config"
        )


def _read(registry: Registry, text: Path, field: str | None) -> tuple[Mapping[str, int], int]:
    """Return the counted words of a text, and the number of its lines that are not blank."""
    try:
        training = training_text(corpus(registry, [text], field=field))
    except EncodingError as error:
        # There is no config yet that could say how to read it.
        raise InputError(error.what) from None
    return training.words, sum(1 for _ in training.lines)


def _path(file: Path, config: Path, field: str | None) -> str:
    """Spell the path of a file as a config in another folder names it, with the field."""
    if field is not None:
        return f"{{path: {_path(file, config, None)}, field: {json_text(field)}}}"
    path = str(file) if file.is_absolute() else os.path.relpath(file, config.parent)
    try:
        return path if path.isprintable() and read_value(path) == path else json_text(path)
    except UsageError:  # it is no YAML without quotes
        return json_text(path)


def _notes(facts: TextFacts, held_out: int) -> list[str]:
    """Say what is special about the text, in one sentence each."""
    notes = []
    if held_out < INTERVAL_LINES:
        lines = "1 line, which is" if held_out == 1 else f"{held_out} lines, which are"
        notes.append(f"held-out has {lines} too few for intervals: they need {INTERVAL_LINES}.")
    if facts.korean:
        morphemes = ", and inside the morphemes that kiwi finds."
        if not _has_kiwi():
            morphemes = "; for morphemes, pip install 'tokbench[korean]'"
        notes.append(f"this is Korean: BPE is also tried on bytes{morphemes}")
    elif facts.needs_bytes:
        notes.append(
            f"{percent(facts.unknown, 1)} of the running words of held-out hold a character that"
            " train lacks: BPE is also tried on bytes, which know every character."
        )
    if facts.unspaced:
        notes.append(
            "this script puts no spaces between words, so a word here is everything between two"
            " spaces or punctuation marks."
        )
    return notes


def _has_kiwi() -> bool:
    return find_spec("kiwipiepy") is not None


def _sizes(facts: TextFacts) -> list[str]:
    """Return the lines of the sizes, none where fewer than three usual sizes fit.

    At most five are taken, between the alphabet and half of the distinct words.
    """
    # An alphabet holds each letter twice: inside a word, and at its end.
    fitting = [size for size in SIZES if 2.5 * facts.letters <= size <= facts.distinct / 2]
    if len(fitting) < FEWEST_SIZES:
        return []
    words = f"of at most half of the {facts.distinct:,} distinct words"
    return [f"# Vocabulary sizes, {words}.", f"sizes: {fitting[-MOST_SIZES:]}"]


def _learnable(registry: Registry, words: Mapping[str, int]) -> int:
    """Return how many tokens beside the alphabet every learner finds in a part of a text."""
    tried = dict(islice(words.items(), TRIED_WORDS))
    learned = [len(tried)]
    for name in LEARNED_BY:
        learner: Learner = build(registry, "learner", Use(use=name))
        learned.append(len(learner.learn(tried, Size(learned=len(tried))).learned))
    return int(REACHED * min(learned))


def _counted(number: int, unit: str) -> str:
    return f"{number:,} {unit}{'s' * (number != 1)}"


def _merges(facts: TextFacts, most: int) -> list[str]:
    """Return the lines of numbers of merges, for a text that too few usual sizes fit."""
    most -= most % 10 ** max(len(str(most)) - 2, 0)
    return [
        f"# Fewer than {FEWEST_SIZES} usual vocabulary sizes fit"
        f" {_counted(facts.distinct, 'distinct word')} and an alphabet of"
        f" {_counted(facts.letters, 'character')}.",
        "# These are numbers of merges instead: of tokens beside the alphabet.",
        f"merges: {sorted({max(most // part, 1) for part in (4, 2, 1)})}",
    ]


def _config(
    facts: TextFacts,
    text: str,
    test: str,
    notes: Sequence[str],
    sizes: Sequence[str],
    pretrained: Sequence[str],
) -> str:
    """Write the config."""
    return "\n".join(
        [
            "# Compares tokenizers on one text. Change what you like: configs/README.md explains",
            "# all keys, and `tokbench plugins --components` lists all learners.",
            *(f"# Note: {note}" for note in notes),
            "corpora:",
            f"  train: {text}   # all systems learn from it",
            "  test:   # and are scored on what none of them has seen",
            f"    held-out: {test}",
            "",
            *sizes,
            "",
            "systems:",
            *(_korean() if facts.korean else ON_BYTES if facts.needs_bytes else SYSTEMS),
            "  - char      # two simple ones: every character is a token,",
            "  - word      # or every frequent word",
            *(f"  - {name}" for name in pretrained),
            "  # - {name: bytes, learner: {use: byte-bpe, read: lines}}   # as GPT-2 does it",
            "",
            "# metrics: all   # every metric; without this key a core of them is scored",
            "# assert: ['bpe fertility[held-out] <= 2']   # what must hold, else the code is 5",
            "",
        ]
    )


def _korean() -> list[str]:
    """Return the systems for Korean, where syllables of a new text are often unknown."""
    mark = "" if _has_kiwi() else "# "
    inside = "{{name: {}-morphemes, learner: {}, split: kiwi}}"
    return [
        "  - byte-bpe  # on bytes, so that no syllable is unknown; the first is the baseline",
        f"  {mark}- {inside.format('byte', 'byte-bpe')}   # the same inside morphemes",
        *("  - bpe       # on characters: syllables that it never saw are unknown", SYSTEMS[1]),
        f"  {mark}- {inside.format('bpe', 'bpe')}",
    ]
