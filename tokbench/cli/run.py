"""`tokbench run`: the whole job."""

import hashlib
import json
import re
import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tokbench import plugins
from tokbench.api import Size
from tokbench.assertions import results
from tokbench.cli import load_command
from tokbench.cli.assertions import (
    NOT_HELD,
    assert_option,
    numbers_of,
    parse_assertions,
    say_results,
    warn_of_names,
)
from tokbench.cli.options import (
    PATH,
    plugin_option,
    say,
    verbose_option,
    warn_broken,
    warn_of_plain_python,
)
from tokbench.cli.progress import showing_progress
from tokbench.config import Experiment, load_experiment
from tokbench.config.document import with_sizes
from tokbench.errors import UsageError

if TYPE_CHECKING:
    from tokbench.corpora.load import Corpora


CONFIG_ENDINGS = (".yaml", ".yml")
LOOKS_LIKE_CONFIG = re.compile(rb"""^[\s{"']*corpora["']? *:""", re.MULTILINE)
HEAD = 1 << 16


@click.command()
@click.argument("paths", metavar="CONFIG | TEXT...", nargs=-1, type=PATH)
@click.option("--test", type=PATH, help="The text to score, if it is not the last TEXT.")
@click.option(
    "--size",
    "sizes",
    metavar="N,...",
    multiple=True,
    callback=lambda _context, _option, written: _sizes(written),
    help="Vocabulary sizes instead of those of CONFIG, or for TEXT instead of those that `tokbench"
    " init` chooses: 8000,16000, or merges:8000.",
)
@click.option(
    "--pretrained", metavar="NAME", multiple=True, help="A ready-made tokenizer to compare with."
)
@click.option("--field", metavar="NAME", help="What holds the text of each record of TEXT.")
@click.option(
    "--config",
    "new_config",
    type=PATH,
    help="The config that is written for TEXT [default: tokbench.yaml].",
)
@click.option("-o", "--output", type=PATH, help="The run folder [default: runs/<config>-<digest>].")
@plugin_option
@assert_option
@click.option(
    "--fresh",
    is_flag=True,
    help="Learn and cut everything again, also what the cache has of earlier runs.",
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Run the systems on the workers of this Dask scheduler (tcp://HOST:PORT), or of this"
    " machine (local: as many as `jobs` of CONFIG, by default one for each processor).",
)
@click.option("-q", "--quiet", is_flag=True, help="Print neither progress nor the short table.")
@verbose_option
def command(
    paths: tuple[Path, ...],
    test: Path | None,
    sizes: Sequence[Size],
    pretrained: tuple[str, ...],
    field: str | None,
    new_config: Path | None,
    output: Path | None,
    plugin_files: tuple[Path, ...],
    asserted: tuple[str, ...],
    fresh: bool,
    dask: str | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Learn, segment and score what CONFIG asks for; write results and a report.

    For texts instead of a config (a file that ends in .yaml or .yml), it writes the config that
    `tokbench init` writes for them, and runs it: of several, the last is scored and all others are
    learned from; of a single one, a tenth of its lines is scored.

    Exit codes: 0 done, 1 done but a system or metric failed or nothing could be scored, 2 wrong
    config or usage, 3 a plugin is missing or broken, 4 a file cannot be read or written, 5 an
    assertion does not hold, 130 interrupted.
    """
    from_options = parse_assertions(asserted)
    options = {
        "--test": test, "--field": field, "--pretrained": pretrained, "--config": new_config
    }  # fmt: skip
    if not paths:
        runs = (
            f": `tokbench run {shlex.quote(str(new_config))}` runs a config" if new_config else ""
        )
        raise UsageError(f"found neither a config nor a text to compare on{runs}")
    config = _config_among(paths, [option for option, value in options.items() if value])
    if config is None:
        if any(size.prefix for size in sizes):
            raise UsageError("--size: for texts give numbers of tokens; merges go into a config")
        config = new_config or Path("tokbench.yaml")
        _write_config(config, paths, test, field, pretrained, sizes, plugin_files)
        sizes = ()
    registry = plugins.load(plugin_files, lazy=True)
    text = with_sizes(config, sizes) if sizes else None
    experiment = load_experiment(config, registry, text)
    assertions = (*experiment.assertions, *from_options)
    warn_broken(registry, plugin_files)
    warn_of_names(assertions, experiment)
    warn_of_plain_python()
    with showing_progress(quiet, verbose) as progress, ExitStack() as stack:
        progress.expect(len(experiment.systems))
        progress("reading corpora")
        # NumPy comes in only now, so that an error or the first line is shown at once.
        from tokbench.cli.views import files_of, shown, view_of, with_additions, write_views
        from tokbench.corpora.files import telling
        from tokbench.issues import Location, attempt
        from tokbench.run_folder.folder import locked_for_run, write_run
        from tokbench.runner.cache import opened
        from tokbench.runner.experiment import execute, read_corpora

        texts = (getattr(corpus.source, "path", ()) for corpus in experiment.corpora)
        inputs = [config, *chain.from_iterable(texts)]
        files, failures = files_of(registry)

        def lock(folder: Path) -> Path:
            stack.enter_context(locked_for_run(folder, files, inputs))
            return folder

        # A named folder is locked before the texts are read, on which the default one depends.
        folder = None if output is None else lock(output)
        with telling(progress.read):
            corpora = read_corpora(experiment, registry)
        folder = folder or lock(default_folder(experiment, corpora))
        cache = stack.enter_context(opened(fresh, say))
        client = None
        if dask is not None:
            from tokbench.cluster import connected

            progress("connecting to Dask")
            many = experiment.jobs if experiment.jobs > 1 else None
            client = stack.enter_context(connected(dask, many))
        run = execute(experiment, corpora, registry, progress.of_system, cache, client)
        progress("writing", 1.0)
        write_run(folder, run, dict.fromkeys(files), is_locked=True)
        run, unadded = with_additions(run, registry)
        views, unmade = write_views(folder, run, registry, files, experiment.limits)
    for warning in (*run.record.warnings, *run.record.unreached, *run.record.notes):
        say(f"warning: {warning}")
    failures = [*run.record.failures, *failures, *unadded, *unmade]
    named = {"folder": shlex.quote(str(folder))}
    table = attempt(
        Location(part="summary"),
        lambda: "" if quiet else shown(view_of(registry, "summary", named), run),
    )
    for failure in (*failures, *(issue.text for issue in table.issues)):
        say(f"failed: {failure}")
    if not quiet:
        click.echo(table.value or "")
        page = next((name for name in ("report.html", "report.md") if name in views), "")
        click.echo(f"Report: {folder / page}")
    all_hold = say_results(results(assertions, numbers_of(run)), quiet)
    return 1 if failures or table.issues else 0 if all_hold else NOT_HELD


def _sizes(written: Sequence[str]) -> list[Size]:
    """Read sizes that commas part; raises UsageError for anything else, and for two units."""
    try:
        sizes = [Size.parse(part.strip()) for text in written for part in text.split(",")]
    except ValueError as error:
        raise UsageError(f"--size: {error}") from None
    if not all(size.number for size in sizes):
        raise UsageError("--size: found 0, expected a number above 0")
    if len({size.prefix for size in sizes}) > 1:
        raise UsageError("--size: give numbers of tokens, or of merges, not both")
    return sizes


def _config_among(paths: Sequence[Path], options: Sequence[str]) -> Path | None:
    """Return the config, or None where all paths are texts.

    A single pipe is a config, since a text is read twice. Raises UsageError for a config beside
    other files or options that go with texts, and for one whose name does not end as it should.
    """
    first = paths[0]
    named = [path for path in paths if path.suffix.lower() in CONFIG_ENDINGS]
    configs = [first] if len(paths) == 1 and first.is_fifo() else named
    if configs and len(paths) > 1:
        raise UsageError(f"{configs[0]}: is a config by its name: give it alone, or texts alone")
    if configs and options:
        raise UsageError(
            f"{options[0]} goes with texts, and {configs[0]} is a config by its name: change that"
        )
    if not configs and len(paths) == 1 and first.is_file():
        with first.open("rb") as file:
            if LOOKS_LIKE_CONFIG.search(file.read(HEAD)):
                raise UsageError(f"{first}: looks like a config: give it a name that ends in .yaml")
    return configs[0] if configs else None


def _write_config(
    config: Path,
    texts: Sequence[Path],
    test: Path | None,
    field: str | None,
    pretrained: Sequence[str],
    sizes: Sequence[Size],
    plugin_files: Sequence[Path],
) -> None:
    """Have `tokbench init` write the config for texts."""
    arguments = ["-o", str(config), "--quiet"]
    options: dict[str, Sequence[object]] = {
        "--test": [test], "--field": [field], "--pretrained": pretrained, "--size": sizes,
        "-p": plugin_files,
    }  # fmt: skip
    for option, values in options.items():
        for value in filter(None, values):
            arguments += [option, str(value)]
    arguments += ["--", *map(str, texts)]
    load_command("init").main(arguments, "tokbench init", standalone_mode=False)
    say(f"config: {config} (`tokbench run {shlex.quote(str(config))}` runs it again)")
    if test is None and len(texts) > 2:
        others = f"the {len(texts) - 1} others are learned from"
        say(f"note: {texts[-1]} alone is scored, {others}; --test scores another")


def default_folder(experiment: Experiment, corpora: "Corpora") -> Path:
    """Name a run after its config and the digest of what it depends on."""
    train = corpora.train
    digests = [*([train.digest] if train else []), *(test.digest for test in corpora.tests)]
    digests += [file.digest for file in experiment.files]
    document = json.dumps([experiment.resolved, digests], sort_keys=True)
    digest = hashlib.sha256(document.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Path("runs") / f"{experiment.path.stem}-{digest}"
