"""The promises of views."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tokbench.api import View
from tokbench.config import load_experiment
from tokbench.run_folder import Run, write_run
from tokbench.runner.experiment import execute
from tokbench.testing.promise import checking, expect
from tokbench.testing.samples import WORDS
from tokbench.testing.subject import Check, Subject

CONFIG = """
corpora: {train: text.txt, test: text.txt, gold: {"g_o(d)": gold.tsv}}
systems: [char, word]
sizes: [9]
resamples: 99
"""


def shows(subject: Subject[View]) -> None:
    """Check that a run is shown alike from memory and from its folder, and one without results."""
    with TemporaryDirectory() as created:
        folder = Path(created)
        (folder / "text.txt").write_text("\n".join(WORDS), "utf-8")
        (folder / "gold.tsv").write_text("lower\tlow er\n", "utf-8")
        (folder / "config.yaml").write_text(CONFIG, "utf-8")
        experiment = load_experiment(folder / "config.yaml", subject.registry)
        run = execute(
            experiment, experiment.load_corpora(), subject.registry, lambda message, share: None
        )
        write_run(folder / "run", run)
        for form in subject.component.formats:
            with checking(f"a run as {form}"):
                text = subject.component.text(run, form)
                again = subject.component.text(Run.load(folder / "run"), form)
            expect(isinstance(text, str), f"a run as {form}", text, "a text")
            expect(text == again, "the run of its folder", again, text)
            with checking(f"a run without results as {form}"):
                record = replace(run.record, outcomes=())
                empty = replace(run, record=record, rows=(), coverage=(), advice=(), sizes=())
                subject.component.text(empty, form)


CHECKS: Mapping[str, Check[View]] = {"shows": shows}
"""What each view is checked for."""
