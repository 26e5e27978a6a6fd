"""The config of a run, run once more."""

from collections.abc import Sequence
from pathlib import Path

from tokbench import plugins
from tokbench.cli.engine import engine_of
from tokbench.cli.progress import showing_progress
from tokbench.config import load_experiment
from tokbench.errors import InputError
from tokbench.run_folder import Run
from tokbench.runner.run import execute


def run_again(run: Run, config: Path, plugin_files: Sequence[Path], quiet: bool) -> Run:
    """Run the config that a run records, as if it stood in the file `config`.

    Paths in it start from the folder of that file, which is not read. Raises InputError that names
    the corpora and files whose content is no longer the same, and what `tokbench run` ends with.
    """
    registry = plugins.load(plugin_files, lazy=True)
    experiment = load_experiment(config, registry, run.record.config)
    with engine_of(experiment), showing_progress(quiet, verbose=False) as progress:
        progress("reading corpora")
        corpora = experiment.load_corpora()
        now = {("training", one.name): one.digest for one in filter(None, [corpora.train])}
        now |= {(test.kind, test.name): test.digest for test in corpora.tests}
        now |= {("file", file.path.name): file.digest for file in experiment.files}
        then = {(one.kind, one.name): one.sha256 for one in run.record.corpora}
        then |= {("file", file.name): file.sha256 for file in run.record.files}
        if changed := [" ".join(key) for key, digest in then.items() if now.get(key) != digest]:
            raise InputError(
                f"{config}: not the same as when the run read it: {', '.join(changed)}: "
                "the numbers of other texts cannot be compared"
            )
        return execute(experiment, corpora, registry, progress)
