"""`tokbench init`: a commented config for one's own text."""

import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

import click

from tokbench.api import InputError, Learner, UsageError
from tokbench.commands import (
    MINIMUM_UNITS,
    PATH,
    DescribedCorpus,
    EncodingError,
    Registry,
    Split,
    core,
    load,
    plugin_option,
    read_value,
    say,
)
from tokbench.printing import PUNCTUATION_COUNTS, counted, json_text, percent, printable
from tokbench_commands.init_facts import ChosenSizes, TextFacts, choose_sizes
from tokbench_commands.shared import (
    Treatment,
    build,
    check_absent,
    corpus,
    field_option,
    read_use,
    write_files,
)

HELD_OUT = "held-out"
SHARE = 0.1
FIRST_LINE = "# Compares tokenizers on your text. Change what you like: configs/README.md explains"
UNIGRAM = "  - unigram   # a probabilistic model, as SentencePiece learns it"
SYSTEMS = (
    "  - bpe       # byte pair encoding; the first system is the baseline",
    "  - byte-bpe  # the same on bytes, so that no character is unknown",
    UNIGRAM,
)
ON_BYTES = (
    "  - byte-bpe  # on bytes, so that no character is unknown; the first is the baseline",
    "  - bpe       # on characters: those that it never saw are unknown",
    UNIGRAM,
)


class BothTexts(NamedTuple):
    """The counted words to learn from and to score, the lines to score, and each text's field."""

    train: Mapping[str, int]
    test: Mapping[str, int]
    test_lines: int
    fields: Sequence[str | None]
    unit: str = "line"


@click.command()
@click.argument("texts", metavar="TEXT...", nargs=-1, required=True, type=PATH)
@click.option("--test", type=PATH, help="The text to score, if it is not the last TEXT.")
@click.option(
    "--size",
    "sizes",
    type=click.IntRange(min=1),
    multiple=True,
    help="A vocabulary size, as often as needed [default: those that suit the text].",
)
@click.option(
    "--pretrained",
    metavar="NAME",
    multiple=True,
    help="A ready-made tokenizer to compare with: gpt2, cl100k, or any of `tokbench models list`.",
)
@field_option
@click.option(
    "-o", "--output", type=PATH, default="tokbench.yaml", show_default=True, help="The config."
)
@click.option("-q", "--quiet", is_flag=True, help="Print only warnings.")
@plugin_option
def command(
    texts: tuple[Path, ...],
    test: Path | None,
    sizes: tuple[int, ...],
    pretrained: tuple[str, ...],
    field: str | None,
    output: Path,
    quiet: bool,
    plugin_files: tuple[Path, ...],
) -> None:
    """Write a commented config that compares tokenizers on TEXT.

    Of several, the last is scored and all others are learned from. Of a single one, a tenth of its
    lines is scored, which no tokenizer learns from. Sizes go as far as a quick BPE still saves
    tokens. No file is written over.
    """
    registry = load(plugin_files, lazy=True)
    if not (output.is_file() and output.read_bytes().startswith(FIRST_LINE.encode())):
        check_absent(output)
    systems = [_ready_made(registry, name) for name in dict.fromkeys(pretrained)]
    if test is None and len(texts) > 1:
        *train, test = texts
    else:
        train = [*texts]
    words = _read(registry, train, test, field)
    facts = TextFacts.of(words.train, words.test)
    notes = _notes(facts, words.test_lines)
    chosen = (
        ChosenSizes("sizes", sorted({*sizes}), ["# Vocabulary sizes."])
        if sizes
        else choose_sizes(registry, words.train, words.test, facts)
    )
    scored = f"{{split: {SHARE}, of: train, by: {words.unit}}}   # a tenth of its {words.unit}s"
    paths = ", ".join(_path(text, output) for text in train)
    paths = paths if len(train) == 1 else f"[{paths}]"
    config = _config(
        facts,
        [_gold(text, output) for text in train if _is_treebank(text)][:1],
        _with_field(paths, words.fields[0]),
        scored if test is None else _with_field(_path(test, output), words.fields[-1]),
        notes,
        chosen,
        len(words.train),
        systems,
    )
    is_there = output.is_file() and output.read_text("utf-8") == config
    if output.is_file() and not is_there:
        raise UsageError(
            f"{output}: already exists, for other texts or sizes, or changed since:"
            f" `tokbench run {shlex.quote(str(output))}` runs it; to write another, choose another"
            " name (-o of `tokbench init`, --config of `tokbench run`)"
        )
    if not is_there:
        write_files({output: config})
    if not quiet:
        every = words.train if test else Counter(words.train) + Counter(words.test)
        sentences = [
            f"{output}: compares tokenizers on {', '.join(map(str, train))}"
            f" ({counted(sum(every.values()), 'word')}, {len(every):,} distinct;"
            f" {PUNCTUATION_COUNTS})",
            *(f"Note: {note}" for note in notes),
            f"Next: tokbench run {shlex.quote(str(output))}",
        ]
        click.echo(printable("\n".join(sentences)))


def _ready_made(registry: Registry, name: str) -> str:
    """Return the line of a ready-made tokenizer: a comment, with a warning, if its file is missing.

    Raises UsageError for what is no ready-made tokenizer.
    """
    from tokbench_ready_made.published import read_models  # help needs no plugin

    models = read_models()
    written = models[name].config if name in models else name
    use = read_use(written, "--pretrained")
    # Written out, a component has no name of its own: it is called after its model.
    title = name if name in models else str(use.options.get("name", use.use)).rpartition("/")[2]
    system = name if written == name == use.use else f"{{name: {title}, learner: {written}}}"
    registry.find("learner", use.use)
    try:
        learner: Learner = build(registry, "learner", use)
    except InputError as error:
        say(f"warning: {error}; until then {name} is a comment in the config")
        get = f": `tokbench models get {name}`" if name in models else ""
        return f"  # - {system}   # its files are missing{get}"
    if learner.reads != "nothing":
        raise UsageError(
            f"--pretrained {name}: is not ready-made, it learns from a text: add it to `systems`"
            " of the config"
        )
    return f"  - {system}"


def _read(
    registry: Registry, train: Sequence[Path], test: Path | None, field: str | None
) -> BothTexts:
    """Read the texts to learn from, and the one to score; without one a tenth is held out.

    That is the same tenth that a run of the config holds out. Raises UsageError if the text to
    score is also learned from, InputError if it is too short to be held out.
    """
    described = corpus(registry, train, Treatment(field=field))
    files = [file for text in train for file in core.files_of(text)]
    scored: dict[Literal["document", "line"], DescribedCorpus] = {}
    if test is not None:
        scored["line"] = corpus(registry, [test], Treatment(field=field))
        if any(file.samefile(other) for file in files for other in core.files_of(test)):
            raise UsageError(
                f"{test}: is scored and learned from: learn from other files, or give one text"
                " alone, and a tenth of its lines is held out"
            )
    else:
        # A record should not be learned from and scored in parts, unless there are too few.
        records = any(core.kind_of(file) != "text" for file in files)
        units: list[Literal["document", "line"]] = ["document", "line"] if records else ["line"]
        for unit in units:
            scored[unit] = replace(described, source=Split(split=SHARE, by=unit))
    for unit, held_out in scored.items():
        try:
            corpora = core.load_corpora(described, {HELD_OUT: held_out}, {}, {}, seed=0)
            break
        except EncodingError as error:
            # There is no config yet that could say how to read it.
            raise InputError(error.what) from None
        except UsageError as error:
            if test is not None:
                raise
            if unit == "line":
                what = f"{train[0]}: no tenth of it can be held out ({error})"
                raise InputError(f"{what}: give another text to score") from None
    assert corpora.train is not None  # it was asked for
    words, reader = corpora.tests[0].words, corpora.tests[0].reader
    scored_alone = [] if test is None or reader is None else [reader]
    fields = list[str | None]()
    for read in (corpora.train.lines, *scored_alone):
        for warning in read.warnings:
            say(f"warning: {warning}")
        columns = {*map(read.columns.get, read.paths)}
        fields.append(field or (columns.pop() if len(columns) == 1 else None))
    counts = dict(zip(words.text, words.count.tolist(), strict=True))
    return BothTexts(corpora.train.words, counts, len(words.lines) - 1, fields, unit)


def _with_field(paths: str, field: str | None) -> str:
    """Spell a text of the config with the field that holds it, if there is one."""
    return paths if field is None else f"{{path: {paths}, field: {json_text(field)}}}"


def _path(file: Path, config: Path) -> str:
    """Spell the path of a file as a config in another folder names it."""
    named = file if file.is_absolute() else Path(os.path.relpath(file, config.parent))
    path = named.as_posix()
    try:
        return path if path.isprintable() and read_value(path) == path else json_text(path)
    except UsageError:  # it is no YAML without quotes
        return json_text(path)


def _notes(facts: TextFacts, held_out: int) -> list[str]:
    """Say what is special about the text, in one sentence each."""
    notes = []
    if held_out < MINIMUM_UNITS:
        lines = counted(held_out, "line")
        notes.append(f"held-out has {lines}, too few for intervals: they need {MINIMUM_UNITS}.")
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


def _is_treebank(text: Path) -> bool:
    """Return whether a text is a treebank, which may have morphemes."""
    return text.is_file() and core.kind_of(text) == "conllu"


def _gold(text: Path, config: Path) -> str:
    """Return a comment with which the config would score the morphemes of a treebank."""
    path = _path(text, config)
    return (
        "  # To score its morphemes too, if it has any, uncomment this line:\n"
        f"  # gold: {{treebank: {{path: {path}, format: conllu, mismatch: skip}}}}"
    )


def _config(
    facts: TextFacts,
    gold: Sequence[str],
    train: str,
    test: str,
    notes: Sequence[str],
    sizes: ChosenSizes,
    distinct: int,
    ready_made: Sequence[str],
) -> str:
    """Write the config; the word system gets no sizes beyond the distinct words."""
    return "\n".join(
        [
            FIRST_LINE,
            "# all keys, and `tokbench plugins --components` lists all learners.",
            *(f"# Note: {note}" for note in notes),
            "corpora:",
            f"  train: {train}   # all systems learn from it",
            "  test:   # and are scored on what none of them has seen",
            f"    {HELD_OUT}: {test}",
            *gold,
            "",
            *sizes.comments,
            f"{sizes.key}: {sizes.numbers}",
            "",
            "systems:",
            *(_korean() if facts.korean else ON_BYTES if facts.needs_bytes else SYSTEMS),
            "  - char      # two simple ones: every character is a token,",
            _word(sizes, distinct),
            "  # Whole lines as bytes, as GPT-2: no character is unknown, no word end lost.",
            "  - {name: bytes, learner: {use: byte-bpe, read: lines}}",
            *ready_made,
            "",
            "# metrics: all   # every metric; without this key a core of them is scored",
            "# assert: ['bpe fertility[held-out] <= 2']   # what must hold, else the code is 5",
            "",
        ]
    )


def _word(sizes: ChosenSizes, distinct: int) -> str:
    """Write the system whose tokens are words, with the sizes that the text has words for."""
    reached = [size for size in sizes.numbers if size <= distinct]
    if reached == sizes.numbers:
        return "  - word      # or every frequent word"
    if not reached:
        return f"  # - word    # or every frequent word, of which the text has {distinct:,}"
    return (
        f"  - {{name: word, learner: word, {sizes.key}: {reached}}}   # or every frequent word, of"
        f" {distinct:,}"
    )


def _korean() -> list[str]:
    """Return the systems for Korean, where syllables of a new text are often unknown."""
    mark = "" if _has_kiwi() else "# "
    inside = "{{name: {}-morphemes, learner: {}, split: kiwi}}"
    return [
        "  - byte-bpe  # on bytes, so that no syllable is unknown; the first is the baseline",
        f"  {mark}- {inside.format('byte', 'byte-bpe')}   # the same inside morphemes",
        *("  - bpe       # on characters: syllables that it never saw are unknown", UNIGRAM),
        f"  {mark}- {inside.format('bpe', 'bpe')}",
    ]
