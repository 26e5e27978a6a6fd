"""`tokbench learn`: one corpus and one learner to one vocabulary."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from tokbench.api import Learner, Marks, Size, Step, UsageError
from tokbench.commands import (
    PATH,
    Use,
    core,
    load,
    plugin_option,
    run_plugin_code,
    say,
    showing_progress,
    telling,
    verbose_option,
    warn_of_plain_python,
)
from tokbench.interchange import hints
from tokbench.printing import one_line
from tokbench_commands.cutting import checking, training_text
from tokbench_commands.shared import (
    Treatment,
    build,
    component_options,
    corpus,
    treatment_options,
    use_option,
    with_output,
)
from tokbench_commands.tokenizers import STDIN

NO_ITERATIONS = "learner {} has no iterations to show: leave out --trace"


@click.command()
@click.argument("files", metavar="[CORPUS...]", nargs=-1, type=PATH)
@use_option("--learner", "use", "The learner.", default="bpe", show_default=True)
@component_options(
    "An option of the learner, spelled as in a config: -O merge=list -O 'eow={kind: fenced}'."
)
@click.option("--size", type=click.IntRange(min=1), help="The size of the whole vocabulary.")
@click.option("--merges", type=click.IntRange(min=0), help="The number of merges to learn.")
@treatment_options
@verbose_option
@click.option("--trace", is_flag=True, help="Show each iteration instead of the vocabulary.")
@plugin_option
@with_output
def command(
    files: tuple[Path, ...],
    use: Use,
    options: Mapping[str, Any],
    size: int | None,
    merges: int | None,
    treatment: Treatment,
    verbose: bool,
    trace: bool,
    plugin_files: tuple[Path, ...],
) -> None:
    """Learn a vocabulary from the text files CORPUS, and print or write it.

    A learner that loads a ready-made tokenizer needs no CORPUS.
    """
    warn_of_plain_python()
    registry = load(plugin_files, lazy=True)
    name = use.use
    learner: Learner = build(registry, "learner", use, options)
    if trace and type(learner).trace is Learner.trace:
        raise UsageError(NO_ITERATIONS.format(name))
    asked = _asked(learner, name, size, merges)
    with run_plugin_code(f"learner {name}"):
        reads = learner.reads
    if Path(STDIN) in files:
        raise UsageError("CORPUS is a file, not standard input (-): save the text in one")
    if reads != "nothing" and not files:
        raise UsageError(f"learner {name} learns from {reads}: give a CORPUS to read")
    if reads == "nothing" and files:
        say(f"warning: learner {name} learns from no text and ignores CORPUS")
        files = ()
    described = corpus(registry, files, treatment) if files else None
    with showing_progress(False, verbose) as progress:
        progress("reading")
        with telling(progress.read):
            training = core.TrainingText({}, ()) if described is None else training_text(described)
        progress("learning", 1.0)
        with run_plugin_code(f"learner {name}"):
            if trace:
                text = _trace(learner.trace(training.words, asked), _marks(learner), name)
            else:
                with checking(f"learner {name}"), hints(registry, name, learner):
                    vocabulary = core.learn(learner, training, asked if learner.sized else None)
                text = vocabulary.to_json()
        progress("writing", 1.0)
    click.echo(text, nl=False)


def _asked(learner: Learner, name: str, size: int | None, merges: int | None) -> Size:
    """Return the size asked for; warn where the learner takes none."""
    sizes = {"--size": size, "--merges": merges}
    options = [option for option, value in sizes.items() if value is not None]
    with run_plugin_code(f"learner {name}"):
        sized = learner.sized
    if sized and len(options) != 1:
        raise UsageError("give either --size or --merges")
    if not sized and options:
        say(f"warning: learner {name} takes no size and ignores {' and '.join(options)}")
    return Size(total=size) if size is not None else Size(learned=merges or 0)


def _trace(steps: Iterable[Step], marks: Marks, name: str) -> str:
    """Spell each iteration: the counts or scores, the choice, and the words after it."""

    def spell(symbols: tuple[str, ...]) -> str:
        return one_line(" ".join(map(marks.show, symbols)))

    text = ""
    for step in steps:
        scored = "scores" if float in map(type, step.candidates.values()) else "counts"
        counts = ", ".join(f"{spell(pair)}: {count:g}" for pair, count in step.candidates.items())
        words = ", ".join(f"{spell(word)}: {count}" for word, count in step.words.items())
        text += f"Iteration {step.number}\n"
        if step.chosen:
            text += f"  {scored}: {counts}\n  chosen: {spell(step.chosen)}\n"
        text += f"  words: {words}\n"
    if not text:
        raise UsageError(NO_ITERATIONS.format(name))
    return text


def _marks(learner: Learner) -> Marks:
    """Read the marks that a learner's options ask for, as far as it has such options."""
    marks = {name: getattr(learner, name, None) for name in Marks.model_fields}
    return Marks(**{name: mark for name, mark in marks.items() if mark is not None})
