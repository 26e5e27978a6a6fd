"""`tokbench check`: find every mistake before anything is learned."""

from pathlib import Path

import click

from tokbench.commands import (
    PATH,
    core,
    load,
    load_experiment,
    plugin_option,
    say,
    warn_broken,
    warn_of_names,
)
from tokbench.printing import counted, rounded
from tokbench_commands.shared import with_output


@click.command()
@click.argument("config", type=PATH)
@plugin_option
@with_output
def command(config: Path, plugin_files: tuple[Path, ...]) -> None:
    """Check CONFIG and its corpora: names, options, files. Nothing is learned or written."""
    registry = load(plugin_files, lazy=True)
    experiment = load_experiment(config, registry)
    warn_broken(registry, plugin_files)
    warn_of_names(experiment.assertions, experiment)
    corpora = experiment.load_corpora()
    core.check_blocks(experiment, corpora)
    few = [issue.text for issue in core.few_documents(corpora.tests, experiment)]
    for warning in (*experiment.warnings, *corpora.warnings, *few):
        say(f"warning: {warning}")
    train, text = corpora.train, "no training text"
    if train:
        text = f"train {train.name}: {counted(train.running, 'word')}"
        text += f", {len(train.words):,} distinct"
        for system in experiment.systems:
            words = core.training_words(train.words, system.splitter)
            for issue in core.too_small(system, words, system.sizes):
                say(f"warning: {issue.text}")
    systems, metrics = len(experiment.systems), len(experiment.metrics)
    click.echo(f"{config}: {counted(systems, 'system')}, {counted(metrics, 'metric')}; {text}")
    on_text, others = core.learning_counts(experiment)
    more = f", and {others} more on samples or shares of it, or as repeats" if others else ""
    if train:
        click.echo(f"learning runs: {on_text} on the training text{more}")
    for test in corpora.tests:
        running = int(test.words.count.sum())
        unseen = float(test.words.count[test.words.unseen].sum()) / running
        share_unseen = f", {rounded(100 * unseen, 1)}% unseen" if train else ""
        click.echo(
            f"{test.kind} {test.name}: {running} words, {len(test.words)} distinct{share_unseen}"
        )
