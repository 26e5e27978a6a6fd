"""`tokbench suite`: tokenizers on frozen texts, one line each, which two papers can compare."""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from tokbench.api import InputError, UsageError
from tokbench.commands import (
    NOT_HELD,
    Registry,
    Use,
    core,
    load,
    plugin_option,
    read_value,
    run_folder,
)
from tokbench.printing import json_text, printable
from tokbench_commands.shared import build, read_use, with_output
from tokbench_commands.tokenizers import find_vocabulary, reader_of

DIGITS = 6
"""How many digits of a SHA-256 a line shows."""


@click.command()
@click.argument("names", metavar="SUITE SYSTEM...", nargs=-1)
@click.option(
    "--check",
    "line",
    metavar="LINE",
    help="Measure again what LINE says, and say whether it is equal. SYSTEM alone may stand beside"
    " it, where LINE does not name its file.",
)
@plugin_option
@with_output
def command(names: Sequence[str], line: str | None, plugin_files: tuple[Path, ...]) -> int:
    """Measure each SYSTEM on the frozen texts of SUITE, and print one line to cite.

    SUITE is en-1 (English), ko-1 (Korean) or multi-1 (the same sentences in both). SYSTEM is the
    file of a tokenizer, the name of one, such as gpt2, or a system of a run: RUN:SYSTEM@SIZE.
    `sha` begins the SHA-256 of its file; of several files, that of their digests; of none, that of
    its vocabulary as JSON.

    Exit codes: 0 done, 5 LINE came out differently; others as in `tokbench run`.
    """
    suites = read_suites()
    suite, systems = _asked(suites, names, line)
    registry = load(plugin_files, lazy=True)
    for system in systems:
        measured = _line(registry, suite, suites[suite], system, plugin_files)
        if line is None:
            click.echo(printable(measured))
        else:
            return _checked(line, measured)
    return 0


def read_suites() -> Mapping[str, Mapping[str, Any]]:
    """Read the configs of the suites by name and version, without their systems."""
    suites = read_value(files("tokbench_commands").joinpath("suites.yaml").read_text("utf-8"))
    return dict(suites)


def _asked(
    suites: Mapping[str, Any], names: Sequence[str], line: str | None
) -> tuple[str, Sequence[str]]:
    """Return the suite with its version, and the systems; raises UsageError for what is neither."""
    if line is not None:
        suite, _, rest = line.partition(": ")
        system = rest.partition(" sha:")[0]
        if suite not in suites or not system or len(names) > 1:
            begin = " or ".join(f"`{suite}: `" for suite in suites)
            raise UsageError(
                f"--check: expected a line that begins {begin}, and at most one system"
            )
        return suite, names or [system]
    if len(names) < 2:
        raise UsageError("expected a suite and a tokenizer: tokbench suite en-1 gpt2")
    latest = {suite.partition(" ")[0]: suite for suite in suites}
    if names[0] not in latest:
        raise UsageError(f"no suite is called {names[0]!r}; there are: {', '.join(latest)}")
    return latest[names[0]], names[1:]


def _line(
    registry: Registry,
    suite: str,
    config: Mapping[str, Any],
    system: str,
    plugin_files: Sequence[Path],
) -> str:
    """Measure a system; raises InputError for one that fails."""
    name = Path(system).name if Path(system).is_file() else system
    with TemporaryDirectory(prefix="tokbench-") as work:
        described = {"name": "system", **_system(registry, system, Path(work))}
        text = json_text({**config, "systems": [described]})
        run = core.run_config(Path(work, "suite.yaml"), plugin_files, text, cached=True)
    if run.record.failures:
        raise InputError(run.record.failures[0].replace("system system", system, 1))
    return f"{suite}: {name} {', '.join(_facts(run))} | tokbench {run.record.tokbench}"


def _system(registry: Registry, system: str, folder: Path) -> Mapping[str, Any]:
    """Describe a system as a config does; one without a file is written into a folder first."""
    from tokbench_ready_made.published import read_models  # help needs no plugin

    path, parts = Path(os.path.abspath(system)), {}
    if system in (models := read_models()):
        parts["learner"] = read_use(models[system].config, system)
    elif path.is_file():
        reader = reader_of(registry, path)
        parts["learner"] = reader or Use(use="vocabulary", path=str(path))
    else:
        source = find_vocabulary(registry, system, {})
        written = folder / "vocabulary.json"
        written.write_text(source.vocabulary.to_json(), encoding="utf-8", newline="\n")
        parts["learner"] = Use(use="vocabulary", path=str(written))
        parts |= {
            key: use
            for key, use in (("segmenter", source.segmenter), ("split", source.splitter))
            if use
        }
    build(registry, "learner", parts["learner"])  # whose errors name no config
    return {key: use.model_dump() for key, use in parts.items()}


def _facts(run: "run_folder.Run") -> Iterator[str]:
    """Yield what a line says of the tokenizer, then of each text."""
    digest, *more = (file.sha256 for file in run.record.files)
    if more:
        digest = hashlib.sha256("\n".join([digest, *more]).encode()).hexdigest()
    yield f"sha:{digest[:DIGITS]}"
    outcome = run.record.outcomes[0]
    yield f"{outcome.declared or outcome.vocabulary_size:,} entries"
    first, *others = (test.name for test in run.record.tests)
    for test in (first, *others):
        value = {
            row.metric.partition("(")[0]: row.value
            for row in run.rows
            if (row.corpus, row.subset) == (test, "all")
        }
        bytes_per_token = value["bytes-per-token"]
        yield f"{test} " * bool(others) + f"{_spelled(value['fertility'])} tokens per word"
        yield f"{_spelled(bytes_per_token and 1 / bytes_per_token)} per byte"
        yield f"cannot write {100 * (value['oov-words-running'] or 0):.3g} %"
        if test != first:
            yield f"{_spelled(value['parity'])} times the tokens of {first}"


def _spelled(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _checked(line: str, measured: str) -> int:
    """Say whether a line came out again, and print what differs; the name of a file may."""
    then, now = (
        f"sha:{text.partition(' sha:')[2].partition(' | ')[0]}".split(", ")
        for text in (line, measured)
    )
    for before, after in zip_longest(then, now, fillvalue="nothing"):
        if before != after:
            click.echo(printable(f"then {before}, now {after}"))
    verdict = "equal" if then == now else "different"
    versions = [text.rpartition(" | tokbench ")[2] for text in (line, measured)]
    if versions[0] != versions[1]:
        verdict += f" (then with tokbench {versions[0]}, now with {versions[1]})"
    click.echo(printable(f"{verdict}: {measured}"))
    return 0 if then == now else NOT_HELD
